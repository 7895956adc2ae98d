#pragma once
// What `simulate` does with a rig file: its own controls move, and the result is curves on them.

#include "command.h"

#include "rigspace/apps/physics/simulation.h"

#include <string>
#include <vector>

namespace rigspace::tools {

struct RigSimulation {
  std::string file;
  std::filesystem::path output;  ///< x.soft.rigspace.json
  std::vector<std::string> parts, sets;
  std::vector<std::string> clips;  ///< empty: all
  double frame_rate = 0;           ///< 0: that of the clip
  SimulationOptions physics;
};

/// Writes `hero.soft.rigspace.json`, the soft clips on the rig's own controls, and of the rig played out `.glb` and the
/// page of before and after. Throws Error if no group sounds like a part and none is named.
void simulate_rig(const RigSimulation& run, const Character& character, const Context& context);

}  // namespace rigspace::tools
