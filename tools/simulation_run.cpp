#include "simulation_run.h"

#include "collide.h"
#include "partial_run.h"
#include "simulation_summary.h"

#include "rigspace/base/cache.h"
#include "rigspace/base/content_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rigspace::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Everything that the result depends on.
std::string key_of(const SimulationRun& run) {
  Recipe plan = run.recipe;
  std::string done;
  for (const ClipTask& task : run.tasks) {
    plan.clips.push_back(task.clip);
    done += fmt::format(" {}", task.edits_done);
  }
  done += colliders_stamp(run.recipe.options.collide, run.out.recipe.parent_path());
  return content_hash(recipe_text(plan) + done + program_stamp());
}

/// Simulates the clips of a run one by one, and knows how far it is.
class Maker {
 public:
  Maker(const SimulationRun& run, PartialRun& partial)
      : run_(run), character_(run.subject->simulated()), partial_(partial), progress_(terminal_progress()) {}

  /// Share of the run, 0..1, that need not be made again; 0 for a fresh one.
  double resumed_at() const {
    double done = 0, all = 0;
    const auto mark = partial_.mark();
    for (std::size_t k = 0; k < run_.tasks.size(); ++k) {
      const ClipTask& task = run_.tasks[k];
      const double length = clip_of(task.clip).duration, solves = static_cast<double>(task.solves());
      all += length * solves;
      if (partial_.finished(k))
        done += length * solves;
      else if (mark && mark->at.clip == k)
        done += length * (static_cast<double>(mark->at.solve) + mark->fraction);
    }
    return all > 0 ? done / all : 0;
  }

  /// The clip as it will be written. Throws Cancelled; then `stopped` has what was finished of it, if anything.
  RecipeClip make(std::size_t k) {
    if (auto finished = partial_.finished(k)) return std::move(*finished);
    const ClipTask& task = run_.tasks[k];
    RecipeClip clip = task.clip;
    std::size_t solve = 0;
    if (!clip.finished()) solve_into(clip, {k, solve++}, {});
    for (std::size_t e = task.edits_done; e < clip.edits.size(); ++e) {
      RecipeClip fresh = clip;
      solve_into(fresh, {k, solve++}, clip.edits[e].set);
      clip = splice(clip, fresh, clip.edits[e].from, clip.edits[e].to);
    }
    return clip;
  }
  const std::optional<RecipeClip>& stopped() const { return stopped_; }

 private:
  const Animation& clip_of(const RecipeClip& clip) const {
    return *clip_named(character_, run_.subject->name(), clip.base);
  }

  void solve_into(RecipeClip& clip, RunPosition at, const std::vector<RecipeValue>& values) {
    std::vector<Part> parts(run_.subject->parts().begin(), run_.subject->parts().end());
    set_values(parts, clip.set);
    set_values(parts, values);
    SimulationOptions physics = run_.recipe.options.physics;
    physics.use_cache = true;
    physics.start = clip.start;
    physics.end = clip.end;
    physics.preroll = clip.preroll;
    physics.collisions = collisions_of(run_.recipe.options, clip.base, run_.out.recipe.parent_path());
    double fraction = 0;
    physics.checkpoints.resume = partial_.checkpoint(at);
    physics.checkpoints.save = [&](std::span<const std::byte> bytes) { partial_.keep_checkpoint(at, fraction, bytes); };
    // Half of an edit is no better than the clip without it: only of a clip's first solve something is kept.
    if (at.solve == 0 && !clip.finished())
      physics.checkpoints.stopped = [&](const SoftMotion& motion) {
        stopped_ = clip;
        set_motion(*stopped_, character_.rig->controls(), motion);
      };
    const std::string stage =
        run_.tasks.size() > 1 ? fmt::format("{} ({} of {})", clip.base, at.clip + 1, run_.tasks.size()) : clip.base;
    const auto progress_here = [&](const Progress& progress) {
      fraction = progress.fraction;
      return progress_({stage, progress.fraction});
    };
    if (run_.research.any()) {
      const PaperRun paper = run_paper(character_, &clip_of(clip), parts, physics, progress_here);
      write_research(run_.research, paper);
      return set_motion(clip, character_.rig->controls(), paper.motion);
    }
    const SoftMotion motion = simulate_parts(character_, &clip_of(clip), parts, physics, progress_here);
    set_motion(clip, character_.rig->controls(), motion);
  }

  const SimulationRun& run_;
  const Character& character_;
  PartialRun& partial_;
  ProgressCallback progress_;
  std::optional<RecipeClip> stopped_;
};

