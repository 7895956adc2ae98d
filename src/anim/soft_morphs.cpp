#include "rigspace/rig/skeleton.h"
#include "soft_shares.h"

#include <algorithm>
#include <map>

namespace rigspace {
namespace {

/// A point of a piece, counted within it, and the weight that a joint has there.
struct Held {
  int point;
  double weight;
};

/// The bone that carries each slot: its own, or the nearest above it; -1 for none.
std::vector<int> bones_of_slots(const ControlGraph& graph, std::span<const Bone> bones) {
  std::vector<int> bone(graph.slots().size(), -1);
  for (std::size_t b = 0; b < bones.size(); ++b) bone[bones[b].slot] = static_cast<int>(b);
  for (int slot = 0; slot < static_cast<int>(bone.size()); ++slot)  // parents come first
    if (const int above = detail::slot_above(graph, slot); bone[slot] < 0 && above >= 0) bone[slot] = bone[above];
  return bone;
}

/// The node that shows each piece: further primitives of a mesh are called `<node>#2`, `<node>#3` ..
std::vector<std::string> mesh_nodes(const Character& character, const ControlGraph& graph) {
  std::vector<std::string> nodes;
  int primitives = 0;
  for (const Piece& piece : character.pieces) {
    const bool further = !nodes.empty() && piece.name == nodes.back() + "#" + std::to_string(primitives + 1) &&
                         graph.find(piece.name + ".tx") < 0;
    primitives = further ? primitives + 1 : 1;
    nodes.push_back(further ? nodes.back() : piece.name);
  }
  return nodes;
}

class SoftMorphs {
 public:
  SoftMorphs(const Character& character, const SoftJoints& soft)
      : character_(character),
        soft_(soft),
        rig_(detail::built_in_rig(character)),
        graph_(std::make_shared<ControlGraph>(rig_.graph())),
        bone_(bones_of_slots(rig_.graph(), character.bones)),
        mesh_node_(mesh_nodes(character, rig_.graph())) {
    const auto workspace = rig_.make_workspace();
    rig_.rest_jacobian(*workspace, rig_.rest(), ds_dX_);
    rig_.evaluate_slots(*workspace, rig_.rest(), u_rest_);
    piece_.assign(rig_.point_count(), -1);
    for (std::size_t k = 0; k < character.pieces.size(); ++k)
      std::fill_n(piece_.begin() + character.pieces[k].first_point, character.pieces[k].point_count,
                  static_cast<int>(k));
  }

  Character make() {
    gather();
    add_controls();
    Character result = character_;
    result.rig = std::make_shared<BuiltInRig>(graph_, rig_.points_rest(), deformers());
    return result;
  }

 private:
  using Key = std::pair<int, int>;  // piece and joint

  void gather() {
    std::vector<char> taken(soft_.share.size(), 0);
    for (const auto& deformer : rig_.deformers()) {
      const SkinDescription* skin = skin_description(*deformer);
      for (std::size_t k = 0; skin && k < skin->influences.size(); ++k) {
        const int point = skin->first_point + static_cast<int>(k);
        if (soft_.start[point] == soft_.start[point + 1]) continue;
        const int piece = piece_[point];
        for (int e = soft_.start[point]; piece >= 0 && e < soft_.start[point + 1]; ++e) {
          double weight = 0;
          for (const Influence& influence : skin->influences[k])
            if (bone_[skin->joint_slots[influence.joint]] == soft_.joints[soft_.joint[e]].parent)
              weight += influence.weight;
          if (taken[e] || !(weight * soft_.share[e] > 0)) continue;
          taken[e] = 1;
          held_[{piece, soft_.joint[e]}].push_back(
              {point - character_.pieces[piece].first_point, weight * soft_.share[e]});
        }
      }
    }
    detail::require_taken(character_, soft_, taken, "take from bones that hold it by a skin or carry its mesh");
  }

