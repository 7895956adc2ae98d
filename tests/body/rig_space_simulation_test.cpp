// The papers' setting: whole characters as bodies in rig space, free and keyed controls, black boxes.

#include "rigspace/body/rig_space_simulation.h"

#include "rigspace/cast/cast.h"
#include "rigspace/rig/black_box.h"
#include "rigspace/testing/check_mapping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

double proxy_cell(std::string_view name) {
  for (const CastMember& member : cast())
    if (member.name == name) return member.proxy_cell;
  return 0;
}

RigBody body_of(const Character& character) {
  return make_rig_body(character, {.cell = proxy_cell(character.name), .use_cache = true});
}

std::vector<int> named(const Rig& rig, std::initializer_list<const char*> names) {
  std::vector<int> controls;
  for (const char* name : names) controls.push_back(rig.find(name));
  std::sort(controls.begin(), controls.end());
  return controls;
}

/// The same points by the same controls, without derivatives.
std::shared_ptr<const Rig> as_black_box(std::shared_ptr<const Rig> rig) {
  BlackBoxDescription box;
  box.controls.assign(rig->controls().begin(), rig->controls().end());
  box.point_count = rig->point_count();
  box.noise = 0;
  box.evaluate = [rig](In p, Vec& s) { rig->evaluate(*rig->make_workspace(), p, s); };
  return std::make_shared<BlackBoxRig>(box);
}

TEST(RigBody, AtRestIsWhereTheRigCarriesIt) {
  const Character bar = make_character("bar");
  const RigBody body = body_of(bar);
  EXPECT_EQ(body.rig->point_count(), proxy_of(bar)->point_count);
  EXPECT_GT(volumes(body.mesh).minCoeff(), 0);
  EXPECT_GT(body.skin_count(), 50);
  EXPECT_GT(body.node_count() - body.skin_count(), 100);
  for (int i = 0; i < body.node_count(); ++i) {
    double sum = 0;
    for (const double weight : body.ties.weights_of(i)) sum += weight;
    ASSERT_NEAR(sum, 1, 1e-12);
  }
}

TEST(RigBody, OfASurfaceWithoutInsideIsRefused) {
  Character card = make_character("bar");
  card.pieces.back().triangles.resize(1);
  EXPECT_THROW(make_rig_body(card), std::exception);
}

TEST(RigSpaceSimulation, FallsAsABodyFalls) {
  // RSP figure 2, bottom: a ball whose translation is free falls by g t^2 / 2, which BDF2 meets but for its first step.
  const Character ball = make_character("sphere");
  const auto free = named(*ball.rig, {"sphere.tx", "sphere.ty", "sphere.tz"});
  RigSpaceSimulation simulation(body_of(ball), free, {.step = 0.01, .gravity = {0, -9.81, 0}});
  const Vec rest = ball.rig->rest();
  for (int k = 0; k < 20; ++k) ASSERT_TRUE(simulation.step(rest).converged);
  const int ty = ball.rig->find("sphere.ty");
  EXPECT_NEAR(simulation.controls()[ty] - rest[ty], -0.5 * 9.81 * 0.04, 0.1 * 0.5 * 9.81 * 0.04);
  EXPECT_NEAR(simulation.controls()[ball.rig->find("sphere.tx")], rest[ball.rig->find("sphere.tx")], 1e-6);
}

TEST(Interior, OfAnyKindFallsAlike) {
  const Character ball = make_character("sphere");
  const auto free = named(*ball.rig, {"sphere.tx", "sphere.ty", "sphere.tz"});
  Vec fallen(3);
  for (const Interior interior : {Interior::dynamic, Interior::still, Interior::carried}) {
    RigSpaceSimulation simulation(body_of(ball), free, {.gravity = {0, -9.81, 0}, .interior = interior});
    for (int k = 0; k < 5; ++k) simulation.step(ball.rig->rest());
    fallen[static_cast<int>(interior)] = simulation.controls()[ball.rig->find("sphere.ty")];
  }
  EXPECT_NEAR(fallen[1], fallen[0], 1e-6);
  EXPECT_NEAR(fallen[2], fallen[0], 1e-6);
}

