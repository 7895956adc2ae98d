#pragma once
// Secondary motion on a character, from the input file to the written files: `rigspace simulate` and `rigspace rerun`
// as functions. Options are strings with the syntax of the command line, so that all front ends share one parser.
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

/// The input of a simulation.
struct SimulationSource {
  CharacterSource character;
  std::string clips = {};  ///< for a rig in another process: the file with its clips, a .rigspace.json
  std::string on = {};     ///< an earlier result whose motion takes the place of the clips (jobs/earlier_result.h)
};

/// The options of `rigspace simulate`, with the same names.
struct SimulationRequest {
  /// Of `sets` and `hits` those without @ are for all clips; `tail.amount=0.6@Walk` is for a clip, `..@Walk@10:20` for
  /// frames of it, `..@Walk@0.5s:1s` for seconds.
  std::vector<std::string> clips = {}, parts = {}, sets = {}, hits = {}, stiffness = {};
  std::string start = "0", end = {}, preroll = "0";
  /// auto, yes or no for all clips; or patterns of clips that are loops. `once`: patterns of clips that are not.
  std::string loop = "auto", once = {};
  std::string follow = "animation", integrator = "bdf2", soft = "auto", chains = "auto";
  double unit = 0;       ///< metres per unit of the scene; 0: guessed
  std::string fix = {};  ///< file of the artist's corrections on top (clip_fix.h); empty or "none": none
  RecipeOptions recipe = {};
  std::string solver = {}, report = {}, dump = {};
  double step = 0;            ///< s; 0: 1/120, or 0.01 with --paper
  bool curves_only = false;   ///< for a rig whose own controls move: writes curves and recipe, no model and no page
  bool keep_partial = false;  ///< a cancelled run writes its finished clips and the finished frames of the current one
};

/// The files that a run wrote, and messages about it.
struct SimulationResult {
  std::string input;  ///< name of the input in messages
  Recipe recipe;
  RunFiles files;
  std::vector<std::string> notes;       ///< one sentence each
  std::vector<std::string> incidents;   ///< faults that the run recovered from, such as a rig process started again
  double resumed_at = 0;                ///< 0..1: share of the run that was read from an earlier, killed run
  std::optional<long> rig_evaluations;  ///< poses that a rig in another process evaluated

  /// Steps that did not converge, over all clips. The result is written in any case.
  int failed_steps() const;
};

/// Simulates and writes the result to `output`; empty: beside the input, as x.soft.glb or x.soft.rigspace.json.
/// Continues an earlier run of the same request that was killed. Throws Error for wrong input before any work, and
/// Cancelled.
SimulationResult simulate_file(const SimulationSource& source, const SimulationRequest& request = {},
                               const std::filesystem::path& output = {}, const JobEvents& events = {});

/// The options of `rigspace rerun`, with the same names.
struct RerunRequest {
  std::string recipe;  ///< file that a run wrote beside its result
  std::string output = {}, range = {};
  std::vector<std::string> clips = {}, sets = {}, hits = {}, stiffness = {};
  /// A file of corrections in place of those of the recipe, of the chosen clips; "none": without any; empty: as they
  /// were. With nothing else to change the simulated layer stays as it is, to the bit, and nothing is simulated.
  std::string fix = {};
  std::string gravity = {};           ///< in place of that of the recipe (gravity_from_words); empty: as it was
  CharacterSource process = {};       ///< command of the rig, if the recipe was made with a rig in another process
  bool accept_changed_input = false;  ///< otherwise an input whose hash differs from the recipe's is an Error
};
/// Simulates a recipe again with other values: all clips, some, or a range of frames.
SimulationResult rerun_recipe(const RerunRequest& request, const JobEvents& events = {});

/// A character in memory, loaded from a file or made in code.
struct MemoryCharacter {
  std::string name;
  std::shared_ptr<const Character> character;
  std::filesystem::path path = {};    ///< file that it was loaded from; empty: none
  std::vector<Animation> added = {};  ///< clips that were added since it was loaded
  bool is_file = false;               ///< the character equals its file: nothing was added or changed
};

/// A finished run in memory; `save` writes it.
class SimulatedCharacter {
 public:
  /// Runs the simulation. `on` as in SimulationSource. Throws Error and Cancelled; with request.keep_partial a
  /// cancelled run that has finished frames does not throw.
  SimulatedCharacter(MemoryCharacter input, const SimulationRequest& request, std::string on,
                     const JobEvents& events = {});

  const Recipe& recipe() const { return recipe_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// The character as it was simulated (with soft joints, if any) and the simulated clips.
  const Character& character() const { return *simulated_; }

  /// Writes the files that simulate_file would write to `path`, but a recipe only if MemoryCharacter::is_file. Returns
  /// their paths.
  std::vector<std::filesystem::path> save(const std::filesystem::path& path, const JobEvents& events = {}) const;

 private:
  MemoryCharacter input_;
  std::string on_, hash_;     // see SimulationSource; hash of the input's file: `save` throws if the file changed
  bool on_controls_ = false;  // the rig's own controls were simulated, not joints and skin
  Recipe recipe_;             // paths of collision files as the caller gave them
  std::vector<RecipePart> planned_;  // parts of the recipe before Subject::prepare
  std::vector<std::string> notes_;
  std::shared_ptr<const Character> simulated_;
};

/// One line a part: its joints and the meaning of its preset.
std::string parts_in_words(const Recipe& recipe);
/// Loop and seam of a clip; for each part rate, settling time and swing; the frame of the largest swing.
std::string clip_in_words(const Recipe& recipe, const RecipeClip& clip);
/// The same as JSON.
nlohmann::ordered_json clip_json(const Recipe& recipe, const RecipeClip& clip);
/// The options to add to a rerun if the motion is too large or too small.
std::string advice(const Recipe& recipe, const std::filesystem::path& file);

}  // namespace rigspace
