#pragma once
// Joints of rigs in other processes (docs/process-rigs.md), where these tell them: as points.

#include "rigspace/anim/character.h"

#include <memory>
#include <vector>

namespace rigspace {

/// Kept with a character whose `bones` are known by points of the rig alone: four each, behind those of the surface,
/// the joint's place and three that turn with it, one along each of its axes.
struct PointJoints final : CharacterExtension {
  std::vector<int> first;  ///< of each bone the first of its points, ascending
};

inline constexpr const char* kPointJoints = "joints of another process";

/// Null for all other characters.
inline const PointJoints* point_joints(const Character& character) {
  const auto found = character.extensions.find(kPointJoints);
  return found == character.extensions.end() ? nullptr : dynamic_cast<const PointJoints*>(found->second.get());
}

}  // namespace rigspace
