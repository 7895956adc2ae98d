#include "rigspace/rig/rig_plan.h"

#include "rigspace/base/error.h"
#include "rigspace/testing/check_rig.h"
#include "support/full_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace {
namespace {

using testing::full_plan;

std::string message_of(const RigPlan& plan) {
  try {
    build(plan);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(RigPlan, OfEverythingKeepsTheLawsOfARig) {
  const BuiltRig built = build(full_plan());
  // Quaternion components and IK near its soft end curve strongly: a spread of a third of the typical change.
  const auto report = testing::check_rig(*built.rig, {.poses = 3, .spread = 0.3, .tolerance = 2e-5});
  EXPECT_TRUE(report.ok()) << report.message();
}

TEST(RigPlan, RestsWhereItsPointsRest) {
  const RigPlan plan = full_plan();
  const BuiltRig built = build(plan);
  Vec s;
  Vec p = built.rig->rest();
  // IK finds the pose that FK has at rest, but for its softness at full extension.
  built.rig->evaluate(*built.rig->make_workspace(), p, s);
  EXPECT_LT((s - plan.points_rest).cwiseAbs().maxCoeff(), 1e-4);
  p[built.rig->find("ik")] = 0;
  built.rig->evaluate(*built.rig->make_workspace(), p, s);
  EXPECT_LT((s - plan.points_rest).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(RigPlan, GivesTheSameRigInAnyOrder) {
  RigPlan shuffled = full_plan();
  std::reverse(shuffled.nodes.begin(), shuffled.nodes.end());
  std::reverse(shuffled.drivers.begin(), shuffled.drivers.end());
  const BuiltRig a = build(full_plan()), b = build(shuffled);
  const Vec p = testing::random_pose(*a.rig, 0.3, 7);
  Vec q(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) q[b.rig->find(a.rig->controls()[i].name)] = p[i];
  Vec s, t;
  a.rig->evaluate(*a.rig->make_workspace(), p, s);
  b.rig->evaluate(*b.rig->make_workspace(), q, t);
  EXPECT_LT((s - t).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(RigPlan, LetsChildrenFollowAfterIk) {
  const BuiltRig built = build(full_plan());
  Vec p = built.rig->rest();
  p[built.rig->find("ik")] = 1;
  p[built.rig->find("foot.ty")] += 0.3;  // the knee bends, the toe goes along
  Vec u;
  built.rig->evaluate_slots(*built.rig->make_workspace(), p, u);
  const auto at = [&](const char* name) {
    return Vec3(transform_at(u, built.rig->graph().slots()[built.transforms.at(name)]).col(3));
  };
  EXPECT_NEAR(at("ankle").y(), 0.7, 1e-4);
  EXPECT_NEAR((at("toe") - at("ankle")).norm(), std::hypot(0.35, 0.1), 1e-9);
  EXPECT_GT(at("knee").z(), 0.2);  // toward the pole
}

TEST(RigPlan, DrivesAParentByItsChildsControl) {
  const BuiltRig built = build(full_plan());
  Vec p = built.rig->rest(), u;
  p[built.rig->find("ik")] = 0;
  p[built.rig->find("toe.ry")] = 1;
  built.rig->evaluate_slots(*built.rig->make_workspace(), p, u);
  const Affine hip = transform_at(u, built.rig->graph().slots()[built.transforms.at("hip")]);
  EXPECT_NEAR(std::atan2(hip(1, 0), hip(0, 0)), 0.1, 1e-12);
}

TEST(RigPlan, KeepsASleeveAroundItsLimb) {
  const BuiltRig built = build(full_plan());
  Vec p = built.rig->rest(), s, rest;
  const auto workspace = built.rig->make_workspace();
  built.rig->evaluate(*workspace, p, rest);
  p[built.rig->find("ik")] = 0;
  p[built.rig->find("knee.rx")] = 1;
  p[built.rig->find("belly_121.tx")] = 0.02;
  built.rig->evaluate(*workspace, p, s);
  // Points of the sleeve's lower end are as far from the nearest of the limb as they were, within the skin's shear.
  const auto gap = [](const Vec& x, int i) {
    double nearest = 1e9;
    for (int k = 0; k < 54; ++k) nearest = std::min(nearest, (x.segment<3>(3 * i) - x.segment<3>(3 * k)).norm());
    return nearest;
  };
  for (int i = 108; i < 116; ++i) {
    EXPECT_GT((s.segment<3>(3 * i) - rest.segment<3>(3 * i)).norm(), 0.2) << i;
    EXPECT_NEAR(gap(s, i), gap(rest, i), 0.02) << i;
  }
}

TEST(RigPlan, SaysWhatIsMissingDoubledOrCircular) {
  RigPlan plan = full_plan();
  plan.ik[0].target = "foo";
  plan.ik[0].origin = "hero.rig.json:12";
  EXPECT_EQ(message_of(plan),
            "hero.rig.json:12: ik \"leg\" refers to \"foo\", which is no node, point or transform; did you mean "
            "\"foot\" or \"root\" or \"toe\"?");
  plan = full_plan();
  plan.drivers = {{.name = "a", .expression = "b + 1"}, {.name = "b", .expression = "a * 2"}};
  EXPECT_NE(message_of(plan).find("depends on itself: driver a -> driver b -> driver a"), std::string::npos)
      << message_of(plan);
  plan = full_plan();
  plan.constraints[0].targets = {{"tip"}};
  plan.nodes.push_back({.name = "tip", .parent = "eye"});
  EXPECT_NE(message_of(plan).find("depends on itself"), std::string::npos) << message_of(plan);
  plan = full_plan();
  plan.nodes.push_back({.name = "knee", .parent = "hip"});
  EXPECT_NE(message_of(plan).find("\"knee\" has the name of another"), std::string::npos) << message_of(plan);
  plan = full_plan();
  plan.controls.push_back({.name = "knee.rx", .node = "knee"});
  EXPECT_NE(message_of(plan).find("knee.rx"), std::string::npos) << message_of(plan);
  plan = full_plan();
  plan.ik[0].chain = {"hip", "ankle"};
  EXPECT_NE(message_of(plan).find("which is not its parent"), std::string::npos) << message_of(plan);
  plan = full_plan();
  plan.deformers[2].pieces = {"arm"};
  EXPECT_NE(message_of(plan).find("names the piece \"arm\""), std::string::npos) << message_of(plan);
  plan = full_plan();
  std::get<plan::Wire>(plan.deformers[2].kind).where.balls[0].center = {50, 0, 0};
  EXPECT_NE(message_of(plan).find("\"wire\" moves no point"), std::string::npos) << message_of(plan);
  plan = full_plan();
  plan.drivers.push_back({.name = "knee.rw", .mode = plan::Driver::Mode::add, .expression = "1"});
  EXPECT_NE(message_of(plan).find("did you mean \"knee.rx\""), std::string::npos) << message_of(plan);
}

TEST(RigPlan, SaysWhatAWrapCannotFollow) {
  const auto wrap = [](RigPlan& plan) -> plan::Deformer& {
    return *std::find_if(plan.deformers.begin(), plan.deformers.end(), [](const auto& d) { return d.name == "wrap"; });
  };
  RigPlan plan = full_plan();
  std::get<plan::Wrap>(wrap(plan).kind).to = {"arm"};
  EXPECT_NE(message_of(plan).find("deformer \"wrap\" names the piece \"arm\""), std::string::npos) << message_of(plan);
  plan = full_plan();
  std::get<plan::Wrap>(wrap(plan).kind).to = {"sl*", "limb"};
  EXPECT_NE(message_of(plan).find("wraps the piece \"sleeve\", which it follows"), std::string::npos)
      << message_of(plan);
  plan = full_plan();
  plan.triangles.clear();
  EXPECT_NE(message_of(plan).find("without triangles"), std::string::npos) << message_of(plan);
  plan = full_plan();
  plan.triangles.push_back({0, 1, 9999});
  EXPECT_NE(message_of(plan).find("9999"), std::string::npos) << message_of(plan);
  plan = full_plan();
  std::get<plan::Wrap>(wrap(plan).kind).blend = -1;
  EXPECT_NE(message_of(plan).find("blend"), std::string::npos) << message_of(plan);
}

TEST(RigPlan, OfABuiltRigBuildsTheSameRig) {
  RigPlan plan;
  const RigPlan full = full_plan();
  plan.points_rest = full.points_rest;
  plan.pieces = full.pieces;
  plan.nodes = full.nodes;
  plan.controls = {full.controls[4]};
  plan.deformers = {full.deformers[0], full.deformers[5]};
  std::get<plan::Shapes>(plan.deformers[0].kind).targets.pop_back();
  const BuiltRig once = build(plan), again = build(plan_of(*once.rig));
  const Vec p = testing::random_pose(*once.rig, 0.3, 3);
  ASSERT_EQ(again.rig->controls().size(), once.rig->controls().size());
  Vec q(p.size()), s, t;
  for (Eigen::Index i = 0; i < p.size(); ++i) q[again.rig->find(once.rig->controls()[i].name)] = p[i];
  once.rig->evaluate(*once.rig->make_workspace(), p, s);
  again.rig->evaluate(*again.rig->make_workspace(), q, t);
  EXPECT_EQ((s - t).cwiseAbs().maxCoeff(), 0);
  EXPECT_THROW(plan_of(*build(full).rig), Error);  // IK has no place in glTF
}

}  // namespace
}  // namespace rigspace
