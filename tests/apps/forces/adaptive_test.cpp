// Bodies with split cells and rigs that use them (PBR 4.5).

#include "rigspace/apps/forces/adaptive_fit.h"
#include "rigspace/apps/forces/adaptive_simulation.h"
#include "rigspace/base/error.h"
#include "rigspace/testing/check_rig.h"

#include "arm_body.h"

#include <gtest/gtest.h>

namespace rigspace::adaptive_test {
namespace {

using testing::arm_body;

const std::shared_ptr<const AdaptiveBody>& bodies() {
  static const auto made = std::make_shared<const AdaptiveBody>(arm_body(20));
  return made;
}

/// Split around two corners on the biceps, one of them twice.
SplitLattice some_split() {
  SplitLattice lattice = bodies()->lattice();
  const int cell = bodies()->leaf_of(lattice, 300).cell;
  lattice.split_around(lattice.cell(cell).corners[7], 0);
  lattice.split_around(lattice.cell(bodies()->leaf_of(lattice, 300).cell).corners[0], 1);
  return lattice;
}

std::vector<Affine> bent_joints(double degrees) {
  const ForceRig rig(bodies()->whole(), {});
  std::vector<Affine> C;
  rig.joints_at(testing::curled(rig, degrees), C);
  return C;
}

const AdaptiveFit& flex() {
  static const AdaptiveFit made =
      fit_adaptively(*bodies(), bent_joints(60), testing::flexed_arm(60, 20), {.tolerance = 1e-3});
  return made;
}

TEST(LatticeLevels, ChangeBetweenValuesAndCoefficientsAndBetweenTheirLoads) {
  const auto body = bodies()->body(some_split());
  const LatticeLevels& levels = body->levels;
  ASSERT_GT(levels.functions.size(), 20u);
  ASSERT_GT(levels.hanging.size(), 20u);
  Vec x = testing::random_force(*body, 1, 1), F = testing::random_force(*body, 1, 2);
  levels.spread(x);
  Vec q = x, back;
  levels.to_coefficients(q);
  levels.to_values(back = q);
  EXPECT_LT((back - x).norm(), 1e-12 * x.norm());
  Vec loads = F;  // of all vertices: F . x = F' . q
  levels.from_loads(loads);
  EXPECT_NEAR(loads.dot(q), F.dot(x), 1e-10 * F.norm() * x.norm());
  levels.to_loads(back = loads);
  levels.fold(F);
  EXPECT_LT((back - F).norm(), 1e-12 * F.norm());
}

TEST(AdaptiveBody, IsTheSameBodyWithMoreFunctions) {
  const auto body = bodies()->body(some_split());
  EXPECT_NEAR(body->elements.volume(), arm_body(20)->elements.volume(), 0.02 * arm_body(20)->elements.volume());
  const ForceRig rig(body, {});
  Vec s;
  rig.evaluate(*rig.make_workspace(), rig.rest(), s);
  EXPECT_LT((s - body->points_rest).cwiseAbs().maxCoeff(), 1e-9);
  PosedLattice lattice(*body);
  lattice.set_pose(bent_joints(70));
  Vec Q = testing::random_force(*body, 1, 2), y, back;
  for (const HangingVertex& each : body->levels.hanging) point(Q, each.vertex).setZero();
  lattice.shape_of(Q, y);
  lattice.force_of(y, back);
  EXPECT_LT((back - Q).norm(), 1e-9 * Q.norm());
}

TEST(AdaptiveBody, KeepsTheLawsOfRigs) {
  const auto body = bodies()->body(some_split());
  const ForceRig rig(body, testing::arm_rigs(*body));
  const auto report = testing::check_rig(rig, {.poses = 1, .tolerance = 1e-5});
  EXPECT_TRUE(report.ok()) << report;
}

// A template's forces on functions of the whole lattice are what they are without splits, but for the integration.
TEST(AdaptiveBody, HasTheSameForcesOnTheSameFunctions) {
  const auto split = bodies()->body(some_split());
  const auto part = testing::arm_rigs(*split)[0];
  Vec fine = Vec::Zero(3 * split->vertex_count()), coarse = Vec::Zero(3 * arm_body(20)->vertex_count());
  add_rig_force(*split, part, 1.9, fine);
  add_rig_force(*arm_body(20), part, 1.9, coarse);
  EXPECT_LT((fine.head(coarse.size()) - coarse).norm(), 0.05 * coarse.norm());
  EXPECT_GT(fine.tail(fine.size() - coarse.size()).norm(), 0.05 * coarse.norm());
}

TEST(AdaptiveFit, MeetsItsToleranceWithFewerUnknownsThanAFinerLattice) {
  const AdaptiveFit& fit = flex();
  ASSERT_GE(fit.rounds.size(), 2u);
  EXPECT_GT(fit.rounds.front().missed, 100);
  EXPECT_LT(fit.rounds.back().missed, 0.02 * fit.body->surface.count());
  EXPECT_LT(fit.fit.after, 0.3 * fit.rounds.front().after);
  SplitLattice uniform = bodies()->lattice();
  for (int level = 0; level < 2; ++level)
    for (const int k : uniform.leaves()) uniform.split(k);
  EXPECT_LT(fit.rounds.back().unknowns, 0.7 * 3 * uniform.vertex_count());
}

// Its forces, written down for its own functions, give the same shape where another rig has split other cells.
TEST(AdaptiveRig, GivesItsShapeAmongOthers) {
  std::vector<ForceRigPart> parts{rig_of_fit("flex", "forearm.rx", 0, 60 * kDegree, flex())};
  const auto alone = adaptive_rig(*bodies(), parts, lattice_of(*bodies(), parts));
  Vec s, shared;
  alone->evaluate(*alone->make_workspace(), testing::curled(*alone, 60), s);
  EXPECT_NEAR((s - testing::flexed_arm(60, 20).points).norm() / std::sqrt(alone->point_count()), flex().fit.after,
              1e-8);
  SplitLattice other = bodies()->lattice();
  other.split(bodies()->leaf_of(other, 1200).cell);
  other.include(flex().lattice);
  const auto rig = adaptive_rig(*bodies(), parts, other);
  rig->evaluate(*rig->make_workspace(), testing::curled(*rig, 60), shared);
  EXPECT_LT((s - shared).cwiseAbs().maxCoeff(), 0.1 * flex().fit.before);
  parts[0].splits.pop_back();
  EXPECT_THROW(adaptive_rig(*bodies(), parts, other), Error);
}

TEST(AdaptiveSimulation, SwitchesItsFunctionsWithTheRigAndKeepsTheSurface) {
  const std::vector<ForceRigPart> parts{rig_of_fit("flex", "forearm.rx", 0, 60 * kDegree, flex())};
  const ForceSimulationOptions options{.step = 1.0 / 60};
  AdaptiveSimulation simulation(bodies(), parts, options);
  const auto& rig = simulation.rig();
  simulation.restart(rig->rest());
  EXPECT_EQ(simulation.body().levels.functions.size(), 0u);
  Vec s, before;
  simulation.surface(before);
  simulation.step(testing::curled(*rig, 1e-6));  // starts: nothing has moved
  simulation.surface(s);
  EXPECT_EQ(simulation.switches(), 1);
  EXPECT_GT(simulation.body().levels.functions.size(), 20u);
  EXPECT_LT((s - before).cwiseAbs().maxCoeff(), 1e-6);
  // While it acts, it is the simulation of the body that has these functions.
  ForceSimulation same(rig, options);
  same.restart_from(testing::curled(*rig, 1e-6), simulation.shape());
  simulation.restart(testing::curled(*rig, 1e-6));
  same.restart(testing::curled(*rig, 1e-6));
  for (int k = 1; k <= 20; ++k)
    simulation.step(testing::curled(*rig, 3.0 * k)), same.step(testing::curled(*rig, 3.0 * k));
  EXPECT_LT((simulation.shape() - same.shape()).norm(), 1e-9);
  EXPECT_EQ(simulation.switches(), 1);
  // Back at rest its functions go once they matter no more: what moves on is near what moves on with them.
  double apart = 0;
  for (int k = 1; k <= 60; ++k) {
    const Vec p = testing::curled(*rig, std::max(0.0, 60 - 6.0 * k));
    simulation.step(p), same.step(p);
    simulation.surface(s), same.surface(before);
    apart = std::max(apart, (s - before).cwiseAbs().maxCoeff());
  }
  EXPECT_EQ(simulation.switches(), 2);
  EXPECT_EQ(simulation.body().levels.functions.size(), 0u);
  EXPECT_GT(apart, 0);
  EXPECT_LT(apart, 0.05 * simulation.body().cell);
}

}  // namespace
}  // namespace rigspace::adaptive_test
