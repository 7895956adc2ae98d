#include "rigspace/parts/body_joints.h"

#include "body_limbs.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

using enum BodyRole;

class Finder {
 public:
  Finder(const Character& character, ReferencePose pose) : search_(character, std::move(pose)) {}

  BodyJoints find() {
    refuse_swapped();
    std::array<Limb, 2> legs, arms;
    for (const std::size_t k : {0, 1}) legs[k] = find_leg(search_, kSides[k]);
    BodyJoints body;
    if (legs[0].found() && legs[1].found()) {
      for (const std::size_t k : {0, 1}) arms[k] = find_arm(search_, kSides[k]);
      if (!search_.sides_named && faces_away(legs)) std::swap(legs[0], legs[1]), std::swap(arms[0], arms[1]);
      torso(legs, arms);
      for (const std::size_t k : {0, 1}) {
        if (arms[k].found()) arm(arms[k], kSides[k]);
        leg(legs[k], kSides[k]);
      }
      if (is_upright()) body.joints = std::move(joints_);
    }
    body.reference = std::move(search_.reference), body.parent = search_.parent, body.left = search_.left;
    return body;
  }

 private:
  static constexpr std::array<char, 2> kSides{'l', 'r'};

  void add(BodyRole role, char side, int order, int bone, double place) {
    joints_.push_back({role, side, order, bone, search_.named(bone, role), place});
  }

  /// A limb whose plain names run against the hierarchy.
  void refuse_swapped() const {
    constexpr std::pair<BodyRole, BodyRole> kPairs[] = {{upper_arm, forearm}, {forearm, hand}, {thigh, shin},
                                                        {shin, foot},         {neck, head},    {hips, thigh}};
    const auto& bones = search_.character.bones;
    for (std::size_t b = 0; b < bones.size(); ++b)
      for (int above = bones[b].parent; above >= 0; above = bones[static_cast<std::size_t>(above)].parent)
        for (const auto& [near, far] : kPairs) {
          const auto up = static_cast<std::size_t>(above);
          const double nearer = search_.named(static_cast<int>(b), near);
          if (search_.side[b] != search_.side[up] || nearer < 0.5 ||
              nearer <= search_.named(static_cast<int>(b), far) || search_.named(above, far) < 0.95)
            continue;
          throw Error({.file = search_.character.name,
                       .element = "joint \"" + bones[b].name + "\"",
                       .value = bones[b].name,
                       .problem = "hangs below \"" + bones[up].name + "\", where a body has it above",
                       .remedy = "mend the hierarchy of this skeleton, or rename the two"});
        }
  }

  /// Without names of sides the left was taken to be +x: wrong if the toes point to -z.
  bool faces_away(const std::array<Limb, 2>& legs) {
    Vec3 toes = Vec3::Zero();
    for (const Limb& each : legs)
      for (std::size_t b = 0; b < search_.at.size(); ++b)
        if (search_.parent[b] == each.bones[2])
          toes += search_.at[b] - search_.at[static_cast<std::size_t>(each.bones[2])];
    if (toes.z() > -0.01 * search_.height) return false;
    search_.left = -search_.left;
    return true;
  }

  void torso(const std::array<Limb, 2>& legs, const std::array<Limb, 2>& arms) {
    int hips_bone = std::max(0, search_.common_ancestor(legs[0].bones[0], legs[1].bones[0]));
    // Bip01's thighs hang on its spine.
    const int above = search_.parent[static_cast<std::size_t>(hips_bone)];
    if (above >= 0 && search_.named(hips_bone, hips) < 0.3 && search_.named(above, hips) > 0.9) hips_bone = above;
    add(hips, 0, 0, hips_bone, std::min(legs[0].place, legs[1].place));
    const bool armed = arms[0].found() && arms[1].found();
    const int shoulders = armed ? search_.common_ancestor(arms[0].bones[0], arms[1].bones[0]) : hips_bone;
    const int head_bone = find_head(hips_bone, shoulders, legs, arms);
    std::vector<int> path = search_.path_to(head_bone >= 0 ? head_bone : shoulders);
    path.erase(path.begin(), std::min(path.end(), std::ranges::find(path, hips_bone) + 1));
    if (head_bone >= 0 && !path.empty()) path.pop_back();
    std::erase_if(path, [&](int bone) { return search_.helper[static_cast<std::size_t>(bone)]; });
    // Arms may hang on the neck (Bip01): then the names say where it begins.
    std::size_t spine_end = 0;
    for (std::size_t k = 0; k < path.size(); ++k) {
      const bool below_arms = armed ? search_.is_above(path[k], shoulders) : search_.named(path[k], spine) > 0.5;
      if (below_arms && search_.named(path[k], neck) < 0.9) spine_end = k + 1;
    }
    for (std::size_t k = 0; k < spine_end; ++k) add(spine, 0, static_cast<int>(k), path[k], middle_place(path[k]));
    for (std::size_t k = spine_end; k < path.size(); ++k)
      add(neck, 0, static_cast<int>(k - spine_end), path[k], middle_place(path[k]));
    if (head_bone >= 0) add(head, 0, 0, head_bone, middle_place(head_bone));
    last_of_torso_ = joints_.size() - 1;
  }

