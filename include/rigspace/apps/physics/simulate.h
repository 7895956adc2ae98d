#pragma once
// Secondary motion on a character, from input to written files: what `rigspace simulate` and `rigspace rerun` do, as
// functions. Options are words, as on the command line, so that all front ends mean the same by them.
//
//   simulate_file({.character = {.file = "hero.glb"}}, {.clips = {"Walk"}});    // hero.soft.glb, .html, .json

#include "rigspace/apps/physics/recipe.h"
#include "rigspace/jobs/character_source.h"
#include "rigspace/jobs/events.h"
#include "rigspace/jobs/run_files.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace {

/// What is simulated.
struct SimulationSource {
  CharacterSource character;
  std::string clips = {};  ///< of a rig in another process: a .rigspace.json
  std::string on = {};  ///< an earlier result, whose motion is the keyed one (jobs/earlier_result.h); none by default
};

/// Fields are the options of `rigspace simulate`, by their names there.
struct SimulationRequest {
  std::vector<std::string> clips = {}, parts = {}, sets = {}, hits = {}, stiffness = {};
  std::string start = "0", end = {}, preroll = "0";
  std::string loop = "auto", follow = "animation", integrator = "bdf2", soft = "auto", chains = "auto";
  double unit = 0;  ///< metres per unit of the scene; 0: guessed
  RecipeOptions recipe = {};
  std::string solver = {}, report = {}, dump = {};
  double step = 0;            ///< s; 0: 1/120, or 0.01 as the papers have it
  bool curves_only = false;   ///< of a rig whose own controls move: the curves and the recipe, nothing to look at
  bool keep_partial = false;  ///< a cancelled run writes the clips that it finished, and frames of the one under way
};

/// What a job wrote, and what there is to say of it.
struct SimulationResult {
  std::string input;  ///< what messages call it
  Recipe recipe;
  RunFiles files;
  std::vector<std::string> notes;       ///< one sentence each
  std::vector<std::string> incidents;   ///< what went wrong on the way and was survived
  double resumed_at = 0;                ///< share of the run that an earlier, killed one had done, 0..1
  std::optional<long> rig_evaluations;  ///< of a rig in another process

  /// Steps that did not converge, over all clips; the result is written all the same.
  int failed_steps() const;
};

/// An empty output: beside the input, x.soft.glb or x.soft.rigspace.json. A run that was killed goes on where it stood.
/// Throws Error for wrong input before any work, and Cancelled.
SimulationResult simulate_file(const SimulationSource& source, const SimulationRequest& request = {},
                               const std::filesystem::path& output = {}, const JobEvents& events = {});

/// Fields are the options of `rigspace rerun`, by their names there.
struct RerunRequest {
  std::string recipe;  ///< what a run left beside its result
  std::string output = {}, range = {};
  std::vector<std::string> clips = {}, sets = {}, hits = {}, stiffness = {};
  CharacterSource process = {};  ///< its command, where the recipe was made with one
  bool accept_changed_input = false;
};
/// The run of a recipe again, with other values, in whole or in part.
SimulationResult rerun_recipe(const RerunRequest& request, const JobEvents& events = {});

/// A character in memory: from a file, or made in code.
struct MemoryCharacter {
  std::string name;
  std::shared_ptr<const Character> character;
  std::filesystem::path path = {};    ///< the file that it was loaded from; empty: none
  std::vector<Animation> added = {};  ///< clips that were added to it since
  bool is_file = false;               ///< the file says all of it
};

/// A finished run that is not yet written.
class SimulatedCharacter {
 public:
  /// Throws Error and Cancelled; with request.keep_partial a cancelled run gives what it finished.
  SimulatedCharacter(MemoryCharacter input, const SimulationRequest& request, std::string on,
                     const JobEvents& events = {});

  const Recipe& recipe() const { return recipe_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// The character as it was simulated, with the clips that were made.
  const Character& character() const { return *simulated_; }

  /// What simulate_file would have written there, and the list of it.
  std::vector<std::filesystem::path> save(const std::filesystem::path& path, const JobEvents& events = {}) const;

 private:
  MemoryCharacter input_;
  std::string on_, hash_;  // an earlier result; of the input's file, so that another one is not written in its place
  bool on_controls_ = false;
  Recipe recipe_;                    // files to collide with as they were given
  std::vector<RecipePart> planned_;  // its parts as they were before the character was prepared
  std::vector<std::string> notes_;
  std::shared_ptr<const Character> simulated_;
};

/// Each part with its joints and what its preset means, a line each.
std::string parts_in_words(const Recipe& recipe);
/// Loop and seam, and each part's rate, settling time and swing, the largest with its frame.
std::string clip_in_words(const Recipe& recipe, const RecipeClip& clip);
/// The same as JSON.
nlohmann::ordered_json clip_json(const Recipe& recipe, const RecipeClip& clip);
/// What to add if it is too much, or too little.
std::string advice(const Recipe& recipe, const std::filesystem::path& file);

}  // namespace rigspace