/// `notes` go onto the page; what there is to say is added to them.
void write_result(const SimulationRun& run, std::vector<std::string>& notes) {
  run.subject->write(run.recipe, run.out, notes);
  write_recipe(run.out.recipe, run.recipe);
}

/// A cancelled run that may keep what it finished: whole clips, and of the one under way its finished frames.
void keep_what_is_finished(SimulationRun& run, const std::optional<RecipeClip>& under_way,
                           std::vector<std::string>& notes, const Context& context) {
  const std::size_t finished = run.recipe.clips.size();
  if (finished == 0 && !under_way) return;
  for (std::size_t k = finished; k < run.tasks.size(); ++k) run.recipe.clips.push_back(run.tasks[k].clip);
  if (under_way) run.recipe.clips[finished] = *under_way;
  write_result(run, notes);
  if (context.json) return;
  if (under_way) fmt::print("{}", clip_in_words(run.recipe, *under_way));
  fmt::print("{}: {} of {} clips{}, since it was stopped; rigspace rerun {} makes the others\n",
             run.out.result().string(), finished, run.tasks.size(),
             under_way ? " and a part of " + under_way->base : "", run.out.recipe.string());
}

void print_answer(const SimulationRun& run, const std::vector<std::string>& notes, double resumed_at,
                  const Context& context) {
  if (!context.json) {
    fmt::print("{}{}", run.subject->files_in_words(run.out), advice(run.recipe, run.out.recipe));
    return;
  }
  Json answer{{"output", Json::array()}, {"notes", notes}, {"resumed_at", resumed_at}, {"clips", Json::array()}};
  for (const fs::path& path : run.out.written()) answer["output"].push_back(path.string());
  for (const RecipeClip& clip : run.recipe.clips) answer["clips"].push_back(clip_json(run.recipe, clip));
  if (const auto incidents = run.subject->incidents(); !incidents.empty()) answer["warnings"] = incidents;
  if (run.rig_evaluations) answer["rig_evaluations"] = *run.rig_evaluations;
  fmt::print("{}\n", answer.dump(2));
}

}  // namespace

void execute(SimulationRun run, const Context& context) {
  const std::string& input = run.subject->name();
  for (const ClipTask& task : run.tasks)
    if (run.subject->character().clip(task.clip.name) != nullptr)
      throw Error({.file = input,
                   .element = "clip \"" + task.clip.name + "\"",
                   .problem = "is there already",
                   .remedy = "simulate the artist's file, not a result; `rigspace rerun` changes a result"});
  std::vector<std::string> notes = run.recipe.notes;
  about_file(input, run.subject->character(), [&] { run.subject->prepare(run.recipe, notes); });
  for (const std::string& each : run.subject->recalled()) run.notes.push_back(each);
  PartialRun partial(run.out.partial, key_of(run));
  if (!context.json) {
    for (const auto& list : {run.notes, notes})
      for (const std::string& note : list) fmt::print("{}: {}\n", input, note);
    fmt::print("{}", parts_in_words(run.recipe));
  }
  Maker maker(run, partial);
  const double resumed_at = maker.resumed_at();
  if (!context.json && resumed_at > 0) fmt::print("resuming at {:.0f} %\n", 100 * resumed_at);
  std::fflush(stdout);
  try {
    for (std::size_t k = 0; k < run.tasks.size(); ++k) {
      run.recipe.clips.push_back(maker.make(k));
      partial.keep_finished(run.recipe, k);
      if (!context.json) fmt::print("{}", clip_in_words(run.recipe, run.recipe.clips.back()));
      std::fflush(stdout);
    }
  } catch (const Cancelled&) {
    if (run.keep_partial) keep_what_is_finished(run, maker.stopped(), notes, context);
    throw;
  }
  run.rig_evaluations = rig_evaluations_of(run.subject->character());
  if (run.rig_evaluations && !context.json)
    fmt::print("the rig was asked for {} poses, those for training and derivatives included\n", *run.rig_evaluations);
  const std::size_t told = notes.size();
  write_result(run, notes);
  if (!context.json)
    for (std::size_t k = told; k < notes.size(); ++k) fmt::print("{}\n", notes[k]);
  notes.insert(notes.end(), run.notes.begin(), run.notes.end());
  print_warnings(context, "rigspace", run.subject->incidents());
  print_answer(run, notes, resumed_at, context);
  if (std::any_of(run.recipe.clips.begin(), run.recipe.clips.end(), [](const auto& c) { return c.failed_steps > 0; }))
    throw Error({.code = ErrorCode::not_converged,
                 .file = input,
                 .problem = "some steps did not converge; the result is written",
                 .remedy = "lower the amount, or raise the rate"});
}

}  // namespace rigspace::tools
