#include "rigspace/anim/plain_character.h"

#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/black_box.h"
#include "rigspace/rig/rig_plan.h"
#include "rigspace/rig/skeleton.h"
#include "support/full_plan.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

Character full_character() {
  const RigPlan plan = testing::full_plan();
  const BuiltRig built = build(plan);
  Character character{.name = "full"};
  character.rig = built.rig;
  for (const plan::PointRun& run : plan.pieces)
    character.pieces.push_back({.name = run.name, .first_point = run.first, .point_count = run.count});
  for (const char* name : {"root", "hip", "knee", "ankle", "toe"}) {
    const int parent = static_cast<int>(character.bones.size()) - 1;
    character.bones.push_back({name, parent, built.transforms.at(name)});
  }
  Animation clip{.name = "Kick", .duration = 1};
  clip.tracks.push_back({"foot.ty", {.times = {0, 0.5, 1}, .values = {0.4, 0.7, 0.5}}});
  clip.tracks.push_back({"ik", {.times = {0, 1}, .values = {1, 1}}});
  clip.tracks.push_back({"roll", {.times = {0, 1}, .values = {0, 0.6}}});
  clip.tracks.push_back({"c4.tx", {.times = {0, 1}, .values = {0, 0.3}}});
  clip.tracks.push_back({"belly_121.tx", {.times = {0, 1}, .values = {0, 0.1}}});
  character.clips.push_back(clip);
  return character;
}

TEST(PlainCharacter, PlaysEveryClipWithinItsTolerance) {
  const Character full = full_character();
  EXPECT_FALSE(is_plain(full));
  const Plain plain = plain_character(full, {.tolerance = 2e-4});
  EXPECT_TRUE(is_plain(plain.character));
  EXPECT_LT(plain.error, 2e-4);
  EXPECT_GT(plain.shapes, 0);
  const auto a = full.rig->make_workspace(), b = plain.character.rig->make_workspace();
  double worst = 0;
  Vec s, t;
  for (int frame = 0; frame <= 30; ++frame) {
    full.rig->evaluate(*a, pose_at(full, &full.clips[0], frame / 30.0), s);
    plain.character.rig->evaluate(*b, pose_at(plain.character, &plain.character.clips[0], frame / 30.0), t);
    worst = std::max(worst, (s - t).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, 2e-4 * 1.2 * 1.5);  // the size is 1.2; skins stretch what shapes leave over
  EXPECT_NEAR(plain.error, worst / 1.2, plain.error);
}

TEST(PlainCharacter, NeedsNoShapesForWhatJointsDo) {
  RigPlan plan = testing::full_plan();
  plan.deformers = {plan.deformers[4], plan.deformers[5], plan.deformers[6]};  // the skins, under IK and a spline
  plan.rules.clear();
  const BuiltRig built = build(plan);
  Character character = full_character();
  character.rig = built.rig;
  character.bones.clear();
  for (const auto& [name, slot] : built.transforms) character.bones.push_back({name, -1, slot});
  const Plain plain = plain_character(character, {.tolerance = 1e-6});
  EXPECT_EQ(plain.shapes, 0);
  EXPECT_LT(plain.error, 1e-9);
}

TEST(PlainCharacter, HangsWhatFollowsOnTheJointsOfWhatItFollows) {
  RigPlan plan = testing::full_plan();
  std::get<plan::Wrap>(plan.deformers[7].kind).where = {};
  plan.deformers = {plan.deformers[4], plan.deformers[5], plan.deformers[6], plan.deformers[7]};
  plan.rules.clear();
  Character character = full_character();
  const BuiltRig built = build(plan);
  character.rig = built.rig;
  for (Bone& bone : character.bones) bone.slot = built.transforms.at(bone.name);
  // The knee turns by more than a right angle and takes the sleeve along. Joints alone bring it to within a third of
  // the sleeve's width; on the hip, where its own skin has it, it would stay behind by half a metre.
  const Plain plain = plain_character(character, {.most_shapes = 0});
  EXPECT_LT(plain.error, 0.09);
  Vec s;
  plain.character.rig->evaluate(*plain.character.rig->make_workspace(), plain.character.rig->rest(), s);
  EXPECT_LT((s - plan.points_rest).tail(3 * 40).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(PlainCharacter, PlaysABlackBoxAsShapes) {
  const Character inside = full_character();
  const std::shared_ptr<const Rig> rig = inside.rig;
  BlackBoxDescription box{.name = "full"};
  box.controls.assign(rig->controls().begin(), rig->controls().end());
  box.point_count = rig->point_count();
  box.noise = 0;
  box.evaluate = [rig](In p, Vec& s) { rig->evaluate(*rig->make_workspace(), p, s); };
  Character black = inside;
  black.rig = std::make_shared<BlackBoxRig>(box);
  black.bones.clear();
  const Plain plain = plain_character(black);
  EXPECT_TRUE(is_plain(plain.character));
  EXPECT_GT(plain.shapes, 0);
  EXPECT_LE(plain.error, PlainOptions().tolerance);
  ASSERT_EQ(plain.character.clips.size(), 1u);
  Vec s, played;
  const Vec p = pose_at(inside, &inside.clips[0], 0.5), q = pose_at(plain.character, &plain.character.clips[0], 0.5);
  rig->evaluate(*rig->make_workspace(), p, s);
  plain.character.rig->evaluate(*plain.character.rig->make_workspace(), q, played);
  const double size = bounding_box(s).size().maxCoeff();
  EXPECT_LT((s - played).cwiseAbs().maxCoeff(), 1.5 * PlainOptions().tolerance * size);  // half a second is a key
}

TEST(PlainCharacter, LeavesAPlainOneAlone) {
  RigPlan plan = testing::full_plan();
  plan.constraints.clear(), plan.ik.clear(), plan.foot_rolls.clear(), plan.spline_chains.clear();
  plan.helpers.clear(), plan.drivers.clear(), plan.pose_weights.clear(), plan.points.clear(), plan.rules.clear();
  plan.deformers = {plan.deformers[5]};
  plan.controls.clear();
  Character character = full_character();
  character.rig = build(plan).rig;
  EXPECT_TRUE(is_plain(character));
}

}  // namespace
}  // namespace rigspace
