#pragma once
// Private to physics: turns a request, whose options are strings, into a recipe without motion and a list of clips to
// simulate.

#include "rigspace/jobs/folder_settings.h"
#include "simulation_run.h"

#include <string>
#include <vector>

namespace rigspace {

struct SimulationPlan {
  Recipe recipe;                ///< without input, format and clips; paths of collision files as in the request
  std::vector<ClipTask> tasks;  ///< one a clip
  ResearchFiles research;
};

/// The options of the request with their words read; the unit of the request or the folder, else guessed, with a note.
RecipeOptions plan_options(const Character& character, const SimulationRequest& request, const FolderSettings& folder,
                           std::vector<std::string>& notes);
/// The parts that the request names, or those that are found, with the settings of the request and the folder. Empty
/// only where nothing is named and Subject::may_rest, or the folder's settings exclude all.
std::vector<Part> plan_parts(const Subject& subject, const SimulationRequest& request, const FolderSettings& folder,
                             std::vector<std::string>& notes);

/// Puts the corrections of a file (SimulationRequest::fix) on the clips. Adds a note on those of other clips. Throws
/// Error.
void plan_fixes(const std::string& path, const Character& character, std::vector<ClipTask>& tasks,
                std::vector<std::string>& notes);

/// `folder`: settings of the input's folder, which those of the request overrule. `on_controls`: the rig's own controls
/// are simulated, not joints and skin. Throws Error with the name of the option.
SimulationPlan plan_simulation(const Subject& subject, const SimulationRequest& request, const FolderSettings& folder,
                               bool on_controls);

}  // namespace rigspace
