#pragma once
// Principal components of controls as commands: sliders in a rig file, and one of them stronger in a clip.

#include "command.h"

namespace rigspace::tools {

/// Of `rigspace rig`.
void add_rig_modes(CLI::App& rig, Context&);

/// The clip of that name, in the character or in files of curves, the later first. Throws Error naming what there is.
const Animation& clip_among(const std::vector<Animation>& clips, const std::string& file, const std::string& name);

/// `1=1.5` ..: a factor for each mode, 1 by default. Throws Error.
std::vector<double> parse_mode_factors(const std::vector<std::string>& texts, int modes);

}  // namespace rigspace::tools
