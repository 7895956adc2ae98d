#include "rigspace/anim/character_frame.h"

#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace rigspace {
namespace {

/// The lowest bone above all bones that hold skin; of several trees, the root of the first that holds any. -1: none.
/// It depends on the tree alone, not on numbers that a turn would change.
int root_bone(const Character& character, const BuiltInRig& rig) {
  const int count = static_cast<int>(character.bones.size());
  std::map<int, int> bone_of_slot;
  for (int b = 0; b < count; ++b) bone_of_slot.emplace(character.bones[b].slot, b);
  std::vector<char> holds(static_cast<std::size_t>(count), 0);
  for (const auto& deformer : rig.deformers())
    if (const SkinDescription* skin = skin_description(*deformer))
      for (const auto& list : skin->influences)
        for (const Influence& influence : list)
          if (const auto bone = bone_of_slot.find(skin->joint_slots[influence.joint]);
              influence.weight > 0 && bone != bone_of_slot.end())
            holds[bone->second] = 1;
  std::vector<int> below(static_cast<std::size_t>(count), 0);  // holders at or below each bone
  int all = 0, first = -1;
  for (int b = 0; b < count; ++b) {
    if (!holds[b]) continue;
    ++all;
    for (int up = b; up >= 0; up = character.bones[up].parent) {
      ++below[up];
      if (first < 0 && character.bones[up].parent < 0) first = up;
    }
  }
  int root = -1;
  for (int b = 0; b < count; ++b) {
    if (all == 0 || below[b] != all) continue;
    const auto above = [&](int up, int bone) {
      while (bone >= 0 && bone != up) bone = character.bones[bone].parent;
      return bone == up;
    };
    if (root < 0 || above(root, b)) root = b;
  }
  return root >= 0 ? root : first;
}

/// The most level axis of a transform; x before z before y where they are about as level. None if it is flat.
std::optional<Vec3> level_axis(const Affine& world) {
  constexpr double kAsLevel = 1e-3;  // of the length of an axis
  std::array<Vec3, 3> axes;
  double least = 1;
  for (const int k : {0, 2, 1}) {
    const Vec3 axis = linear(world).col(k);
    if (!(axis.norm() > 0) || !axis.allFinite()) return std::nullopt;
    axes[k] = axis.normalized();
    least = std::min(least, std::abs(axes[k].y()));
  }
  for (const int k : {0, 2, 1})
    if (std::abs(axes[k].y()) <= least + kAsLevel && std::hypot(axes[k].x(), axes[k].z()) > 0.1) return axes[k];
  return std::nullopt;
}

}  // namespace

OwnFrame character_frame(const Character& character, const TriMesh& rest_surface) {
  if (const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get()))
    if (const int bone = root_bone(character, *rig); bone >= 0) {
      Vec u;
      rig->evaluate_slots(*rig->make_workspace(), rig->rest(), u);
      if (const auto axis = level_axis(transform_at(u, rig->graph().slots()[character.bones[bone].slot])))
        return own_frame(rest_surface.points, turn_along(*axis));
    }
  return own_frame(rest_surface.points, principal_turn(rest_surface));
}

OwnFrame character_frame(const Character& character) { return character_frame(character, rest_surface(character)); }

}  // namespace rigspace
