#pragma once
// Soft joints for any character, so that tests can put them into any file.

#include "rigspace/anim/soft_joints.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace rigspace::testing {

/// Weight of each bone (column) at each point (row), by linear skins; rigid parts have none.
inline Mat bone_weights(const Character& character) {
  const auto& rig = static_cast<const BuiltInRig&>(*character.rig);
  Mat weights = Mat::Zero(rig.point_count(), static_cast<Eigen::Index>(character.bones.size()));
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (!skin || skin->joint_slots.size() < 2) continue;
    std::vector<int> bone;
    for (const int slot : skin->joint_slots) {
      const auto found =
          std::find_if(character.bones.begin(), character.bones.end(), [&](const Bone& b) { return b.slot == slot; });
      bone.push_back(static_cast<int>(found - character.bones.begin()));
    }
    for (std::size_t k = 0; k < skin->influences.size(); ++k)
      for (const Influence& influence : skin->influences[k])
        weights(skin->first_point + static_cast<int>(k), bone[influence.joint]) += influence.weight;
  }
  return weights;
}

/// Two joints below each of the `bones` bones that hold most, at random places near them; smooth shares of the points
/// that those bones hold.
inline SoftJoints some_soft_joints(const Character& character, int bones, std::uint32_t seed) {
  const Mat weights = bone_weights(character);
  std::vector<int> order(character.bones.size());
  for (std::size_t b = 0; b < order.size(); ++b) order[b] = static_cast<int>(b);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return weights.col(a).sum() > weights.col(b).sum(); });
  order.resize(std::min<std::size_t>(order.size(), bones));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] { return Vec3(uniform(random), uniform(random), uniform(random)); };
  SoftJoints soft{.joints = {}, .start = {0}, .joint = {}, .share = {}};
  for (const int bone : order)
    for (int k = 0; k < 2; ++k) {
      const double length = character.rig->controls()[character.rig->find(character.bones[bone].name + ".tx")].typical;
      const Vec3 axis = vector();
      soft.joints.push_back({.name = "soft_" + std::to_string(soft.joints.size()),
                             .parent = bone,
                             .translation = length * vector(),
                             .rotation = Quat(Eigen::AngleAxisd(axis.norm(), axis.normalized()))});
    }
  for (int i = 0; i < character.rig->point_count(); ++i) {
    for (std::size_t j = 0; j < soft.joints.size(); ++j) {
      const double share = 0.45 * std::pow(std::sin(0.3 * i + static_cast<double>(j)), 2);
      if (!(share > 0) || weights(i, soft.joints[j].parent) == 0) continue;
      soft.joint.push_back(static_cast<int>(j));
      soft.share.push_back(share);
    }
    soft.start.push_back(static_cast<int>(soft.joint.size()));
  }
  return soft;
}

}  // namespace rigspace::testing
