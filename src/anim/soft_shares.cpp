#include "soft_shares.h"

#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace rigspace::detail {
namespace {

constexpr double kSumRounding = 1e-9;  // rounding of shares that were normalised before

void require(bool good, const SoftJoint& joint, std::string value, std::string problem, std::string remedy) {
  if (!good)
    throw Error({.element = label(joint),
                 .value = std::move(value),
                 .problem = std::move(problem),
                 .remedy = std::move(remedy)});
}

void validate_joint(const SoftJoint& joint, const Character& character) {
  const bool plain = !joint.name.empty() && std::all_of(joint.name.begin(), joint.name.end(), [](char c) {
    return c > ' ' && c < 127 && std::string_view(".:/@").find(c) == std::string_view::npos;
  });
  require(plain, joint, joint.name, "has a name that some programs cannot take", "use letters, digits and underscores");
  const int bones = static_cast<int>(character.bones.size());
  require(joint.parent >= 0 && joint.parent < bones, joint, std::to_string(joint.parent),
          "has parent " + std::to_string(joint.parent), "the character has " + std::to_string(bones) + " bones");
  require(joint.translation.allFinite() && joint.rotation.coeffs().allFinite() && joint.rotation.norm() > 1e-9, joint,
          "", "has a rest transform that is not finite or no rotation", "check it");
}

/// A chain hangs together, and all of it takes from one bone.
void validate_above(const SoftJoints& soft, int j) {
  const SoftJoint& joint = soft.joints[j];
  if (joint.above == -1) return;
  require(joint.above >= 0 && joint.above < j, joint, std::to_string(joint.above),
          "hangs on soft joint " + std::to_string(joint.above), "that must be an earlier one of the list");
  require(soft.joints[joint.above].parent == joint.parent, joint, std::to_string(joint.above),
          "hangs on " + label(soft.joints[joint.above]) + ", which takes from another bone",
          "a chain takes from one bone");
}

void validate_layout(const SoftJoints& soft, int points) {
  const std::size_t entries = soft.joint.size();
  const bool good = soft.start.size() == static_cast<std::size_t>(points) + 1 && soft.start.front() == 0 &&
                    std::is_sorted(soft.start.begin(), soft.start.end()) && soft.share.size() == entries &&
                    soft.start.back() == static_cast<int>(entries);
  if (!good)
    throw Error({.element = "shares of soft joints",
                 .value = std::to_string(soft.start.size()),
                 .problem = "do not lie point by point",
                 .remedy = "start has one entry more than the rig's " + std::to_string(points) +
                           " points and ascends to the number of shares"});
}

void validate_shares(const SoftJoints& soft, int point) {
  for (int e = soft.start[point]; e < soft.start[point + 1]; ++e) {
    const int j = soft.joint[e];
    const std::string at = " at point " + std::to_string(point);
    if (j < 0 || j >= static_cast<int>(soft.joints.size()))
      throw Error({.element = "shares of soft joints",
                   .value = std::to_string(j),
                   .problem = "name joint " + std::to_string(j) + at,
                   .remedy = "there are " + std::to_string(soft.joints.size())});
    const SoftJoint& joint = soft.joints[j];
    require(soft.share[e] >= 0 && soft.share[e] <= 1, joint, std::to_string(soft.share[e]),
            "has a share of " + std::to_string(soft.share[e]) + at, "shares are from 0 to 1");
    double sum = 0;
    for (int other = soft.start[point]; other <= e; ++other) {
      if (soft.joints[soft.joint[other]].parent == joint.parent) sum += soft.share[other];
      require(other == e || soft.joint[other] != j, joint, std::to_string(point), "has two shares" + at, "add them up");
    }
    require(sum <= 1 + kSumRounding, joint, std::to_string(sum),
            "and others of its parent have shares of " + std::to_string(sum) + at, "they sum to at most 1");
  }
}

}  // namespace

std::string label(const SoftJoint& joint) { return "soft joint \"" + joint.name + "\""; }

