#include "rigspace/apps/sketch/nested_joints.h"

#include "rigspace/body/joint_points.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

namespace rigspace {
namespace {

constexpr std::size_t kFewest = 4;

std::string first_word(const std::string& name) {
  std::size_t end = 0;
  while (end < name.size() && std::isalpha(static_cast<unsigned char>(name[end]))) ++end;
  return name.substr(0, end);
}

/// Prim's tree over some bones from `root`, each new one carried by the nearest that is in the tree.
void join_nearest(const std::vector<Vec3>& joints, std::vector<int> open, int root, std::vector<int>& parent) {
  std::vector<int> done{root};
  std::erase(open, root);
  while (!open.empty()) {
    double best = std::numeric_limits<double>::infinity();
    int from = -1, to = -1;
    for (const int a : done)
      for (const int b : open)
        if (const double d = (joints[a] - joints[b]).norm(); d < best) best = d, from = a, to = b;
    parent[static_cast<std::size_t>(to)] = from;
    done.push_back(to);
    std::erase(open, to);
  }
}

int nearest_of(const std::vector<Vec3>& joints, const std::vector<int>& among, const Vec3& x) {
  return *std::min_element(among.begin(), among.end(),
                           [&](int a, int b) { return (joints[a] - x).norm() < (joints[b] - x).norm(); });
}

bool flat(const Character& character) {
  return character.bones.size() >= kFewest &&
         std::all_of(character.bones.begin(), character.bones.end(), [](const Bone& bone) { return bone.parent < 0; });
}

Affine inverse_of(const Affine& a) {
  Affine inverse;
  linear(inverse) = Mat3(linear(a)).inverse();
  translation(inverse) = -linear(inverse) * translation(a);
  return inverse;
}

/// Whether a control has the same value in both: scales, and all of what is no bone.
bool placeless(const Character& character, std::size_t control) {
  const Control& which = character.rig->controls()[control];
  return which.unit == Unit::scale || std::none_of(character.bones.begin(), character.bones.end(),
                                                   [&](const Bone& bone) { return bone.name == which.node; });
}

/// The controls of `to` for which its bones stand where those of `from` stand at p; parents come first in slots.
Vec same_places(const Character& from, In p, const Character& to, Vec q) {
  const auto& rig_from = dynamic_cast<const BuiltInRig&>(*from.rig);
  const auto& rig_to = dynamic_cast<const BuiltInRig&>(*to.rig);
  Vec u_from, u_to;
  rig_from.evaluate_slots(*rig_from.make_workspace(), p, u_from);
  const auto workspace = rig_to.make_workspace();
  std::vector<std::pair<int, std::size_t>> by_slot;
  for (std::size_t b = 0; b < to.bones.size(); ++b) by_slot.emplace_back(to.bones[b].slot, b);
  std::sort(by_slot.begin(), by_slot.end());
  for (const auto& [slot, b] : by_slot) {
    rig_to.evaluate_slots(*workspace, q, u_to);
    const NodeDescription& node = *node_description(rig_to.graph(), slot);
    const int first = first_control(rig_to.graph(), slot);
    Affine local = slot_transform(rig_from, u_from, from.bones[b].slot);
    if (node.parent_slot >= 0) local = compose(inverse_of(slot_transform(rig_to, u_to, node.parent_slot)), local);
    const Mat3 key = Quat(q[first + 6], q[first + 3], q[first + 4], q[first + 5]).normalized().toRotationMatrix();
    const Mat3 turn = linear(local) * Vec3(q.segment<3>(first + 10)).cwiseInverse().asDiagonal();
    q.segment<3>(first) = translation(local);
    q.segment<3>(first + 7) = rotation_log(key.transpose() * turn);
  }
  return q;
}

}  // namespace

std::vector<int> likely_parents(const std::vector<std::string>& names, const std::vector<Vec3>& joints) {
  std::vector<int> parent(joints.size(), -1), all;
  std::map<std::string, std::vector<int>> groups;
  for (std::size_t b = 0; b < joints.size(); ++b)
    all.push_back(static_cast<int>(b)), groups[first_word(names[b])].push_back(static_cast<int>(b));
  std::vector<int> alone;  // of a name of their own
  std::size_t chains = 0;
  for (const auto& [word, members] : groups) {
    if (members.size() == 1) alone.push_back(members[0]);
    if (members.size() > 1 && !word.empty()) ++chains;
  }
  const bool named = chains >= 2;
  // The root: of those that belong to no chain, else of all, the one that has the others nearest.
  const std::vector<int>& candidates = named && !alone.empty() ? alone : all;
  const auto sum = [&](int a) {
    double distances = 0;
    for (const Vec3& x : joints) distances += (x - joints[static_cast<std::size_t>(a)]).norm();
    return distances;
  };
  const int root =
      *std::min_element(candidates.begin(), candidates.end(), [&](int a, int b) { return sum(a) < sum(b); });
  if (!named) {
    join_nearest(joints, all, root, parent);
    return parent;
  }
  for (const auto& [word, members] : groups) {
    if (std::find(members.begin(), members.end(), root) != members.end()) {
      join_nearest(joints, members, root, parent);
      continue;
    }
    const int first = nearest_of(joints, members, joints[static_cast<std::size_t>(root)]);
    parent[static_cast<std::size_t>(first)] = root;
    join_nearest(joints, members, first, parent);
  }
  return parent;
}

std::optional<NestedCharacter> nest_joints(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr || !flat(character)) return std::nullopt;
  const ControlGraph& graph = rig->graph();
  Vec u;
  rig->evaluate_slots(*rig->make_workspace(), rig->rest(), u);
  std::vector<std::string> names;
  std::vector<Vec3> joints;
  std::map<int, std::size_t> bone_at;  // of a slot
  for (std::size_t b = 0; b < character.bones.size(); ++b) {
    names.push_back(character.bones[b].name);
    joints.push_back(translation(slot_transform(*rig, u, character.bones[b].slot)));
    bone_at[character.bones[b].slot] = b;
  }
  const std::vector<int> parents = likely_parents(names, joints);

