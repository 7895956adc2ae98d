#include "sheet_shells.h"

#include "rigspace/anim/soft_joints.h"

#include <algorithm>
#include <set>

namespace rigspace {
namespace {

constexpr double kRigidPoint = 0.9;  // of a point's weight, that its bone has

}  // namespace

Shells shells_of(const Character& character, const BuiltInRig& rig) {
  Shells shells;
  const TriMesh surface = rest_surface(character);
  const int points = surface.point_count();
  Weld weld_of_all = weld(surface);
  shells.mesh = std::move(weld_of_all.mesh), shells.welded = std::move(weld_of_all.point);
  shells.components = connected_components(shells.mesh);
  shells.bone.assign(points, -1), shells.rigid.assign(points, 0);
  shells.piece.assign(points, -1);
  for (std::size_t k = 0; k < character.pieces.size(); ++k)
    std::fill_n(shells.piece.begin() + character.pieces[k].first_point, character.pieces[k].point_count,
                static_cast<int>(k));
  Box skinned;
  Vec u_rest;
  rig.evaluate_slots(*rig.make_workspace(), rig.rest(), u_rest);
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr) continue;
    std::vector<int> bone;
    for (const int slot : skin->joint_slots) bone.push_back(carrying_bone(character, slot));
    // A skin cannot mirror what its mesh node mirrors.
    const bool mirrored =
        skin->joint_slots.size() == 1 &&
        Mat3(linear(transform_at(u_rest, rig.graph().slots()[skin->joint_slots[0]]))).determinant() < 0;
    const bool splits = is_linear_skin(*deformer) && !mirrored;
    for (std::size_t k = 0; k < skin->influences.size(); ++k) {
      const int i = skin->first_point + static_cast<int>(k);
      double most = 0;
      for (const Influence& influence : skin->influences[k])
        if (influence.weight > most) {
          most = influence.weight;
          shells.bone[i] = bone[influence.joint];
        }
      shells.rigid[i] = splits && most >= kRigidPoint;
      if (skin->joint_slots.size() > 1) skinned.include(point(surface.points, i));
    }
  }
  std::vector<int> bone_of_point(static_cast<std::size_t>(shells.mesh.point_count()), -1);
  for (int i = 0; i < points; ++i) bone_of_point[shells.welded[i]] = shells.bone[i];
  for (const auto& [a, b, c] : shells.mesh.triangles)
    shells.bone_of_triangle.push_back(
        bone_of_point[a] == bone_of_point[b] && bone_of_point[a] == bone_of_point[c] ? bone_of_point[a] : -1);
  shells.height = (skinned.empty() ? bounding_box(surface.points) : skinned).size().y();
  return shells;
}

std::map<int, std::vector<int>> rigid_shells(const Shells& shells) {
  std::vector<int> shell_of(static_cast<std::size_t>(shells.mesh.point_count()), -1);
  for (int t = 0; t < shells.mesh.triangle_count(); ++t)
    for (const int corner : shells.mesh.triangles[t]) shell_of[corner] = shells.components.of_triangle[t];
  std::map<int, std::vector<int>> points;
  std::set<int> mixed;
  for (int i = 0; i < static_cast<int>(shells.welded.size()); ++i) {
    const int shell = shell_of[shells.welded[i]];
    if (shell < 0 || shells.piece[i] < 0) continue;
    std::vector<int>& own = points[shell];
    if (!shells.rigid[i] || shells.bone[i] < 0 || (!own.empty() && shells.bone[own.front()] != shells.bone[i]))
      mixed.insert(shell);
    own.push_back(i);
  }
  std::erase_if(points, [&](const auto& each) { return mixed.contains(each.first); });
  return points;
}

TriMesh without_unused_points(const TriMesh& mesh) {
  std::vector<int> number(static_cast<std::size_t>(mesh.point_count()), -1), used;
  TriMesh result;
  for (Triangle triangle : mesh.triangles) {
    for (int& corner : triangle) {
      if (number[corner] < 0) number[corner] = static_cast<int>(used.size()), used.push_back(corner);
      corner = number[corner];
    }
    result.triangles.push_back(triangle);
  }
  result.points.resize(3 * static_cast<Eigen::Index>(used.size()));
  for (std::size_t k = 0; k < used.size(); ++k) point(result.points, static_cast<int>(k)) = point(mesh.points, used[k]);
  return result;
}

}  // namespace rigspace
