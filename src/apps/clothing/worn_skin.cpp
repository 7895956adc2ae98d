#include "rigspace/apps/clothing/worn_skin.h"

#include "rigspace/base/affine.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <map>
#include <string>

namespace rigspace {
namespace {

[[noreturn]] void refuse_body(const Character& character, const char* problem) {
  throw Error({.element = "character \"" + character.name + "\"",
               .problem = problem,
               .remedy = "a garment follows the joints of a skinned body"});
}

/// Of the skins' points, the influences by slot of the graph.
std::vector<std::map<int, double>> slot_weights(const BuiltInRig& rig) {
  std::vector<std::map<int, double>> by_slot(rig.point_count());
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr) continue;
    for (std::size_t k = 0; k < skin->influences.size(); ++k)
      for (const Influence& own : skin->influences[k])
        if (own.weight > 0) by_slot[skin->first_point + k][skin->joint_slots[own.joint]] += own.weight;
  }
  return by_slot;
}

}  // namespace

WornSkin::WornSkin(const Character& character)
    : owner_(character.rig), rig_(dynamic_cast<const BuiltInRig*>(character.rig.get())) {
  if (rig_ == nullptr) refuse_body(character, "has a rig whose joints cannot be seen");
  const std::vector<std::map<int, double>> by_slot = slot_weights(*rig_);
  std::map<int, int> joint_of;
  for (const auto& list : by_slot)
    for (const auto& [slot, weight] : list) joint_of.emplace(slot, 0);
  if (joint_of.empty()) refuse_body(character, "has no skin");
  for (auto& [slot, joint] : joint_of) joint = static_cast<int>(slots_.size()), slots_.push_back(slot);

  const auto workspace = make_workspace();
  Vec s;
  rig_->evaluate(*workspace, rig_->rest(), s);
  std::vector<int> number(rig_->point_count(), -1);
  std::vector<double> flat;
  for (const Piece& piece : character.pieces) {
    if (!piece.drawn) continue;
    for (Triangle t : piece.triangles) {
      if (std::any_of(t.begin(), t.end(), [&](int v) { return by_slot[v].empty(); })) continue;
      for (int& v : t) {
        if (number[v] < 0) {
          number[v] = static_cast<int>(influences_.size());
          flat.insert(flat.end(), s.data() + 3 * v, s.data() + 3 * v + 3);
          double sum = 0;
          for (const auto& [slot, weight] : by_slot[v]) sum += weight;
          influences_.emplace_back();
          for (const auto& [slot, weight] : by_slot[v]) influences_.back().push_back({joint_of[slot], weight / sum});
        }
        v = number[v];
      }
      surface_.triangles.push_back(t);
    }
  }
  surface_.points = Eigen::Map<const Vec>(flat.data(), static_cast<Eigen::Index>(flat.size()));

  Vec u;
  rig_->evaluate_slots(*workspace, rig_->rest(), u);
  for (const int slot : slots_) from_rest_.push_back(inverse(transform_at(u, rig_->graph().slots()[slot])));
  std::map<int, int> bone_of;
  for (std::size_t b = 0; b < character.bones.size(); ++b) bone_of[character.bones[b].slot] = static_cast<int>(b);
  for (const int slot : slots_) {
    parents_.push_back(-1);
    bones_.push_back(bone_of.contains(slot) ? bone_of[slot] : -1);
    if (!bone_of.contains(slot)) continue;
    for (int b = character.bones[bone_of[slot]].parent; b >= 0 && parents_.back() < 0; b = character.bones[b].parent)
      if (const auto found = joint_of.find(character.bones[b].slot); found != joint_of.end())
        parents_.back() = found->second;
  }
}

void WornSkin::transforms(Workspace& workspace, In p, std::vector<Affine>& C) const {
  Vec u;
  rig_->evaluate_slots(workspace, p, u);
  C.resize(slots_.size());
  for (std::size_t j = 0; j < slots_.size(); ++j)
    C[j] = compose(transform_at(u, rig_->graph().slots()[slots_[j]]), from_rest_[j]);
}

int WornSkin::common_joint(std::span<const std::vector<Influence>> influences) const {
  const auto to_root = [&](int joint) {
    std::vector<int> path;
    for (; joint >= 0; joint = parents_[joint]) path.insert(path.begin(), joint);
    return path;
  };
  std::vector<int> common;
  bool first = true;
  std::vector<char> seen(slots_.size(), 0);
  for (const auto& list : influences)
    for (const Influence& own : list) {
      if (own.weight < 1e-3 || seen[own.joint]) continue;
      seen[own.joint] = 1;
      const std::vector<int> path = to_root(own.joint);
      if (first) common = path;
      first = false;
      const auto end = std::mismatch(common.begin(), common.end(), path.begin(), path.end()).first;
      common.erase(end, common.end());
    }
  return common.empty() ? -1 : common.back();
}

}  // namespace rigspace
