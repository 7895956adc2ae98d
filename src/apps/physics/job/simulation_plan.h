#pragma once
// Private to physics: what was asked of a simulation, in words, and what becomes of it: a recipe without motion, and
// the clips to be made.

#include "simulation_run.h"

#include <string>
#include <vector>

namespace rigspace {

struct SimulationPlan {
  Recipe recipe;  ///< all but its input, its format and its clips; files to collide with as they were given
  std::vector<ClipTask> tasks;  ///< one a clip
  ResearchFiles research;
};

/// `on_controls`: the rig's own controls are simulated. Throws Error naming the option.
SimulationPlan plan_simulation(const Subject& subject, const SimulationRequest& request, bool on_controls);

}  // namespace rigspace