TEST(Interior, CarriedMakesTheBarStifferAndStillDoesNot) {
  // Droop under gravity. Without inertia a dynamic interior is a still one, but for where its weight hangs; one that is
  // carried cannot give way.
  const Character bar = make_character("bar");
  const auto free = named(*bar.rig, {"p1", "p2", "p3", "p4"});
  Vec droop(3);
  for (const Interior interior : {Interior::dynamic, Interior::still, Interior::carried}) {
    RigSpaceSimulation simulation(body_of(bar), free,
                                  {.material = {.young = 2e6}, .gravity = {0, -9.81, 0}, .interior = interior});
    EXPECT_TRUE(simulation.settle(bar.rig->rest()).converged());
    droop[static_cast<int>(interior)] = (simulation.nodes() - simulation.body().mesh.points).cwiseAbs().maxCoeff();
  }
  ASSERT_GT(droop[0], 1e-3);
  EXPECT_NEAR(droop[1] / droop[0], 1, 0.1);
  EXPECT_LT(droop[2], droop[0]);
  EXPECT_GT(droop[2], 0.2 * droop[0]);
}

struct Solver {
  std::string name;
  RigCurvature curvature;
  bool black_box;
};

class Solvers : public ::testing::TestWithParam<Solver> {};

TEST_P(Solvers, EndInTheSameMinimum) {
  const Character bar = make_character("bar");
  const auto free = named(*bar.rig, {"p1", "p2", "p3", "p4"});
  const auto run = [&](RigCurvature curvature, bool black_box) {
    RigBody body = body_of(bar);
    if (black_box) body.rig = as_black_box(body.rig);
    RigSpaceSimulation simulation(std::move(body), free,
                                  {.step = 0.02,
                                   .material = {.young = 3e4},
                                   .gravity = {0, -9.81, 0},
                                   .curvature = curvature,
                                   .gradient_tolerance = 1e-7});
    const Animation& swing = bar.clips.front();
    simulation.restart(pose_at(bar, &swing, 0));
    int iterations = 0;
    for (int k = 0; k < 10; ++k) {
      const RigSpaceStep step = simulation.step(pose_at(bar, &swing, 0.02 * (k + 1)));
      EXPECT_TRUE(step.converged);
      EXPECT_EQ(step.halvings, 0);
      iterations += step.iterations;
    }
    EXPECT_LE(iterations, 10 * 20);
    return simulation.controls();
  };
  const Vec expected = run(RigCurvature::none, false);
  ASSERT_GT((expected - bar.rig->rest()).cwiseAbs().maxCoeff(), 0.01);
  // As far apart as the residual allows: 1e-7 of the forces, at the softest control some 1e-6 of a radian a step.
  EXPECT_LT((run(GetParam().curvature, GetParam().black_box) - expected).cwiseAbs().maxCoeff(), 2e-5);
}

INSTANTIATE_TEST_SUITE_P(All, Solvers,
                         ::testing::Values(Solver{"learned", RigCurvature::learned, false},
                                           Solver{"bfgs", RigCurvature::bfgs, false},
                                           Solver{"exact", RigCurvature::exact, false},
                                           Solver{"black_box", RigCurvature::none, true},
                                           Solver{"black_box_learned", RigCurvature::learned, true},
                                           Solver{"black_box_bfgs", RigCurvature::bfgs, true},
                                           Solver{"black_box_exact", RigCurvature::exact, true}),
                         [](const auto& each) { return each.param.name; });

TEST(RigSpaceSimulation, CountsWhatABlackBoxIsAsked) {
  const Character bar = make_character("bar");
  RigBody body = body_of(bar);
  const auto counted = std::dynamic_pointer_cast<const BlackBoxRig>(as_black_box(body.rig));
  body.rig = counted;
  RigSpaceSimulation simulation(std::move(body), named(*bar.rig, {"p1", "p2", "p3", "p4"}), {});
  const long before = counted->evaluations(), said = simulation.rig_evaluations();
  for (int k = 0; k < 3; ++k) simulation.step(pose_at(bar, &bar.clips.front(), 0.01 * (k + 1)));
  EXPECT_EQ(simulation.rig_evaluations() - said, counted->evaluations() - before);
}

