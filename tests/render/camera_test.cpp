#include "rigspace/geometry/camera.h"

#include "rigspace/base/error.h"
#include "rigspace/render/motion.h"
#include "rigspace/render/sheet.h"
#include "shapes.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace {
namespace {

constexpr int kWidth = 320, kHeight = 200;
constexpr double kAspect = static_cast<double>(kWidth) / kHeight;

Vec random_points(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Vec points(300);
  for (double& x : points) x = normal(random);
  return points;
}

/// Smallest distance of any projected point from the picture's edges, as a fraction of the picture: x and y.
Eigen::Vector2d clearance(const Camera& camera, const Vec& points) {
  Eigen::Vector2d free(1, 1);
  for (int i = 0; i < points.size() / 3; ++i) {
    const Vec3 at = camera.project(point(points, i), kWidth, kHeight);
    EXPECT_GT(at.z(), 0);
    free.x() = std::min({free.x(), at.x() / kWidth, 1 - at.x() / kWidth});
    free.y() = std::min({free.y(), at.y() / kHeight, 1 - at.y() / kHeight});
  }
  return free;
}

TEST(Camera, ProjectsItsOwnRays) {
  const Camera camera{.eye = {3, 2, 5}, .target = {0.5, 1, -1}, .fov = 0.6};
  for (const auto& [x, y] : {std::pair(10.0, 20.0), std::pair(160.0, 100.0), std::pair(300.0, 190.0)}) {
    const Vec3 seen = camera.project(camera.eye + 3 * camera.ray(x, y, kWidth, kHeight), kWidth, kHeight);
    EXPECT_NEAR(seen.x(), x, 1e-9);
    EXPECT_NEAR(seen.y(), y, 1e-9);
  }
  const Vec3 middle = camera.project(camera.target, kWidth, kHeight);
  EXPECT_NEAR(middle.x(), 0.5 * kWidth, 1e-9);
  EXPECT_NEAR(middle.y(), 0.5 * kHeight, 1e-9);
}

TEST(Camera, ShowsRightOnTheRightAndUpAbove) {
  const Camera camera = frame(Vec::Unit(6, 4), 1, {.azimuth = 0, .elevation = 0});
  EXPECT_GT(camera.project({1, 0, 0}, 100, 100).x(), camera.project({0, 0, 0}, 100, 100).x());
  EXPECT_LT(camera.project({0, 1, 0}, 100, 100).y(), camera.project({0, 0, 0}, 100, 100).y());
}

TEST(Framing, TouchesTheMarginsAndNeverCrossesThem) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Vec points = random_points(seed);
    const FramingOptions options{
        .azimuth = 0.3 * seed, .elevation = 0.07 * seed - 0.7, .fov = 0.2 + 0.05 * seed, .margin = 0.1};
    const Eigen::Vector2d free = clearance(frame(points, kAspect, options), points);
    EXPECT_GE(free.minCoeff(), 0.1 - 1e-9);
    EXPECT_NEAR(free.minCoeff(), 0.1, 1e-9);  // as near as possible: some point lies on the margin
  }
}

TEST(Framing, HoldsTheWholeMotion) {
  const Vec points = random_points(3);
  Framing framing({.margin = 0.05}, kAspect);
  for (int k = 0; k < 5; ++k) framing.add(points, Vec3(k, 0.2 * k, -k));
  for (int k = 0; k < 5; ++k) {
    Vec moved = points;
    for (int i = 0; i < moved.size() / 3; ++i) point(moved, i) += Vec3(k, 0.2 * k, -k);
    EXPECT_GE(clearance(framing.camera(), moved).minCoeff(), 0.05 - 1e-9);
  }
}

TEST(Framing, StandsOffASinglePointAndLooksStraightDown) {
  const Camera camera = frame(Vec3(1, 2, 3), 1);
  EXPECT_GT((camera.eye - Vec3(1, 2, 3)).norm(), 1e-3);
  const Camera above = frame(random_points(4), 1, {.elevation = 90 * kDegree});
  EXPECT_TRUE(above.axes().allFinite());
  EXPECT_NEAR(above.axes().determinant(), 1, 1e-12);
}

TEST(Framing, RefusesNonsense) {
  EXPECT_THROW(Framing({}, 1).camera(), Error);
  EXPECT_THROW(frame(Vec3(0, std::nan(""), 0), 1), Error);
  EXPECT_THROW(frame(Vec3(0, 0, 0), 1, {.margin = 0.5}), Error);
  EXPECT_THROW(frame(Vec3(0, 0, 0), 1, {.fov = 0}), Error);
  EXPECT_THROW(frame(Vec3(0, 0, 0), 1, {.zoom = 0}), Error);
}

TEST(Turntable, HoldsTheCharacterFromEverySide) {
  const Vec points = random_points(5);
  for (const Camera& camera : turntable(points, 24, kAspect, {.margin = 0.06}))
    EXPECT_GE(clearance(camera, points).minCoeff(), 0.06 - 1e-9);
}

TEST(MotionView, FollowsTheCharacterOrFramesItsWay) {
  const Character character = testing::make_sphere({0, 1, 0}, 1, 12);
  Motion motion{.title = "slide", .times = {0, 1, 2}};
  motion.at = [&](double time) { return take_snapshot(character, Vec::Constant(1, 10 * time)); };
  const MotionView still = frame_motion(motion, kAspect), follow = frame_motion(motion, kAspect, {}, true);
  EXPECT_EQ(still.travel[2], Vec3::Zero());
  EXPECT_NEAR(follow.travel[2].x(), 20, 1e-9);
  EXPECT_NEAR(follow.ground_height, 0, 1e-12);
  for (int k = 0; k < 3; ++k) {
    EXPECT_GE(clearance(still.camera_at(k), motion.at(motion.times[k]).points).minCoeff(), 0.07 - 1e-9);
    EXPECT_GE(clearance(follow.camera_at(k), motion.at(motion.times[k]).points).minCoeff(), 0.07 - 1e-9);
  }
  EXPECT_LT((follow.camera.eye - follow.camera.target).norm(), 0.5 * (still.camera.eye - still.camera.target).norm());
}

}  // namespace
}  // namespace rigspace
