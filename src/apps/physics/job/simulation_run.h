#pragma once
// Private to physics: from a subject, its parts and a plan of clips to the result, its page and its recipe.

#include "research.h"
#include "subject.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace {

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
  std::vector<std::string> notes = {};  ///< for people, one sentence each, beside those of the recipe
  ResearchFiles research = {};          ///< with RecipeOptions::physics.paper
  bool keep_partial = false;            ///< a cancelled run writes the clips and the frames that it finished
};

/// The clips of a prepared subject. `folder`: from which files to collide with are looked for. Cancelled with
/// `keep_partial`, it stops without throwing, if it has finished anything at all, and says so.
struct ClipsToMake {
  const Subject& subject;
  Recipe& recipe;  ///< gets the clips that are made
  const std::vector<ClipTask>& tasks;
  const ResearchFiles& research;
  std::filesystem::path folder;
};
struct MadeClips {
  double resumed_at = 0;   ///< 0..1
  bool cancelled = false;  ///< recipe.clips has what was finished, and the other clips without motion
};
/// `partial`: see ClipRunOptions; empty: nothing is kept on the way.
MadeClips make_clips(const ClipsToMake& clips, const std::filesystem::path& partial, bool keep_partial,
                     const JobEvents& events);

/// Makes what is to be made, writes everything, reports it. Throws Cancelled.
SimulationResult execute(SimulationRun run, const JobEvents& events);

}  // namespace rigspace
