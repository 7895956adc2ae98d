#include "rigspace/apps/inverse/edit_motion.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace::edit_motion_test {
namespace {

/// Head, hips and two feet that stand in turn, walking along +z at one unit a second.
JointMotion walk() {
  JointMotion motion{.name = "walk", .joints = {"head", "hips", "left", "right"}};
  motion.body.leg = 1;
  motion.X.resize(12, 61);
  for (int k = 0; k <= 60; ++k) {
    const double t = k / 15.0;
    motion.times.push_back(t);
    // A foot stands for half a second, then swings two steps ahead in the next half.
    const auto foot = [&](double phase) {
      const double u = t + phase, whole = std::floor(u);
      return whole - phase + std::max(0.0, 2 * (u - whole) - 1);
    };
    motion.X.col(k) << 0.3, 1.7, t, 0.3, 1, t, 0.4, 0, foot(0.5), 0.2, 0, foot(0);
  }
  return motion;
}

TEST(EditMotion, AStraightPathOnFlatGroundChangesNothing) {
  const JointMotion straight = walk();
  EXPECT_LT((along_path(straight, {}).X - straight.X).norm(), 1e-9);
  const Vec3 middle = straight.X.col(0).reshaped(3, 4).rowwise().mean();
  const std::vector<Vec3> line{{middle.x(), 0, middle.z()}, {middle.x(), 0, middle.z() + 9}};
  EXPECT_LT((along_path(straight, line).X - straight.X).norm(), 1e-9);
}

TEST(EditMotion, FeetThatStandStayOnTheTerrainOfABentPath) {
  const JointMotion straight = walk();
  const std::vector<Vec3> path{{0, 0, 0}, {0, 0, 1.5}, {1, 0, 2.6}, {2.5, 0, 3}};
  const Terrain hills = [](double x, double z) { return 0.2 * std::sin(2 * x) + 0.1 * z; };
  const JointMotion bent = along_path(straight, path, hills);
  int standing = 0;
  for (Eigen::Index k = 1; k < straight.X.cols(); ++k)
    for (const Eigen::Index foot : {2, 3}) {
      const Vec3 before = straight.X.block<3, 1>(3 * foot, k - 1), now = straight.X.block<3, 1>(3 * foot, k);
      const Vec3 bent_before = bent.X.block<3, 1>(3 * foot, k - 1), bent_now = bent.X.block<3, 1>(3 * foot, k);
      EXPECT_NEAR(bent_now.y(), hills(bent_now.x(), bent_now.z()), 1e-9);
      if ((now - before).norm() > 1e-12) continue;
      ++standing;
      EXPECT_LT((bent_now - bent_before).norm(), 1e-9);
    }
  EXPECT_GT(standing, 40);
  // The body goes at the same speed, upright.
  for (Eigen::Index k = 1; k < straight.X.cols(); ++k) {
    Vec3 step = bent.X.block<3, 1>(3, k) - bent.X.block<3, 1>(3, k - 1);
    step.y() = 0;
    EXPECT_NEAR(step.norm(), 1 / 15.0, 0.25 / 15);
    const Vec3 up = bent.X.block<3, 1>(0, k) - bent.X.block<3, 1>(3, k);
    EXPECT_NEAR(up.y(), 0.7, 1e-3);
  }
}

TEST(EditMotion, RefusesAMotionThatGoesNowhere) {
  JointMotion still = walk();
  for (Eigen::Index k = 1; k < still.X.cols(); ++k) still.X.col(k) = still.X.col(0);
  const std::vector<Vec3> path{{0, 0, 0}, {1, 0, 1}};
  EXPECT_THROW(along_path(still, path), Error);
  EXPECT_THROW(along_path(walk(), std::vector<Vec3>{{0, 0, 0}}), Error);
}

}  // namespace
}  // namespace rigspace::edit_motion_test
