#pragma once
// Private to physics: simulates the clips of a plan and writes the result, its page and its recipe.

#include "research.h"
#include "subject.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace {

/// A clip, and how much of it is done. An unfinished clip is simulated from its start, then all its edits. A finished
/// clip has curves with the first `edits_done` edits in them; the other edits are simulated.
struct ClipTask {
  RecipeClip clip;
  std::size_t edits_done = 0;

  std::size_t solves() const { return (clip.finished() ? 0 : 1) + clip.edits.size() - edits_done; }
};

struct SimulationRun {
  std::unique_ptr<Subject> subject;
  Recipe recipe;                ///< without clips
  std::vector<ClipTask> tasks;  ///< in the order of the result
  RunFiles out;
  std::vector<std::string> notes = {};  ///< for the user, one sentence each, in addition to those of the recipe
  ResearchFiles research = {};          ///< used with RecipeOptions::physics.paper
  bool keep_partial = false;            ///< a cancelled run writes the clips and the frames that it finished
  std::string fix_file = {};            ///< in messages: where the corrections of the clips were read
};

/// Arguments of make_clips.
struct ClipsToMake {
  const Subject& subject;  ///< after Subject::prepare
  Recipe& recipe;          ///< gets the clips
  const std::vector<ClipTask>& tasks;
  const ResearchFiles& research;
  std::filesystem::path folder;  ///< to which paths of collision files are relative
  std::string fix_file = {};     ///< see SimulationRun
};
struct MadeClips {
  double resumed_at = 0;   ///< 0..1: share of the run that was read from `partial`
  bool cancelled = false;  ///< recipe.clips has the finished motion; clips that were not reached have none
};
/// Checks the corrections of the clips, then simulates the clips. `partial`: see ClipRunOptions; empty: saves no
/// checkpoints. If it is cancelled, throws Cancelled, or with `keep_partial`, if any frame is finished, returns with
/// MadeClips::cancelled.
MadeClips make_clips(const ClipsToMake& clips, const std::filesystem::path& partial, bool keep_partial,
                     const JobEvents& events);

/// Prepares the subject, simulates the clips, writes all files and reports the result. Throws Error, and Cancelled.
SimulationResult execute(SimulationRun run, const JobEvents& events);

}  // namespace rigspace
