#include "rigspace/rig/effector_ik.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace::effector_ik_test {
namespace {

constexpr std::array kAll = {ReachMethod::fabrik, ReachMethod::ccd, ReachMethod::damped, ReachMethod::graph};

/// A slightly bent chain of `bones` bones of length 1, along y.
std::vector<ReachJoint> chain(int bones) {
  std::vector<ReachJoint> joints;
  for (int j = 0; j <= bones; ++j) joints.push_back({.parent = j - 1, .place = Vec3(0.1 * (j % 2), j, 0)});
  return joints;
}

/// A trunk of three joints with two arms of three bones.
std::vector<ReachJoint> torso() {
  std::vector<ReachJoint> joints = {{-1, Vec3(0, 0, 0)}, {0, Vec3(0, 1, 0.05)}, {1, Vec3(0, 2, 0)}};
  for (const double side : {1.0, -1.0})
    for (int k = 0; k < 4; ++k)
      joints.push_back({.parent = k == 0 ? 2 : static_cast<int>(joints.size()) - 1,
                        .place = Vec3(side * (0.3 + 0.8 * k), 2 + 0.05 * (k % 2), 0)});
  return joints;
}
constexpr int kLeftHand = 6, kRightHand = 10;

void expect_consistent(std::span<const ReachJoint> joints, const ReachResult& result) {
  for (std::size_t j = 1; j < joints.size(); ++j) {
    const int above = joints[j].parent;
    EXPECT_NEAR((result.place[j] - result.place[above]).norm(), (joints[j].place - joints[above].place).norm(), 1e-9);
    EXPECT_NEAR(result.rotation[j].determinant(), 1, 1e-9);
    EXPECT_LT((result.rotation[j].transpose() * result.rotation[j] - Mat3::Identity()).norm(), 1e-9);
  }
}

class ReachBy : public ::testing::TestWithParam<ReachMethod> {};

TEST_P(ReachBy, BringsTheTipToTargetsWithinReach) {
  const auto joints = chain(5);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3 target = 1.2 * Vec3(any(random), any(random), any(random)) + Vec3(0, 2, 0);
    const ReachResult result =
        reach(joints, std::array{Effector{.joint = 5, .target = target}}, {.method = GetParam()});
    EXPECT_TRUE(result.reached) << trial << " off by " << result.distance[0];
    EXPECT_LE(result.distance[0], 1e-4 * 5.1);
    expect_consistent(joints, result);
  }
}

TEST_P(ReachBy, StretchesStraightTowardATargetOutOfReach) {
  const auto joints = chain(5);
  const Vec3 target(8, 3, -4);
  const ReachResult result =
      reach(joints, std::array{Effector{.joint = 5, .target = target}}, {.method = GetParam(), .max_iterations = 2000});
  EXPECT_FALSE(result.reached);
  const double length = 5 * std::hypot(1, 0.1);
  // Cyclic descent comes to the straight line the slower the nearer it is.
  EXPECT_NEAR(result.distance[0], target.norm() - length, 2e-3 * length);
  for (int j = 1; j <= 5; ++j)
    EXPECT_GT((result.place[j] - result.place[j - 1]).normalized().dot(target.normalized()), std::cos(4 * kDegree))
        << j;
}

TEST_P(ReachBy, KeepsLimitsWhateverTheTarget) {
  auto joints = chain(5);
  for (int j = 0; j < 5; ++j) {
    ChainJoint& limits = joints[j].limits;
    limits.hinge = j % 2 == 1;
    limits.axis = Vec3(0, 0, 1);
    limits.min = Vec3::Constant(-0.5), limits.max = Vec3::Constant(0.7);
  }
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  int reached = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const Vec3 target = 4 * Vec3(any(random), any(random), any(random));
    const ReachResult result =
        reach(joints, std::array{Effector{.joint = 5, .target = target}}, {.method = GetParam()});
    EXPECT_GE(result.limit_slack, -1e-6);
    for (int j = 0; j < 5; ++j) {
      const Vec3 r = rotation_log(result.rotation[j]);
      if (joints[j].limits.hinge) {
        EXPECT_LT(r.head<2>().norm(), 1e-6);
      }
      EXPECT_LE(r.maxCoeff(), 0.7 + 1e-6);
      EXPECT_GE(r.minCoeff(), -0.5 - 1e-6);
    }
    reached += result.reached;
  }
  // A pose within the limits can be found again.
  ReachResult known;
  std::vector<Mat3> pose(joints.size(), Mat3::Identity());
  for (int j = 0; j < 5; ++j) pose[j] = within_limits(joints[j].limits, rotation_exp(Vec3(0.2, -0.1, 0.3 + 0.05 * j)));
  known = reach(joints, std::array{Effector{.joint = 5, .target = Vec3(0, 0, 0)}}, {.max_iterations = 1}, pose);
  Vec3 tip = Vec3::Zero();
  Mat3 world = Mat3::Identity();
  for (int j = 0; j < 5; ++j) {
    world = world * pose[j];
    tip += world * (joints[j + 1].place - joints[j].place);
  }
  const ReachResult result = reach(joints, std::array{Effector{.joint = 5, .target = tip}},
                                   {.method = GetParam(), .max_iterations = 1000, .tolerance = 2e-3});
  EXPECT_TRUE(result.reached) << result.distance[0];
}

