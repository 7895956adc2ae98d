#pragma once
// A ball of flesh on one bone, 0.6 m across: what the tests of flesh share.

#include "rigspace/anim/character.h"
#include "rigspace/geometry/polygonise.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

namespace rigspace::testing {

/// The bones are `root`, which clips move, and `body` in the middle, which holds all skin.
inline Character make_ball() {
  auto graph = std::make_shared<ControlGraph>();
  Character character{.name = "ball"};
  const int root = add_node(*graph, {.name = "root"});
  const int body = add_node(*graph, {.name = "body", .parent_slot = root});
  character.bones = {{.name = "root", .parent = -1, .slot = root}, {.name = "body", .parent = 0, .slot = body}};
  const TriMesh mesh = polygonise([](const Vec3& x) { return x.norm() - 0.3; },
                                  {.low = Vec3::Constant(-0.4), .high = Vec3::Constant(0.4), .cell = 0.06});
  SkinDescription skin{.joint_slots = {root, body}, .inverse_bind = {identity_affine(), identity_affine()}};
  skin.influences.assign(static_cast<std::size_t>(mesh.point_count()), {{1, 1.0}});
  character.pieces.push_back({.name = "ball", .point_count = mesh.point_count(), .triangles = mesh.triangles});
  character.rig = std::make_shared<BuiltInRig>(
      graph, mesh.points, std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(skin)});
  return character;
}

}  // namespace rigspace::testing