  /// One weight a mesh node, joint and axis, whatever the number of its pieces.
  void add_controls() {
    for (const auto& [key, held] : held_) {
      const auto& [piece, joint] = key;
      const auto [slots, added] = slots_.try_emplace({mesh_node_[piece], joint});
      if (!added) continue;
      const int bone_slot = character_.bones[soft_.joints[joint].parent].slot;
      const double to_scene =
          std::cbrt(std::abs(Mat3(linear(transform_at(u_rest_, graph_->slots()[bone_slot]))).determinant()));
      const double typical = detail::typical_length_below(*graph_, u_rest_, bone_slot) * to_scene;
      for (int axis = 0; axis < 3; ++axis) {
        const std::string name = mesh_node_[piece] + ":" + soft_.joints[joint].name + "_" + "xyz"[axis];
        if (graph_->find(name) >= 0)
          throw Error({.element = detail::label(soft_.joints[joint]),
                       .value = name,
                       .problem = "would make the morph \"" + name + "\", which the character has already",
                       .remedy = "choose another name"});
        slots->second[axis] =
            add_scalar(*graph_, {.name = name, .node = mesh_node_[piece], .typical = typical > 0 ? typical : 1});
      }
    }
  }

  /// Offsets d of a piece such that the point moves along axis k of the scene at rest:  (ds/dX) d = weight e_k.
  std::vector<MorphTarget> targets_of(int piece) const {
    std::vector<MorphTarget> targets;
    const int first = character_.pieces[piece].first_point;
    for (auto entry = held_.lower_bound({piece, 0}); entry != held_.end() && entry->first.first == piece; ++entry) {
      std::vector<Held> held = entry->second;
      std::sort(held.begin(), held.end(), [](const Held& a, const Held& b) { return a.point < b.point; });
      for (int axis = 0; axis < 3; ++axis) {
        MorphTarget target{.weight_slot = slots_.at({mesh_node_[piece], entry->first.second})[axis]};
        for (const Held& h : held) {
          const Mat3& A = ds_dX_[first + h.point];
          if (!(std::abs(A.determinant()) > kFlat * std::pow(A.norm(), 3))) continue;  // nothing can move it
          target.points.push_back(h.point);
          target.offsets.push_back(A.inverse() * (h.weight * Vec3::Unit(axis)));
        }
        targets.push_back(std::move(target));
      }
    }
    return targets;
  }

  /// Blend shapes of a piece come before its skin; those that it has get more targets.
  std::vector<std::shared_ptr<const Deformer>> deformers() const {
    std::vector<std::shared_ptr<const Deformer>> stack;
    std::vector<char> placed(character_.pieces.size(), 0);
    for (const auto& deformer : rig_.deformers()) {
      const bool skin = skin_description(*deformer) != nullptr;
      const auto old = morph_targets(*deformer);
      bool replaced = false;
      for (int k = 0; k < static_cast<int>(placed.size()); ++k) {
        const Piece& piece = character_.pieces[k];
        const bool same = deformer->first() == piece.first_point && deformer->count() == piece.point_count;
        const bool meets = deformer->first() < piece.first_point + piece.point_count &&
                           piece.first_point < deformer->first() + deformer->count();
        if (placed[k] || !(skin ? meets : same && !old.empty())) continue;
        std::vector<MorphTarget> targets(old.begin(), old.end());
        for (MorphTarget& target : targets_of(k)) targets.push_back(std::move(target));
        placed[k] = 1;
        if (targets.size() == old.size()) continue;
        stack.push_back(make_blend_shapes(piece.first_point, piece.point_count, targets));
        replaced = !skin;
      }
      if (!replaced) stack.push_back(deformer);
    }
    return stack;
  }

  static constexpr double kFlat = 1e-12;  // of a determinant, relative to its matrix' size

  const Character& character_;
  const SoftJoints& soft_;
  const BuiltInRig& rig_;
  std::shared_ptr<ControlGraph> graph_;
  std::vector<int> bone_;               // per slot
  std::vector<int> piece_;              // per point, -1 for none
  std::vector<std::string> mesh_node_;  // per piece
  std::vector<Mat3> ds_dX_;             // at rest
  Vec u_rest_;
  std::map<Key, std::vector<Held>> held_;
  std::map<std::pair<std::string, int>, std::array<int, 3>> slots_;  // by mesh node and joint
};

}  // namespace

Character with_soft_morphs(const Character& character, const SoftJoints& soft) {
  detail::built_in_rig(character);
  detail::validate(character, soft);
  for (const SoftJoint& joint : soft.joints)
    if (joint.above >= 0)
      throw Error({.element = detail::label(joint),
                   .value = joint.name,
                   .problem = "hangs on another soft joint, and morph targets cannot turn",
                   .remedy = "use soft joints"});
  return SoftMorphs(character, soft).make();
}

}  // namespace rigspace
