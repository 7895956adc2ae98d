#pragma once
// What rigspace inverse apply does with a clip once it is mapped: layers, warps, keys.

#include "command.h"

#include "rigspace/apps/inverse/edit_clip.h"
#include "rigspace/apps/inverse/map_motion.h"
#include "rigspace/apps/inverse/mapped_keys.h"

namespace rigspace::tools {

/// The clip of this name, or all that match a pattern with * or ?; the first without a name.
std::vector<const Animation*> clips_of(const Character& source, const std::string& wanted);

/// "Wave=0.5": a clip of the rig; or of a file, mapped if it is not on this rig's controls.
std::vector<ClipLayer> read_layers(std::span<const std::string> words, const Character& own, const InverseModel& model,
                                   const JointMotionOptions& motion_options, const RefineOptions& refine);

/// The mapped clip with layers and warps; what was measured at frames is of the motion before.
void edit(const Character& own, std::span<const ClipLayer> layers, std::span<const std::string> warps, double rate,
          Animation& clip);

/// Keys as `--keys` says, in place of the clip's.
MappedKeys set_keys(const std::string& wish, const Character& own, const Animation* source, Animation& clip);

}  // namespace rigspace::tools
