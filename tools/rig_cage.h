#pragma once
// `rigspace rig cage`: a cage around a character, as a rig file.

#include "command.h"

namespace rigspace::tools {

/// Of `rigspace rig`.
void add_rig_cage(CLI::App& rig, Context&);

}  // namespace rigspace::tools
