#include "rigspace/body/control_solver.h"

#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/testing/check_mapping.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace {
namespace {

std::vector<int> arm_controls(const Rig& rig) {
  std::vector<int> free;
  for (const char* name :
       {"upper_arm_l.rx", "upper_arm_l.ry", "upper_arm_l.rz", "lower_arm_l.rx", "lower_arm_l.ry", "lower_arm_l.rz"})
    if (const int c = rig.find(name); c >= 0) free.push_back(c);
  std::sort(free.begin(), free.end());
  return free;
}

/// The point that the forearm moves farthest: on the hand.
int hand_point(const Rig& rig, std::span<const int> free) {
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), rig.rest(), free, J);
  int best = 0;
  double most = -1;
  for (int i = 0; i < J.points(); ++i) {
    double moved = 0;
    for (int e = J.start[i]; e < J.start[i + 1]; ++e) moved += J.value.col(e).squaredNorm();
    if (moved > most) most = moved, best = i;
  }
  return best;
}

struct Arm {
  Character character = make_character("bobbin");
  std::vector<int> free = arm_controls(*character.rig);
  int hand = hand_point(*character.rig, free);
  Vec rest() const { return character.rig->rest(); }
};

TEST(ControlMapping, ObeysTheLawsOfMaps) {
  const Arm arm;
  ASSERT_EQ(arm.free.size(), 6u);
  const ControlMapping mapping(arm.character.rig, arm.free, {arm.hand, 3, 10});
  Vec q = mapping.coordinates(arm.rest());
  q.array() += 0.3;
  const auto report = testing::check_mapping(mapping, q);
  EXPECT_TRUE(report.ok()) << report;
}

TEST(ControlMapping, GivesThePointsOfTheWholeRig) {
  const Arm arm;
  const ControlMapping mapping(arm.character.rig, arm.free, {arm.hand, 3});
  Vec s, x;
  arm.character.rig->evaluate(*arm.character.rig->make_workspace(), arm.rest(), s);
  mapping.evaluate(*mapping.make_state(), mapping.coordinates(arm.rest()), x);
  EXPECT_LT((point(x, 0) - point(s, arm.hand)).norm(), 1e-12);
  EXPECT_LT((point(x, 1) - point(s, 3)).norm(), 1e-12);
}

TEST(ControlSolver, BringsAPointToItsTarget) {
  const Arm arm;
  ControlSolver solver(arm.character.rig, arm.rest(), {.points = {arm.hand}, .free = arm.free, .prior = 1e-6});
  Vec there = arm.rest(), s;
  for (const int c : arm.free) there[c] += 0.5;  // a pose of the arm, which the solver is not told
  arm.character.rig->evaluate(*arm.character.rig->make_workspace(), there, s);
  const Vec3 target = point(s, arm.hand);
  EXPECT_GT((target - solver.position(0)).norm(), 0.05 * solver.size());
  EXPECT_TRUE(solver.solve({&target, 1}).converged());
  EXPECT_TRUE(solver.reached(0)) << (solver.position(0) - target).norm() / solver.size();
  const Vec moved = solver.controls() - arm.rest();
  for (Eigen::Index c = 0; c < moved.size(); ++c)
    if (!std::binary_search(arm.free.begin(), arm.free.end(), static_cast<int>(c))) {
      EXPECT_EQ(moved[c], 0);
    }
}

TEST(ControlSolver, StaysAtThePriorWithoutAPull) {
  const Arm arm;
  ControlSolver solver(arm.character.rig, arm.rest(), {.points = {arm.hand}, .free = arm.free});
  const Vec3 here = solver.position(0);
  solver.solve({&here, 1});
  EXPECT_LT((solver.controls() - arm.rest()).norm(), 1e-6);
}

TEST(ControlSolver, SaysThatAPointOutOfReachIsNotReached) {
  const Arm arm;
  ControlSolver solver(arm.character.rig, arm.rest(), {.points = {arm.hand}, .free = arm.free});
  const Vec3 far = solver.position(0) + Vec3(0, 5, 0) * solver.size();
  solver.solve({&far, 1});
  EXPECT_FALSE(solver.reached(0));
  EXPECT_TRUE(solver.controls().allFinite());
}

TEST(ControlSolver, RefusesPointsThatAreNotThere) {
  const Arm arm;
  EXPECT_THROW(ControlSolver(arm.character.rig, arm.rest(), {.points = {1 << 30}, .free = arm.free}), Error);
  ControlSolver solver(arm.character.rig, arm.rest(), {.points = {arm.hand}, .free = arm.free});
  EXPECT_THROW(solver.solve({}), Error);
}

}  // namespace
}  // namespace rigspace
