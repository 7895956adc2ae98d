#pragma once
// Of `rigspace rig`: weights, skeletons, baking.

#include "command.h"

namespace rigspace::tools {

void add_rig_weights(CLI::App& rig, Context& context);
void add_rig_skeleton(CLI::App& rig, Context& context);
void add_rig_bake(CLI::App& rig, Context& context);

}  // namespace rigspace::tools
