#pragma once
// Pose-space correctives in a rig that is written down.

#include "rigspace/anim/pose_correctives.h"
#include "rigspace/io/rig_file.h"

namespace rigspace {

/// The character with correctives: their pose weights, and their shapes before all other deformers of each piece. It
/// has the same controls; write_rig_file writes it.
RiggedCharacter with_correctives(RiggedCharacter rigged, const Correctives& correctives);

}  // namespace rigspace
