// A black box replaced by its second-order expansion (quadratic_rig_model.h).

#include "rigspace/reduce/quadratic_rig_model.h"

#include "rigspace/rig/black_box.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr int kPoints = 40;

/// A strip on a turntable that bends and twists; the last control is keyed.
struct Strip {
  std::shared_ptr<std::atomic<int>> asked = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<const Rig> rig;
  std::vector<int> free{0, 1};

  Strip() {
    BlackBoxDescription box;
    for (const char* name : {"bend", "twist", "turn"}) box.controls.push_back({.name = name, .typical = 0.4});
    box.point_count = kPoints;
    box.noise = 0;
    box.evaluate = [asked = asked](In p, Vec& s) {
      ++*asked;
      const Mat3 turn = Eigen::AngleAxisd(p[2], Vec3(1, 2, 3).normalized()).toRotationMatrix();
      for (int i = 0; i < kPoints; ++i) {
        const double t = 2.0 * (i / 2) / kPoints, a = p[0] * t, side = i % 2 == 0 ? 0.2 : -0.2;
        const Vec3 across(0, std::sin(p[1] * t) * side, std::cos(p[1] * t) * side);
        point(s, i) = turn * (Eigen::AngleAxisd(a, Vec3::UnitZ()) * (Vec3(t, 0, 0) + across));
      }
    };
    rig = std::make_shared<BlackBoxRig>(box);
  }

  Vec at(const Rig& which, double bend, double twist, double turn) const {
    Vec s;
    which.evaluate(*which.make_workspace(), Vec3(bend, twist, turn), s);
    return s;
  }
};

TEST(QuadraticRigModel, IsTheBoxToSecondOrderAndAsksItForNothing) {
  const Strip strip;
  const std::vector<Vec> poses{Vec{{0.0, 0.0, 0.3}}, Vec{{0.2, -0.1, 2.0}}};
  const QuadraticRigModel model(strip.rig, strip.free, sample_jacobians(*strip.rig, strip.free, poses));
  ASSERT_EQ(model.poses().size(), 2u);
  for (const Vec& pose : poses) {
    double error[2];
    for (const int half : {0, 1}) {
      const double d = half == 1 ? 0.1 : 0.2;
      const Vec truth = strip.at(*strip.rig, pose[0] + d, pose[1] - d, pose[2]);
      const int before = *strip.asked;
      error[half] = (strip.at(model, pose[0] + d, pose[1] - d, pose[2]) - truth).norm();
      EXPECT_EQ(*strip.asked, before);
      EXPECT_LT(error[half], 0.05 * (truth - strip.at(model, pose[0], pose[1], pose[2])).norm());
    }
    EXPECT_GT(error[0] / error[1], 4) << "falls faster than by the square";
  }
}

TEST(QuadraticRigModel, HasTheJacobianOfWhatItSays) {
  const Strip strip;
  const std::vector<Vec> poses{Vec{{0, 0, 0.3}}};
  const QuadraticRigModel model(strip.rig, strip.free, sample_jacobians(*strip.rig, strip.free, poses));
  const Vec3 p(0.3, 0.5, 0.3);
  BlockJacobian J;
  const int before = *strip.asked;
  model.jacobian(*model.make_workspace(), p, strip.free, J);
  EXPECT_EQ(*strip.asked, before);
  const Mat dense = J.dense();
  constexpr double h = 1e-5;
  for (int c = 0; c < 2; ++c) {
    const Vec3 step = h * Vec3::Unit(c);
    const Vec difference = (strip.at(model, p[0] + step[0], p[1] + step[1], p[2]) -
                            strip.at(model, p[0] - step[0], p[1] - step[1], p[2])) /
                           (2 * h);
    EXPECT_LT((dense.col(c) - difference).norm(), 1e-8 * difference.norm());
  }
}

TEST(QuadraticRigModel, AsksTheBoxWhereItWasToldNothing) {
  const Strip strip;
  const std::vector<Vec> poses{Vec3(0, 0, 0.3)};
  const QuadraticRigModel model(strip.rig, strip.free, sample_jacobians(*strip.rig, strip.free, poses));
  EXPECT_EQ(strip.at(model, 0.1, 0.2, 1.5), strip.at(*strip.rig, 0.1, 0.2, 1.5));
  BlockJacobian told, truth;
  const std::vector<int> turn{2};
  const Vec3 p(0, 0, 0.3);
  model.jacobian(*model.make_workspace(), p, turn, told);
  strip.rig->jacobian(*strip.rig->make_workspace(), p, turn, truth);
  EXPECT_EQ(told.value, truth.value);
}

}  // namespace
}  // namespace rigspace