TEST(RigSpaceSimulation, SettlesWhereGravityAndStiffnessBalance) {
  // Twice the stiffness, half the droop: small enough to be linear.
  const Character bar = make_character("bar");
  const auto free = named(*bar.rig, {"p1", "p2", "p3", "p4"});
  const auto droop = [&](double young) {
    RigSpaceSimulation simulation(body_of(bar), free, {.material = {.young = young}, .gravity = {0, -9.81, 0}});
    EXPECT_TRUE(simulation.settle(bar.rig->rest()).converged());
    return simulation.nodes()[1] - simulation.body().mesh.points[1];
  };
  const double soft = droop(2e6), stiff = droop(4e6);
  ASSERT_LT(soft, -1e-4);
  EXPECT_NEAR(stiff / soft, 0.5, 0.01);
}

TEST(RigSpaceSimulation, KeepsLimitsWhenAsked) {
  Character bar = make_character("bar");
  const auto free = named(*bar.rig, {"p1", "p2", "p3", "p4"});
  RigSpaceSimulation simulation(body_of(bar), free,
                                {.material = {.young = 3e3}, .gravity = {0, -200, 0}, .keep_limits = true});
  for (int k = 0; k < 20; ++k) simulation.step(bar.rig->rest());
  for (const int c : free) {
    EXPECT_GE(simulation.controls()[c], bar.rig->controls()[c].min);
    EXPECT_LE(simulation.controls()[c], bar.rig->controls()[c].max);
  }
}

/// The same rig, without numbers where a control is above a half.
class BrokenRig final : public Rig {
 public:
  BrokenRig(std::shared_ptr<const Rig> rig, int control) : rig_(std::move(rig)), control_(control) {}
  std::span<const Control> controls() const override { return rig_->controls(); }
  int point_count() const override { return rig_->point_count(); }
  Traits traits() const override { return rig_->traits(); }
  std::unique_ptr<Workspace> make_workspace() const override { return rig_->make_workspace(); }
  void evaluate(Workspace& workspace, In p, Vec& s) const override {
    rig_->evaluate(workspace, p, s);
    if (p[control_] > 0.5) s.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  void jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const override {
    rig_->jacobian(workspace, p, free, J);
  }

 private:
  std::shared_ptr<const Rig> rig_;
  int control_;
};

TEST(RigSpaceSimulation, RecoversControlsAndNodesTogetherWhereTheRigGivesNoNumbers) {
  const Character bar = make_character("bar");
  RigBody body = body_of(bar);
  const int broken = bar.rig->find("left_01.rx");  // keyed
  ASSERT_GE(broken, 0);
  body.rig = std::make_shared<BrokenRig>(body.rig, broken);
  std::vector<int> free{bar.rig->find("right_01.rx"), bar.rig->find("right_02.rx")};
  std::sort(free.begin(), free.end());
  RigSpaceSimulation simulation(body, free, {.gravity = {0, -9.81, 0}, .max_halvings = 0});
  Vec p = bar.rig->rest();
  for (int k = 0; k < 3; ++k) EXPECT_FALSE(simulation.step(p).recovered);
  const Vec controls = simulation.controls(), nodes = simulation.nodes();
  p[broken] = 1;
  const RigSpaceStep step = simulation.step(p);
  EXPECT_TRUE(step.recovered);
  EXPECT_FALSE(step.converged);
  EXPECT_EQ((simulation.nodes() - nodes).norm(), 0);
  for (const int c : free) EXPECT_EQ(simulation.controls()[c], controls[c]);
  p[broken] = 0;
  for (int k = 0; k < 3; ++k) {
    const RigSpaceStep after = simulation.step(p);
    EXPECT_TRUE(after.converged);
    EXPECT_FALSE(after.recovered);
  }
  EXPECT_TRUE(simulation.nodes().allFinite());
}

}  // namespace
}  // namespace rigspace
