#pragma once
// What `simulate` and `rerun` share: from a subject, its parts and a plan of clips to the result, its page and its
// recipe.

#include "research.h"
#include "subject.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace::tools {

/// A clip, and how much of it is there. An unfinished one is to be made whole; otherwise its curves hold the first
/// `edits_done` of its edits, and the others are to follow.
struct ClipTask {
  RecipeClip clip;
  std::size_t edits_done = 0;

  std::size_t solves() const { return (clip.finished() ? 0 : 1) + clip.edits.size() - edits_done; }
};

struct SimulationRun {
  std::unique_ptr<Subject> subject;
  Recipe recipe;                ///< all but its clips
  std::vector<ClipTask> tasks;  ///< in the order of the result
  RunFiles out;
  std::vector<std::string> notes;       ///< for people, one sentence each, beside those of the recipe
  ResearchFiles research;               ///< with RecipeOptions::physics.paper
  std::optional<long> rig_evaluations;  ///< of a rig in another process, until everything was made
  bool keep_partial = false;            ///< a cancelled run writes the clips and the frames that it finished
};

/// `rigspace simulate FILE -o OUT`, all else by itself.
void simulate_file(const std::string& file, const std::filesystem::path& output, const Context& context);

/// Makes what is to be made, writes everything, says it in words or JSON. Throws Error with code not_converged, after
/// the result is written, if steps failed, and Cancelled on Ctrl-C.
void execute(SimulationRun run, const Context& context);

}  // namespace rigspace::tools
