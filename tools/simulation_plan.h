#pragma once
// What was asked of a simulation, in words, and what becomes of it: a recipe without motion, and the clips to be made.
// The command line and the Python module share this, so that both mean the same by the same words.

#include "simulation_run.h"

#include <string>
#include <vector>

namespace rigspace::tools {

/// Fields are the options of `rigspace simulate`, by their names there.
struct SimulationRequest {
  std::vector<std::string> clips, parts, sets, hits, stiffness;
  std::string start = "0", end, preroll = "0";
  std::string loop = "auto", follow = "animation", integrator = "bdf2", soft = "auto", chains = "auto";
  double unit = 0;  ///< metres; 0: guessed
  RecipeOptions recipe;
  std::string solver, report, dump;
  double step = 0;  ///< s; 0: not said
};

struct SimulationPlan {
  Recipe recipe;  ///< all but its input, its format and its clips; files to collide with as they were given
  std::vector<ClipTask> tasks;  ///< one a clip
  ResearchFiles research;
};

/// `on_controls`: the rig's own controls are simulated. Throws Error naming the option.
SimulationPlan plan_simulation(const Subject& subject, const SimulationRequest& request, bool on_controls);

}  // namespace rigspace::tools
