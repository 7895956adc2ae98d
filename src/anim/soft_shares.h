#pragma once
// What soft joints and soft morphs have in common: checks, and the shares of each point.

#include "rigspace/anim/soft_joints.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"

#include <string>

namespace rigspace::detail {

/// `soft joint "soft_belly_01"`, for messages.
std::string label(const SoftJoint& joint);

/// The character's rig, which must be built of our own parts.
const BuiltInRig& built_in_rig(const Character& character);

/// Throws Error where a joint or a share breaks the rules of soft_joints.h, but for names that others have.
void validate(const Character& character, const SoftJoints& soft);

/// Throws Error for the first share above zero that no skin took.
void require_taken(const Character& character, const SoftJoints& soft, const std::vector<char>& taken,
                   const std::string& remedy);

/// An ordinary displacement, in the units of the space below a slot: that of the bone's own translation, which is
/// measured in the space above it.
double typical_length_below(const ControlGraph& graph, In u_rest, int slot);

/// L of a joint: from its own space to that of its parent bone at rest, through the joints that it hangs on.
Affine rest_in_parent(const SoftJoints& soft, int joint);

/// The slot of the node above, or -1.
int slot_above(const ControlGraph& graph, int slot);

}  // namespace rigspace::detail