const BuiltInRig& built_in_rig(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (!rig)
    throw Error({.element = "character \"" + character.name + "\"",
                 .problem = "has a rig that is not built of nodes and skins",
                 .remedy = "soft joints need one"});
  return *rig;
}

void validate(const Character& character, const SoftJoints& soft) {
  std::unordered_set<std::string> names;
  for (std::size_t j = 0; j < soft.joints.size(); ++j) {
    const SoftJoint& joint = soft.joints[j];
    validate_joint(joint, character);
    validate_above(soft, static_cast<int>(j));
    require(names.insert(joint.name).second, joint, joint.name, "is there twice", "give each its own name");
  }
  const int points = character.rig->point_count();
  validate_layout(soft, points);
  for (int i = 0; i < points; ++i) validate_shares(soft, i);
}

void require_taken(const Character& character, const SoftJoints& soft, const std::vector<char>& taken,
                   const std::string& remedy) {
  for (int i = 0; i + 1 < static_cast<int>(soft.start.size()); ++i)
    for (int e = soft.start[i]; e < soft.start[i + 1]; ++e) {
      const SoftJoint& joint = soft.joints[soft.joint[e]];
      require(taken[e] || soft.share[e] == 0, joint, std::to_string(i),
              "has a share of point " + std::to_string(i) + ", which bone \"" + character.bones[joint.parent].name +
                  "\" does not hold",
              remedy);
    }
}

Affine rest_in_parent(const SoftJoints& soft, int joint) {
  const SoftJoint& own = soft.joints[joint];
  Affine L;
  L.leftCols<3>() = own.rotation.normalized().toRotationMatrix();
  L.col(3) = own.translation;
  return own.above < 0 ? L : compose(rest_in_parent(soft, own.above), L);
}

int slot_above(const ControlGraph& graph, int slot) {
  if (first_control(graph, slot) < 0 || graph.op(slot).input_slots().empty()) return -1;
  return graph.op(slot).input_slots()[0];
}

double typical_length_below(const ControlGraph& graph, In u_rest, int slot) {
  const int control = first_control(graph, slot), above = slot_above(graph, slot);
  const double typical = control < 0 ? 1 : graph.controls()[control].typical;
  const auto unit = [&](int s) {
    return s < 0 ? 1.0 : std::cbrt(std::abs(Mat3(linear(transform_at(u_rest, graph.slots()[s]))).determinant()));
  };
  const double ratio = unit(above) / unit(slot);
  return ratio > 1e-9 && ratio < 1e9 ? typical * ratio : typical;
}

}  // namespace rigspace::detail

namespace rigspace {

int carrying_bone(const Character& character, int slot) {
  const ControlGraph& graph = detail::built_in_rig(character).graph();
  const auto is_moved = [&](const std::string& node) {
    const auto varies = [&](const Track& track) {
      return track.control.starts_with(node) && track.control.rfind('.') == node.size() &&
             std::any_of(track.curve.values.begin(), track.curve.values.end(),
                         [&](double value) { return value != track.curve.values.front(); });
    };
    const auto turns = [&](const RotationTrack& track) {
      return track.node == node && std::any_of(track.values.begin(), track.values.end(),
                                               [&](const Vec4& value) { return value != track.values.front(); });
    };
    return std::any_of(character.clips.begin(), character.clips.end(), [&](const Animation& clip) {
      return std::any_of(clip.tracks.begin(), clip.tracks.end(), varies) ||
             std::any_of(clip.rotations.begin(), clip.rotations.end(), turns);
    });
  };
  for (; slot >= 0; slot = detail::slot_above(graph, slot)) {
    const auto bone = std::find_if(character.bones.begin(), character.bones.end(),
                                   [&](const Bone& each) { return each.slot == slot; });
    if (bone != character.bones.end()) return static_cast<int>(bone - character.bones.begin());
    const int control = first_control(graph, slot);
    if (control < 0 || is_moved(graph.controls()[control].node)) return -1;
  }
  return -1;
}

}  // namespace rigspace
