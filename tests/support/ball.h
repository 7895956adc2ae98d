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

/// Several balls in a row along x, `apart` metres from middle to middle, with bones `body_1`, `body_2` .. of their own.
inline Character make_balls(int count, double apart) {
  auto graph = std::make_shared<ControlGraph>();
  Character character{.name = "balls"};
  const int root = add_node(*graph, {.name = "root"});
  character.bones = {{.name = "root", .parent = -1, .slot = root}};
  const TriMesh ball = polygonise([](const Vec3& x) { return x.norm() - 0.3; },
                                  {.low = Vec3::Constant(-0.4), .high = Vec3::Constant(0.4), .cell = 0.06});
  SkinDescription skin{.joint_slots = {root}, .inverse_bind = {identity_affine()}};
  Vec points(count * ball.points.size());
  Piece piece{.name = "balls", .point_count = count * ball.point_count()};
  for (int k = 0; k < count; ++k) {
    const std::string name = "body_" + std::to_string(k + 1);
    const Vec3 middle(k * apart, 0, 0);
    const int slot = add_node(*graph, {.name = name, .parent_slot = root, .translation = middle});
    character.bones.push_back({.name = name, .parent = 0, .slot = slot});
    skin.joint_slots.push_back(slot);
    Affine inverse_bind = identity_affine();
    translation(inverse_bind) = -middle;
    skin.inverse_bind.push_back(inverse_bind);
    for (int i = 0; i < ball.point_count(); ++i) {
      points.segment<3>(3 * (k * ball.point_count() + i)) = ball.points.segment<3>(3 * i) + middle;
      skin.influences.push_back({{k + 1, 1.0}});
    }
    for (const Triangle& t : ball.triangles)
      piece.triangles.push_back(
          {t[0] + k * ball.point_count(), t[1] + k * ball.point_count(), t[2] + k * ball.point_count()});
  }
  character.pieces.push_back(std::move(piece));
  character.rig = std::make_shared<BuiltInRig>(
      graph, points, std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(skin)});
  return character;
}

}  // namespace rigspace::testing