  const int slots = static_cast<int>(graph.slots().size());
  for (int slot = 0; slot < slots; ++slot)
    if (const NodeDescription* node = node_description(graph, slot);
        node == nullptr || !node->driven.empty() || (bone_at.contains(slot) && !node->constant.isIdentity()))
      return std::nullopt;
  auto nested = std::make_shared<ControlGraph>();
  std::vector<int> moved(static_cast<std::size_t>(slots), -1);  // where a slot is now
  // A bone is added after the one that carries it.
  const auto add = [&](const auto& self, int slot) -> void {
    if (moved[static_cast<std::size_t>(slot)] >= 0) return;
    NodeDescription node = *node_description(graph, slot);
    const auto bone = bone_at.find(slot);
    if (node.parent_slot >= 0) self(self, node.parent_slot);
    if (bone != bone_at.end() && parents[bone->second] >= 0) {
      const int above = character.bones[static_cast<std::size_t>(parents[bone->second])].slot;
      self(self, above);
      const Affine local = compose(inverse_of(slot_transform(*rig, u, above)), slot_transform(*rig, u, slot));
      node.parent_slot = above;
      node.translation = translation(local);
      node.rotation = Quat(Mat3(linear(local) * node.scale.cwiseInverse().asDiagonal()));
    }
    if (node.parent_slot >= 0) node.parent_slot = moved[static_cast<std::size_t>(node.parent_slot)];
    moved[static_cast<std::size_t>(slot)] = add_node(*nested, node);
  };
  for (int slot = 0; slot < slots; ++slot) add(add, slot);
  std::vector<std::shared_ptr<const Deformer>> deformers;
  for (const auto& deformer : rig->deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr || !is_linear_skin(*deformer)) return std::nullopt;
    SkinDescription own = *skin;
    for (int& slot : own.joint_slots) slot = moved[static_cast<std::size_t>(slot)];
    deformers.push_back(make_linear_blend_skin(own));
  }
  NestedCharacter result{.character = character};
  for (std::size_t b = 0; b < character.bones.size(); ++b)
    result.character.bones[b] = {
        .name = names[b], .parent = parents[b], .slot = moved[static_cast<std::size_t>(character.bones[b].slot)]};
  for (const Control& control : graph.controls()) result.control_of.push_back(nested->find(control.name));
  result.character.rig = std::make_shared<BuiltInRig>(std::move(nested), rig->points_rest(), std::move(deformers));
  result.character.clips.clear();
  return result;
}

Vec NestedCharacter::to_nested(const Character& original, In p) const {
  Vec q = character.rig->rest();
  for (Eigen::Index c = 0; c < p.size(); ++c)
    if (placeless(original, static_cast<std::size_t>(c))) q[control_of[static_cast<std::size_t>(c)]] = p[c];
  return same_places(original, p, character, std::move(q));
}

Vec NestedCharacter::to_original(const Character& original, In p) const {
  Vec q = original.rig->rest();
  for (Eigen::Index c = 0; c < q.size(); ++c)
    if (placeless(original, static_cast<std::size_t>(c))) q[c] = p[control_of[static_cast<std::size_t>(c)]];
  return same_places(character, p, original, std::move(q));
}

}  // namespace rigspace
