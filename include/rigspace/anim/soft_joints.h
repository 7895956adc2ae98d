#pragma once
// Soft joints: new leaves of a skeleton for flesh that has none. A soft joint takes skin weight from its parent bone
// alone, so that at rest, and muted, the skin is the original.

#include "rigspace/anim/character.h"

#include <string>
#include <vector>

namespace rigspace {

struct SoftJoint {
  std::string name;                  ///< ASCII, without . : / @
  int parent = -1;                   ///< into Character::bones
  Vec3 translation = Vec3::Zero();   ///< at rest, in the parent's space, in its units
  Quat rotation = Quat::Identity();  ///< likewise
};

/// Shares of point i: entries start[i] .. start[i + 1]. A share, 0 to 1, is that part of the parent bone's own weight
/// at the point; the shares of joints with the same parent sum to at most 1.
struct SoftJoints {
  std::vector<SoftJoint> joints;
  std::vector<int> start;  ///< points of the rig + 1
  std::vector<int> joint;  ///< into `joints`
  std::vector<double> share;
};

/// The same character with these joints: nodes and controls appended to its graph, bones appended, weights split;
/// clips, pieces and all else as before. Where a point then has more than `max_influences`, the smallest go and the
/// others are scaled to their sum. Throws Error if a share is taken from a bone that does not hold the point by a
/// linear skin.
Character with_soft_joints(const Character& character, const SoftJoints& soft, int max_influences = 4);

}  // namespace rigspace
