#pragma once
// A rod of joints, and clips that move its root: shared by the tests of chains.

#include "rigspace/anim/character.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

namespace rigspace::testing {

/// A rod of `joints` joints along -y under a root that clips move: 1 m long.
inline Character make_rod(int joints) {
  auto graph = std::make_shared<ControlGraph>();
  Character character{.name = "rod"};
  const int root = add_node(*graph, {.name = "root"});
  character.bones.push_back({.name = "root", .parent = -1, .slot = root});
  const double bone = 1.0 / joints;
  SkinDescription skin;
  for (int j = 0; j < joints; ++j) {
    const std::string name = "tail_0" + std::to_string(j + 1);
    const int slot = add_node(
        *graph,
        {.name = name, .parent_slot = character.bones.back().slot, .translation = Vec3(0, j > 0 ? -bone : 0, 0)});
    character.bones.push_back({.name = name, .parent = j, .slot = slot});
    skin.joint_slots.push_back(slot);
    Affine inverse_bind = Affine::Identity();
    inverse_bind(1, 3) = j * bone;
    skin.inverse_bind.push_back(inverse_bind);
  }
  // A ribbon of quads in x, crossed by one in z, so that every turn moves skin.
  const int rings = 20;
  std::vector<double> points;
  Piece piece{.name = "ribbon"};
  for (int ring = 0; ring <= rings; ++ring)
    for (const Vec3& side : {Vec3(0.05, 0, 0), Vec3(-0.05, 0, 0), Vec3(0, 0, 0.05), Vec3(0, 0, -0.05)}) {
      const double y = static_cast<double>(ring) / rings;
      points.insert(points.end(), {side.x(), -y, side.z()});
      skin.influences.push_back({{std::min(joints - 1, static_cast<int>(y * joints)), 1.0}});
    }
  for (int ring = 0; ring < rings; ++ring)
    for (int k : {0, 2}) {
      const int a = 4 * ring + k;
      piece.triangles.push_back({a, a + 1, a + 4});
      piece.triangles.push_back({a + 1, a + 5, a + 4});
    }
  piece.point_count = static_cast<int>(points.size() / 3);
  character.pieces.push_back(piece);
  character.rig =
      std::make_shared<BuiltInRig>(graph, Eigen::Map<Vec>(points.data(), static_cast<Eigen::Index>(points.size())),
                                   std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(skin)});
  return character;
}

inline Animation root_clip(const char* control, std::vector<double> times, std::vector<double> values,
                           Interpolation interpolation) {
  Animation clip{.name = "move", .duration = times.back()};
  clip.tracks.push_back(
      {control, {.interpolation = interpolation, .times = std::move(times), .values = std::move(values)}});
  return clip;
}

}  // namespace rigspace::testing
