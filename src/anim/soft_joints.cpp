#include "rigspace/anim/soft_joints.h"

#include "rigspace/base/affine.h"
#include "rigspace/rig/skeleton.h"
#include "soft_shares.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_set>

namespace rigspace {
namespace {

using detail::label;

/// L^-1 of translations and rotations.
Affine inverse_rest(const SoftJoints& soft, int joint) {
  const Affine L = detail::rest_in_parent(soft, joint);
  Affine back;
  back.leftCols<3>() = L.leftCols<3>().transpose();
  back.col(3) = -(back.leftCols<3>() * L.col(3));
  return back;
}

/// Names of nodes and of bones, which no new node may have.
void require_new_names(const Character& character, const SoftJoints& soft) {
  std::unordered_set<std::string> known;
  for (const Control& control : character.rig->controls()) known.insert(control.node);
  for (const Bone& bone : character.bones) known.insert(bone.name);
  for (const SoftJoint& joint : soft.joints)
    if (known.contains(joint.name))
      throw Error({.element = label(joint),
                   .value = joint.name,
                   .problem = "has the name of a node that the character has already",
                   .remedy = "choose another"});
}

/// Nodes below their parents and bones; returns the nodes' slots.
std::vector<int> add_joints(ControlGraph& graph, const SoftJoints& soft, In u_rest, std::vector<Bone>& bones) {
  std::vector<int> slots;
  const int first = static_cast<int>(bones.size());
  for (const SoftJoint& joint : soft.joints) {
    const int bone_slot = bones[joint.parent].slot;
    slots.push_back(add_node(graph, {.name = joint.name,
                                     .parent_slot = joint.above < 0 ? bone_slot : slots[joint.above],
                                     .translation = joint.translation,
                                     .rotation = joint.rotation.normalized(),
                                     .typical_length = detail::typical_length_below(graph, u_rest, bone_slot)}));
    bones.push_back(
        {.name = joint.name, .parent = joint.above < 0 ? joint.parent : first + joint.above, .slot = slots.back()});
  }
  return slots;
}

/// A mesh that follows a node, as a skin on the bone that carries the node. Nothing if it is another kind of skin, or
/// no bone carries it.
std::optional<SkinDescription> skin_on_bone(const Character& character, const SkinDescription& skin,
                                            const ControlGraph& graph, In u_rest) {
  if (skin.joint_slots.size() != 1) return std::nullopt;
  const int bone = carrying_bone(character, skin.joint_slots[0]);
  if (bone < 0 || character.bones[bone].slot == skin.joint_slots[0]) return std::nullopt;
  const Affine world = transform_at(u_rest, graph.slots()[character.bones[bone].slot]);
  if (!(std::abs(Mat3(linear(world)).determinant()) > 0)) return std::nullopt;
  SkinDescription held = skin;
  held.inverse_bind[0] =
      compose(compose(inverse(world), transform_at(u_rest, graph.slots()[skin.joint_slots[0]])), skin.inverse_bind[0]);
  held.joint_slots[0] = character.bones[bone].slot;
  return held;
}

/// Splits the weights of one skin.
class SkinSplit {
 public:
  SkinSplit(const SkinDescription& skin, const SoftJoints& soft, std::span<const Bone> bones,
            std::span<const int> soft_slots, int max_influences)
      : skin_(skin), soft_(soft), bones_(bones), soft_slots_(soft_slots), most_(max_influences) {
    for (std::size_t j = 0; j < skin.joint_slots.size(); ++j) source_.push_back(static_cast<int>(j));
  }

  /// True if anything was split; marks the shares that were taken, counts the points that lost an influence.
  bool split(std::vector<char>& taken, int& reduced) {
    bool any = false;
    for (std::size_t k = 0; k < skin_.influences.size(); ++k) {
      const std::size_t before = skin_.influences[k].size();
      if (!split_point(k, taken)) continue;
      any = true;
      reduced += reduce(skin_.influences[k], std::max(most_, before));
    }
    return any;
  }

  const SkinDescription& skin() const { return skin_; }

 private:
  /// w_soft = share w_P,  w_P <- (1 - sum of shares) w_P.
  bool split_point(std::size_t k, std::vector<char>& taken) {
    const int point = skin_.first_point + static_cast<int>(k);
    std::vector<Influence> old = skin_.influences[k], added;
    for (Influence& influence : old) {
      double left = 1;
      for (int e = soft_.start[point]; e < soft_.start[point + 1]; ++e) {
        const int s = soft_.joint[e];
        if (bones_[soft_.joints[s].parent].slot != skin_.joint_slots[influence.joint]) continue;
        if (!(soft_.share[e] > 0) || !(influence.weight > 0)) continue;
        taken[e] = 1;
        added.push_back({joint_of(influence.joint, s), soft_.share[e] * influence.weight});
        left -= soft_.share[e];
      }
      influence.weight *= left > kNothing ? left : 0;
    }
    if (added.empty()) return false;
    std::erase_if(old, [](const Influence& influence) { return influence.weight == 0; });
    old.insert(old.end(), added.begin(), added.end());
    skin_.influences[k] = std::move(old);
    return true;
  }

  /// The skin's joint for soft joint s that takes from joint j.
  int joint_of(int j, int s) {
    const auto [found, added] = joints_.try_emplace({j, s}, static_cast<int>(skin_.joint_slots.size()));
    if (added) {
      skin_.joint_slots.push_back(soft_slots_[s]);
      skin_.inverse_bind.push_back(compose(inverse_rest(soft_, s), skin_.inverse_bind[j]));
      source_.push_back(j);
    }
    return found->second;
  }

