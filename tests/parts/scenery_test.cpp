// Floors and skies in a file count for nothing.

#include "rigspace/parts/scenery.h"

#include "rigspace/parts/part_finder.h"
#include "support/doll.h"

#include <gtest/gtest.h>

#include <set>

namespace rigspace::scenery_test {
namespace {

using testing::Doll;

std::set<std::string> names_of_found(const Character& character) {
  std::set<std::string> names;
  for (const Part& part : find_parts(character)) names.insert(part.name);
  return names;
}

// A floor of its own mesh, still, with and without a joint; a sky around all; an animal that walks on the first.
Character on_a_set(bool floor_joint, bool sky) {
  Doll dog = Doll::quadruped();
  const int ground = dog.add("Set", -1, {0, 0, 0}, 0);
  Character character = dog.make();
  const auto& rig = static_cast<const BuiltInRig&>(*character.rig);
  Vec points(rig.points_rest().size() + 3 * 4);
  points.head(rig.points_rest().size()) = rig.points_rest();
  const int first = rig.point_count();
  const double wide = sky ? 30 : 4;
  for (int k = 0; k < 4; ++k)
    point(points, first + k) = Vec3(k % 2 == 0 ? -wide : wide, sky && k == 3 ? 20 : 0, k < 2 ? -wide : wide);
  Piece piece{.name = "Plane", .first_point = first, .point_count = 4};
  piece.triangles = {{first, first + 1, first + 2}, {first + 1, first + 3, first + 2}};
  character.pieces.push_back(piece);
  std::vector<std::shared_ptr<const Deformer>> deformers(rig.deformers().begin(), rig.deformers().end());
  if (floor_joint) {
    const int slot = character.bones[static_cast<std::size_t>(ground)].slot;
    SkinDescription skin{.first_point = first, .joint_slots = {slot}, .inverse_bind = {identity_affine()}};
    skin.influences.assign(4, {{0, 1.0}});
    deformers.push_back(make_linear_blend_skin(skin));
  }
  character.rig = std::make_shared<BuiltInRig>(rig.shared_graph(), points, deformers);
  return character;
}

TEST(Scenery, AFloorAndASkyCountForNothing) {
  const std::set<std::string> alone = names_of_found(Doll::quadruped().make());
  EXPECT_TRUE(alone.contains("belly"));
  for (const bool joint : {false, true})
    for (const bool sky : {false, true}) {
      const Character character = on_a_set(joint, sky);
      EXPECT_EQ(scenery_of(character), std::vector<int>{1}) << joint << sky;
      EXPECT_EQ(names_of_found(character), alone) << joint << sky;
      const Character bare = without_scenery(character);
      ASSERT_EQ(bare.rig->point_count(), character.rig->point_count());
      const Box box = bounding_box(rest_surface(bare).points);
      const Box own = bounding_box(rest_surface(Doll::quadruped().make()).points);
      EXPECT_LT((box.low - own.low).norm() + (box.high - own.high).norm(), 1e-9);
    }
}

TEST(Scenery, GoesWithTheCharacterInAllPoses) {
  Character character = on_a_set(false, false);
  character.clips[0].tracks = {{"Hips.tz", {.times = {0, 1}, .values = {0, 500}}}};
  const Character bare = without_scenery(character);
  Vec s;
  bare.rig->evaluate(*bare.rig->make_workspace(), pose_at(bare, &bare.clips[0], 1), s);
  EXPECT_LT(bounding_box(s).size().z(), 5);
}

TEST(Scenery, WhatMovesOrIsWornIsNone) {
  EXPECT_TRUE(scenery_of(Doll::quadruped().make()).empty());
  Character carpet = on_a_set(true, false);  // a carpet that flies
  carpet.clips[0].tracks = {{"Set.ty", {.times = {0, 1}, .values = {0, 1}}}};
  EXPECT_TRUE(scenery_of(carpet).empty());
  Doll truck;
  truck.rigid = true;
  const int hull = truck.add("Hull", -1, {0, 1.6, 0}, 1.5);
  for (const double z : {-0.5, 0.5}) truck.key(truck.add_pair("Wheel" + std::to_string(z), hull, {0.5, 0.2, z}, 0.2));
  EXPECT_TRUE(scenery_of(truck.make()).empty());
  Character still = on_a_set(true, false);
  still.clips.clear();
  EXPECT_TRUE(scenery_of(still).empty());
}

}  // namespace
}  // namespace rigspace::scenery_test
