#include "rigspace/parts/reference_pose.h"

#include "rigspace/anim/point_joints.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <optional>

namespace rigspace {
namespace {

constexpr double kSame = 1e-3;  // of the linear part; and of the size

const BuiltInRig& jointed_rig(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr || character.bones.empty())
    throw Error({.file = character.name,
                 .element = "motion",
                 .problem = "has no joints",
                 .remedy = "give a file with a skeleton: .bvh, .glb, .gltf, .rig.json"});
  return *rig;
}

/// Inverse bind matrices by bone: of the first skin that has the bone.
std::vector<std::optional<Affine>> inverse_binds(const Character& character, const BuiltInRig& rig) {
  std::vector<std::optional<Affine>> result(character.bones.size());
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr || !is_linear_skin(*deformer)) continue;
    // One skin only: the next may have been bound in another space.
    bool any = false;
    for (std::size_t b = 0; b < character.bones.size(); ++b) {
      const auto at = std::ranges::find(skin->joint_slots, character.bones[b].slot);
      if (at == skin->joint_slots.end()) continue;
      const Affine& bind = skin->inverse_bind[static_cast<std::size_t>(at - skin->joint_slots.begin())];
      if (std::abs(Mat3(linear(bind)).determinant()) > 1e-12 * std::pow(linear(bind).norm(), 3)) result[b] = bind;
      any = true;
    }
    if (any) break;
  }
  return result;
}

double difference(const Mat3& a, const Mat3& b) {
  return (a - b).norm() / std::max(1e-300, std::max(a.norm(), b.norm()));
}

/// Of rigs in other processes, from four points of each joint.
std::vector<Affine> measured_transforms(const Character& character, const PointJoints& joints, In p) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  std::vector<Affine> result;
  for (const int first : joints.first) {
    Affine world = Affine::Identity();
    translation(world) = point(s, first);
    for (int k = 0; k < 3; ++k) linear(world).col(k) = (point(s, first + 1 + k) - point(s, first)).normalized();
    result.push_back(world);
  }
  return result;
}

}  // namespace

std::vector<Affine> bone_transforms(const Character& character, In p) {
  if (const PointJoints* joints = point_joints(character)) return measured_transforms(character, *joints, p);
  const BuiltInRig& rig = jointed_rig(character);
  Vec slots;
  rig.evaluate_slots(*rig.make_workspace(), p, slots);
  std::vector<Affine> result;
  for (const Bone& bone : character.bones) result.push_back(transform_at(slots, rig.graph().slots()[bone.slot]));
  return result;
}

ReferencePose reference_pose(const Character& character) {
  if (const PointJoints* joints = point_joints(character))
    return {.world = measured_transforms(character, *joints, character.rig->rest())};
  const BuiltInRig& rig = jointed_rig(character);
  ReferencePose pose{.world = bone_transforms(character, rig.rest())};
  const auto binds = inverse_binds(character, rig);
  const auto first = std::ranges::find_if(binds, [](const auto& each) { return each.has_value(); });
  if (first == binds.end()) return pose;
  const auto root = static_cast<std::size_t>(first - binds.begin());
  double size = 0;
  for (const Affine& each : pose.world)
    size = std::max(size, (translation(each) - translation(pose.world[root])).norm());
  const Affine of_root = compose(pose.world[root], **first);
  Affine G = of_root;
  // Where the first bone itself is posed, its parent node is not. What was bound as it stands in the scene is not
  // posed.
  const bool in_scene = (linear(of_root) - Mat3::Identity()).norm() < 1e-6 && translation(of_root).norm() < 1e-6 * size;
  if (const NodeDescription* node = node_description(rig.graph(), character.bones[root].slot);
      node != nullptr && !in_scene) {
    Affine parent = Affine::Identity();
    if (node->parent_slot >= 0) {
      Vec slots;
      rig.evaluate_slots(*rig.make_workspace(), rig.rest(), slots);
      parent = transform_at(slots, rig.graph().slots()[node->parent_slot]);
    }
    const double ratio = linear(parent).norm() / std::max(1e-300, linear(of_root).norm());
    if (std::abs(ratio - 1) < kSame && difference(linear(parent), linear(of_root)) > kSame) G = parent;
  }
  std::vector<Affine> bound = pose.world;
  double turned = 0, moved = 0;
  for (std::size_t b = 0; b < bound.size(); ++b) {
    const int parent = character.bones[b].parent;
    if (binds[b]) {
      bound[b] = compose(G, inverse(*binds[b]));
      turned = std::max(turned, difference(linear(bound[b]), linear(pose.world[b])));
      moved = std::max(moved, (translation(bound[b]) - translation(pose.world[b])).norm());
    } else if (parent >= 0) {
      const auto above = static_cast<std::size_t>(parent);
      bound[b] = compose(bound[above], compose(inverse(pose.world[above]), pose.world[b]));
    }
  }
  if (turned < kSame && moved < kSame * size) return pose;
  return {.world = std::move(bound), .from_skin = true};
}

}  // namespace rigspace