INSTANTIATE_TEST_SUITE_P(Methods, ReachBy, ::testing::ValuesIn(kAll),
                         [](const auto& method) { return std::string(name(method.param)); });

class ReachWithTwoHandsBy : public ::testing::TestWithParam<ReachMethod> {};

TEST_P(ReachWithTwoHandsBy, BringsBothToTheirTargets) {
  const auto joints = torso();
  const std::array effectors = {Effector{.joint = kLeftHand, .target = Vec3(1.5, 2.8, 0.9)},
                                Effector{.joint = kRightHand, .target = Vec3(-1.2, 1.2, 1.1)}};
  const ReachResult result = reach(joints, effectors, {.method = GetParam()});
  EXPECT_TRUE(result.reached) << result.distance[0] << " " << result.distance[1];
  expect_consistent(joints, result);
}

TEST_P(ReachWithTwoHandsBy, TheFirstPriorityIsReachedWhereBothCannotBe) {
  const auto joints = torso();
  // 8 apart: the arms together span 5.4.
  for (const bool left_first : {true, false}) {
    const std::array effectors = {
        Effector{.joint = kLeftHand, .target = Vec3(3.2, 2.5, 0.5), .priority = left_first ? 0 : 1},
        Effector{.joint = kRightHand, .target = Vec3(-4.8, 2, 0), .priority = left_first ? 1 : 0}};
    const std::array<Effector, 2> swapped = {
        Effector{.joint = kLeftHand, .target = Vec3(4.8, 2, 0), .priority = 1},
        Effector{.joint = kRightHand, .target = Vec3(-3.2, 2.5, 0.5), .priority = 0}};
    const ReachResult result = reach(joints, left_first ? effectors : swapped, {.method = GetParam()});
    const int first = left_first ? 0 : 1;
    EXPECT_LE(result.distance[first], 1e-3) << name(GetParam());
    EXPECT_GT(result.distance[1 - first], 0.5);
    EXPECT_FALSE(result.reached);
    // The other still does what it can: it is nearer than where the first alone leaves it.
    const auto& both = left_first ? effectors : swapped;
    const ReachResult alone = reach(joints, std::array{both[first]}, {.method = GetParam()});
    EXPECT_LT(result.distance[1 - first], (alone.place[both[1 - first].joint] - both[1 - first].target).norm() - 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ReachWithTwoHandsBy,
                         ::testing::Values(ReachMethod::fabrik, ReachMethod::ccd, ReachMethod::damped),
                         [](const auto& method) { return std::string(name(method.param)); });

TEST(Reach, RefusesWhatIsNoTree) {
  auto joints = chain(2);
  const std::array<Effector, 1> tip = {Effector{.joint = 2, .target = Vec3(1, 1, 0)}};
  EXPECT_THROW(reach(joints, std::array{Effector{.joint = 7}}), Error);
  EXPECT_THROW(reach(joints, std::span<const Effector>{}), Error);
  EXPECT_THROW(reach(torso(), std::array{Effector{.joint = 6}, Effector{.joint = 10}}, {.method = ReachMethod::graph}),
               Error);
  joints[1].parent = 2;
  EXPECT_THROW(reach(joints, tip), Error);
}

}  // namespace
}  // namespace rigspace::effector_ik_test
