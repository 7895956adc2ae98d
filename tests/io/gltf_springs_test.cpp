#include "rigspace/io/gltf_springs.h"

#include "rigspace/anim/skin_part.h"
#include "rigspace/base/affine.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace::gltf_springs_test {
namespace {

/// A body with a tail of four joints along -Y or sideways, in three clips that move the body about and leave the tail.
Character tailed(const Vec3& way) {
  std::vector<JointPlace> places = {{"body", -1, Vec3(0, 1, 0)}};
  for (int k = 0; k < 4; ++k) places.push_back({"tail_" + std::to_string(k), k, Vec3(0, 1, 0) + 0.2 * (k + 1) * way});
  Character shape;
  shape.name = "tailed";
  Vec points(3 * 30);
  std::vector<std::vector<Influence>> influences;
  Piece piece{.name = "skin", .point_count = 30};
  for (int i = 0; i < 30; ++i) {
    const int k = i / 6;
    point(points, i) = places[k].position + 0.1 * way + 0.05 * Vec3(i % 2, i % 3 - 1, 0);
    influences.push_back({{k, 1.0}});
    if (i >= 2) piece.triangles.push_back({i - 2, i - 1, i});
  }
  shape.pieces.push_back(piece);
  shape.rig = std::make_shared<BuiltInRig>(std::make_shared<ControlGraph>(), points,
                                           std::vector<std::shared_ptr<const Deformer>>{});
  Character character = rigged_character(shape, places, influences);
  for (const double speed : {3.0, 5.0, 8.0}) {
    Animation clip{.name = "attack" + std::to_string(static_cast<int>(speed)), .duration = 2};
    Curve sideways, up;
    RotationTrack turn{.node = "body", .interpolation = Interpolation::linear};
    for (int f = 0; f <= 60; ++f) {
      const double t = f / 30.0;
      sideways.times.push_back(t), sideways.values.push_back(0.4 * std::sin(speed * t) * t);
      up.times.push_back(t), up.values.push_back(1 + 0.1 * std::sin(1.7 * speed * t));
      turn.times.push_back(t);
      turn.values.emplace_back(Quat(rotation_exp(Vec3(0, 0.5 * std::sin(0.8 * speed * t), 0.2 * t))).coeffs());
    }
    clip.tracks = {{"body.tx", sideways}, {"body.ty", up}};
    clip.rotations = {turn};
    character.clips.push_back(clip);
  }
  return character;
}

SpringChain tail_of(const Character& character, SpringSettings settings) {
  SpringChain chain{.name = "tail", .bones = {1, 2, 3, 4}};
  chain.end = character.bones.size() > 4 ? Vec3(0.2 * Vec3::UnitX()) : Vec3(Vec3::Zero());
  chain.settings.assign(4, settings);
  return chain;
}

Vec points_at(const Character& character, const Animation& clip, double time) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), pose_at(character, &clip, time), s);
  return s;
}

TEST(Springs, AStillBodyKeepsItsTailStill) {
  Character character = tailed(Vec3::UnitX());
  const Animation still{
      .name = "attack", .duration = 1, .tracks = {{"body.tx", Curve{.times = {0, 1}, .values = {0, 0}}}}};
  const std::vector chains = {tail_of(character, {.stiffness = 0.3, .drag = 0.2})};
  const Animation played = play_springs(character, still, chains);
  EXPECT_LT((points_at(character, played, 0.7) - points_at(character, still, 0)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Springs, GravityWithoutStiffnessHangsTheTailStraightDown) {
  Character character = tailed(Vec3::UnitX());
  const Animation still{
      .name = "attack", .duration = 6, .tracks = {{"body.tx", Curve{.times = {0, 6}, .values = {0, 0}}}}};
  const std::vector chains = {tail_of(character, {.stiffness = 0, .drag = 0.3, .gravity = 0.2})};
  const Animation played = play_springs(character, still, chains);
  Vec u;
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  rig.evaluate_slots(*rig.make_workspace(), pose_at(character, &played, 6), u);
  const auto place = [&](int bone) {
    return Vec3(translation(transform_at(u, rig.graph().slots()[character.bones[bone].slot])));
  };
  for (int bone = 2; bone <= 4; ++bone)
    EXPECT_LT((place(bone) - place(bone - 1) - Vec3(0, -0.2, 0)).norm(), 2e-3) << bone;
}

TEST(Springs, AreFoundAgainFromTheirMotion) {
  Character character = tailed(Vec3::UnitX());
  const SpringSettings truth{.stiffness = 0.35, .drag = 0.12, .gravity = 0.01};
  const std::vector known = {tail_of(character, truth)};
  std::vector<Animation> simulated;
  for (const Animation& clip : character.clips) simulated.push_back(play_springs(character, clip, known));
  std::vector<SpringChain> chains = spring_chains(character, character.clips[0], simulated[0]);
  ASSERT_EQ(chains.size(), 1u);
  EXPECT_EQ(chains[0].bones, known[0].bones);
  EXPECT_LT((chains[0].end - known[0].end).norm(), 1e-12);
  const std::vector<SpringExample> examples = {{&character.clips[0], &simulated[0]},
                                               {&character.clips[1], &simulated[1]}};
  fit_springs(character, examples, chains);
  for (const SpringSettings& own : chains[0].settings) {
    EXPECT_NEAR(own.stiffness / truth.stiffness, 1, 0.1);
    EXPECT_NEAR(own.drag, truth.drag, 0.02);
  }
  const BakeError error =
      bake_error(character, {&character.clips[2], &simulated[2]}, play_springs(character, character.clips[2], chains));
  EXPECT_GT(error.unbaked, 0.01);
  EXPECT_LT(error.share(), 0.1);  // of a clip that was not fitted to
}

TEST(Springs, AreWrittenAsTheFormatHasThem) {
  const Character character = tailed(Vec3::UnitX());
  GltfFile file(to_glb(character), "t.glb");
  add_springs(file, std::vector{tail_of(file.character(), {.stiffness = 0.5, .drag = 0.25, .gravity = 0.125})});
  EXPECT_EQ(file.json("/extensionsUsed"), "[\"VRMC_springBone\"]");
  EXPECT_EQ(file.json("/extensions/VRMC_springBone/specVersion"), "\"1.0\"");
  const std::string spring = "/extensions/VRMC_springBone/springs/0";
  EXPECT_EQ(file.json(spring + "/name"), "\"tail\"");
  EXPECT_EQ(file.json(spring + "/joints/0/node"), std::to_string(file.node("tail_0")));
  EXPECT_EQ(file.json(spring + "/joints/3/dragForce"), "0.25");
  EXPECT_EQ(file.json(spring + "/joints/4/node"), std::to_string(file.node("tail_end")));
  add_springs(file, std::vector{tail_of(file.character(), {})});
  EXPECT_NO_THROW(file.json("/extensions/VRMC_springBone/springs/1"));
  const Character again = load_gltf(file.to_glb(), "u.glb");
  EXPECT_EQ(again.clips.size(), 3u);
}

}  // namespace
}  // namespace rigspace::gltf_springs_test
