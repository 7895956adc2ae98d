#pragma once
// A rig with points that its joints carry, beside those of its surface: the extended map of sketch abstractions (Thesis
// 5.1), with exact derivatives.

#include "rigspace/rig/built_in_rig.h"

#include <memory>
#include <span>

namespace rigspace {

struct JointPoint {
  int slot = -1;             ///< a transform of the control graph
  Vec3 rest = Vec3::Zero();  ///< scene space, in the rest pose
};

/// The same rig with these points behind its own, in order. Throws Error for a slot that is no transform.
std::shared_ptr<const BuiltInRig> with_joint_points(const BuiltInRig& rig, std::span<const JointPoint> points);

/// The transforms of all slots at p: world(slot) of what is a transform.
Affine slot_transform(const BuiltInRig& rig, In slots, int slot);

}  // namespace rigspace