  /// The head, or what comes nearest to it, is above the hips: on four or more legs it is before them.
  bool is_upright() const {
    const Vec3 up = search_.at[static_cast<std::size_t>(joints_[last_of_torso_].bone)] -
                    search_.at[static_cast<std::size_t>(joints_.front().bone)];
    return up.y() > 0.7 * up.norm() && up.y() > 0.15 * search_.height;
  }

  double middle_place(int bone) const {
    return std::clamp(1 - std::abs(search_.across(bone)) / 0.06, 0.0, 1.0) *
           std::clamp((search_.up(bone) - 0.2) / 0.2, 0.0, 1.0);
  }

  /// The first joint with that name above the shoulders; else the highest in the middle.
  int find_head(int hips_bone, int shoulders, const std::array<Limb, 2>& legs, const std::array<Limb, 2>& arms) const {
    int best = -1;
    double best_score = 0;
    for (int bone = 0; bone < static_cast<int>(search_.at.size()); ++bone) {
      const bool of_limb =
          std::ranges::any_of(legs, [&](const Limb& each) { return search_.is_above(each.bones[0], bone); }) ||
          std::ranges::any_of(arms,
                              [&](const Limb& each) { return each.found() && search_.is_above(each.bones[0], bone); });
      if (of_limb || bone == hips_bone || bone == shoulders || search_.helper[static_cast<std::size_t>(bone)] ||
          !search_.is_above(shoulders, bone))
        continue;
      const double named = search_.named(bone, head);
      const bool first = best < 0 || !search_.is_above(best, bone) || search_.named(best, head) < 0.9;
      const double score = 3 * named + middle_place(bone) * search_.up(bone);
      if (score > best_score && (first || named < 0.9)) best = bone, best_score = score;
    }
    return best;
  }

  void arm(const Limb& limb, char side) {
    int above = search_.parent[static_cast<std::size_t>(limb.bones[0])];
    while (above >= 0 && search_.helper[static_cast<std::size_t>(above)])
      above = search_.parent[static_cast<std::size_t>(above)];
    const bool of_torso = std::ranges::any_of(joints_, [&](const BodyJoint& each) { return each.bone == above; });
    if (above >= 0 && !of_torso) add(clavicle, side, 0, above, limb.place);
    add(upper_arm, side, 0, limb.bones[0], limb.place);
    add(forearm, side, 0, limb.bones[1], limb.place);
    add(hand, side, 0, limb.bones[2], limb.place);
    for (const BodyRole finger : {thumb, index, middle, ring, little}) {
      int order = 0;
      for (int bone = 0; bone < static_cast<int>(search_.at.size()); ++bone)
        if (bone != limb.bones[2] && search_.is_above(limb.bones[1], bone) && search_.named(bone, finger) > 0.9 &&
            bone != limb.bones[1] && order < 3)
          add(finger, side, order++, bone, 0);
    }
  }

  void leg(const Limb& limb, char side) {
    add(thigh, side, 0, limb.bones[0], limb.place);
    add(shin, side, 0, limb.bones[1], limb.place);
    add(foot, side, 0, limb.bones[2], limb.place);
    int best = -1;
    double best_score = 0;
    for (int bone = 0; bone < static_cast<int>(search_.at.size()); ++bone) {
      if (search_.parent[static_cast<std::size_t>(bone)] != limb.bones[2] ||
          search_.helper[static_cast<std::size_t>(bone)])
        continue;
      const Vec3 ahead =
          search_.at[static_cast<std::size_t>(bone)] - search_.at[static_cast<std::size_t>(limb.bones[2])];
      const double score = search_.named(bone, toe) + Vec3(ahead.x(), 0, ahead.z()).norm() / search_.height;
      if (score > best_score) best = bone, best_score = score;
    }
    if (best >= 0 && search_.apart(best, limb.bones[2]) > 1e-3) add(toe, side, 0, best, limb.place);
  }

  BodySearch search_;
  std::vector<BodyJoint> joints_;
  std::size_t last_of_torso_ = 0;  // into joints_
};

}  // namespace

const BodyJoint* BodyJoints::find(BodyRole role, char side, int order) const {
  const auto at = std::ranges::find_if(
      joints, [&](const BodyJoint& each) { return each.role == role && each.side == side && each.order == order; });
  return at == joints.end() ? nullptr : &*at;
}

const BodyJoint* BodyJoints::of_bone(int bone) const {
  const auto at = std::ranges::find(joints, bone, &BodyJoint::bone);
  return at == joints.end() ? nullptr : &*at;
}

int BodyJoints::count(BodyRole role, char side) const {
  return static_cast<int>(
      std::ranges::count_if(joints, [&](const BodyJoint& each) { return each.role == role && each.side == side; }));
}

BodyJoints find_body_joints(const Character& character) { return Finder(character, reference_pose(character)).find(); }

BodyJoints find_body_joints(const Character& character, ReferencePose pose) {
  return Finder(character, std::move(pose)).find();
}

}  // namespace rigspace