  /// Joints of one source move a point alike when muted: what one of them leaves goes to the largest other. That costs
  /// some of the soft motion, which is small beside what bones do; a weight of another bone costs the muted skin.
  bool reduce(std::vector<Influence>& influences, std::size_t most) const {
    const bool needed = influences.size() > most;
    while (influences.size() > most) {
      std::size_t least = 0;
      double least_harm = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < influences.size(); ++k) {
        const double harm = influences[k].weight * (heir(influences, k) >= 0 ? kSoftMotion : 1);
        if (harm < least_harm) least_harm = harm, least = k;
      }
      const int to = heir(influences, least);
      const double gone = influences[least].weight;
      double sum = 0;
      for (const Influence& influence : influences) sum += influence.weight;
      if (to >= 0)
        influences[to].weight += gone;
      else
        for (Influence& influence : influences) influence.weight *= sum / (sum - gone);
      influences.erase(influences.begin() + static_cast<std::ptrdiff_t>(least));
    }
    return needed;
  }

  /// The largest other influence with the same source as influence k, or -1.
  int heir(const std::vector<Influence>& influences, std::size_t k) const {
    int largest = -1;
    for (std::size_t other = 0; other < influences.size(); ++other) {
      if (other == k || source_[influences[other].joint] != source_[influences[k].joint]) continue;
      if (largest < 0 || influences[other].weight > influences[largest].weight) largest = static_cast<int>(other);
    }
    return largest;
  }

  static constexpr double kSoftMotion =
      0.05;  // of a soft joint against its bone, beside that of bones against each other
  static constexpr double kNothing = 1e-12;  // what rounding leaves of a weight that is shared out wholly

  SkinDescription skin_;
  const SoftJoints& soft_;
  std::span<const Bone> bones_;
  std::span<const int> soft_slots_;
  std::size_t most_;
  std::vector<int> source_;                    // per joint of the skin: itself, or whom it takes weight from
  std::map<std::pair<int, int>, int> joints_;  // (source, soft joint) to joint of the skin
};

}  // namespace

Character with_soft_joints(const Character& character, const SoftJoints& soft, int max_influences,
                           int* reduced_points) {
  if (max_influences < 1)
    throw Error({.code = ErrorCode::usage,
                 .element = "the number of influences",
                 .value = std::to_string(max_influences),
                 .problem = "is " + std::to_string(max_influences),
                 .remedy = "at least 1 is needed"});
  const BuiltInRig& rig = detail::built_in_rig(character);
  detail::validate(character, soft);
  require_new_names(character, soft);

  Character result = character;
  auto graph = std::make_shared<ControlGraph>(rig.graph());
  Vec u_rest;
  const auto workspace = rig.make_workspace();
  rig.evaluate_slots(*workspace, rig.rest(), u_rest);
  const std::vector<int> slots = add_joints(*graph, soft, u_rest, result.bones);

  std::vector<std::shared_ptr<const Deformer>> deformers(rig.deformers().begin(), rig.deformers().end());
  std::vector<char> taken(soft.share.size(), 0);
  int reduced = 0;
  for (auto& deformer : deformers) {
    const SkinDescription* skin = is_linear_skin(*deformer) ? skin_description(*deformer) : nullptr;
    if (!skin) continue;
    const bool shared =
        soft.start[skin->first_point] < soft.start[skin->first_point + static_cast<int>(skin->influences.size())];
    const auto held = shared ? skin_on_bone(character, *skin, rig.graph(), u_rest) : std::nullopt;
    SkinSplit split(held ? *held : *skin, soft, character.bones, slots, max_influences);
    if (split.split(taken, reduced)) deformer = make_linear_blend_skin(split.skin());
  }
  detail::require_taken(character, soft, taken, "take from bones with weight in its linear skin, or use morphs");
  result.rig = std::make_shared<BuiltInRig>(std::move(graph), rig.points_rest(), std::move(deformers));
  if (reduced_points) *reduced_points = reduced;
  return result;
}

double muted_change(const Character& original, const Character& soft, std::span<const Animation> clips, int samples) {
  assert(original.rig->point_count() == soft.rig->point_count());
  assert(original.rig->controls().size() <= soft.rig->controls().size());
  const auto original_workspace = original.rig->make_workspace(), soft_workspace = soft.rig->make_workspace();
  const Vec rest = original.rig->rest();
  Vec muted = soft.rig->rest(), s_original, s_soft;
  double largest = 0;
  const auto compare = [&](const Vec& p) {
    muted.head(p.size()) = p;
    original.rig->evaluate(*original_workspace, p, s_original);
    soft.rig->evaluate(*soft_workspace, muted, s_soft);
    s_soft -= s_original;
    if (s_soft.size() > 0)
      largest = std::max(largest, s_soft.reshaped(3, s_soft.size() / 3).colwise().norm().maxCoeff());
  };
  compare(rest);
  for (const Animation& clip : clips) {
    const Sampler sampler(clip, original.rig->controls());
    Vec p = rest;
    for (int k = 0; k < samples; ++k) {
      sampler.sample(clip.duration * k / std::max(1, samples - 1), p);
      compare(p);
    }
  }
  return largest;
}

}  // namespace rigspace
