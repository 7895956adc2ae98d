#include "simulation_run.h"

#include "collision_words.h"
#include "rigspace/jobs/clip_names.h"
#include "rigspace/jobs/earlier_result.h"
#include "rigspace/jobs/output_lock.h"
#include "rigspace/jobs/part_claims.h"
#include "rigspace/jobs/partial_run.h"
#include "simulation_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

/// Writes all files. `notes` go onto the page; Subject::write adds its remarks to them.
void write_result(const SimulationRun& run, std::vector<std::string>& notes, const JobEvents& events) {
  run.subject->write(run.recipe, run.out, notes, events.progress);
  write_recipe(run.out.recipe, run.recipe);
}

/// Prints what a cancelled run with keep_partial has written: finished clips, and finished frames of the current one.
void report_cancelled(const SimulationRun& run, const JobEvents& events) {
  const auto under_way =
      std::find_if(run.recipe.clips.begin(), run.recipe.clips.end(), [](const auto& clip) { return clip.stopped; });
  const auto finished =
      std::count_if(run.recipe.clips.begin(), run.recipe.clips.end(), [](const auto& clip) { return clip.finished(); });
  const bool any = under_way != run.recipe.clips.end();
  if (any) events.print(clip_in_words(run.recipe, *under_way));
  events.print(fmt::format("{}: {} of {} clips{}, since it was stopped; rigspace rerun {} makes the others\n",
                           run.out.result().string(), finished, run.tasks.size(),
                           any ? " and a part of " + under_way->base : "", shell_quoted(run.out.recipe.string())));
}

/// A cancelled run that keeps its folder of finished clips, as a killed one does.
void report_kept(const SimulationRun& run, const JobEvents& events) {
  if (run.out.partial.empty() || !fs::exists(run.out.partial)) return;
  events.print(
      fmt::format("Stopped: {} of {} clips are finished and kept in {}; the same command goes on from there.\n",
                  PartialRun::finished_in(run.out.partial), run.tasks.size(), run.out.partial.string()));
}

void require_new_clips(const SimulationRun& run) {
  for (const ClipTask& task : run.tasks)
    if (run.subject->character().clip(task.clip.name) != nullptr)
      throw Error({.file = run.subject->name(),
                   .element = "clip \"" + task.clip.name + "\"",
                   .problem = "is there already",
                   .remedy = "simulate the artist's file, not a result; `rigspace rerun` changes a result"});
}

}  // namespace

int SimulationResult::failed_steps() const {
  int failed = 0;
  for (const RecipeClip& clip : recipe.clips) failed += clip.failed_steps;
  return failed;
}

SimulationResult execute(SimulationRun run, const JobEvents& events) {
  const std::string& input = run.subject->name();
  require_new_clips(run);
  const OutputLock lock(run.out.result());
  std::vector<std::string> notes = run.recipe.notes;
  about_file(input, run.subject->character(), [&] { run.subject->prepare(run.recipe, notes, events.progress); });
  for (const std::string& each : run.subject->from_earlier_runs()) run.notes.push_back(each);
  for (const auto& list : {run.notes, notes})
    for (const std::string& note : list) events.print(fmt::format("{}: {}\n", input, note));
  events.print(parts_in_words(run.recipe));
  for (std::string& offer : part_offers(run.subject->simulated(), run.subject->parts(), input)) {
    events.print(offer + "\n");
    run.notes.push_back(std::move(offer));
  }
  if (run.recipe.parts.empty()) {
    if (std::any_of(run.tasks.begin(), run.tasks.end(), [](const ClipTask& task) { return !task.clip.fix.empty(); }))
      events.print("the corrections are not used, since there is no simulated layer below them\n");
    run.tasks.clear();
    events.print("no part moves, so the result is the input; name one with --part 'joint*=tail' or 'bone*=flesh'\n");
  }
  const MadeClips made = [&] {
    try {
      return make_clips({.subject = *run.subject,
                         .recipe = run.recipe,
                         .tasks = run.tasks,
                         .research = run.research,
                         .folder = run.out.recipe.parent_path(),
                         .fix_file = run.fix_file},
                        run.out.partial, run.keep_partial, events);
    } catch (const Cancelled&) {
      report_kept(run, events);
      throw;
    }
  }();
  if (made.cancelled) {
    write_result(run, notes, {});  // its progress would cancel the writing too
    std::error_code ignored;
    fs::remove_all(run.out.partial, ignored);  // all of it is in the result
    report_cancelled(run, events);
    throw Cancelled();
  }
  SimulationResult result{.input = input, .files = run.out, .resumed_at = made.resumed_at};
  result.rig_evaluations = run.subject->character().rig->evaluation_count();
  if (result.rig_evaluations)
    events.print(fmt::format("the rig was asked for {} poses, those for training and derivatives included\n",
                             *result.rig_evaluations));
  const std::size_t reported = notes.size();
  write_result(run, notes, events);
  for (std::size_t k = reported; k < notes.size(); ++k) events.print(notes[k] + "\n");
  notes.insert(notes.end(), run.notes.begin(), run.notes.end());
  result.incidents = run.subject->incidents();
  events.print_warnings("rigspace", result.incidents);
  events.print(run.subject->files_in_words(run.out) +
               (run.recipe.parts.empty() ? "" : advice(run.recipe, run.out.recipe)));
  result.recipe = std::move(run.recipe);
  result.notes = std::move(notes);
  return result;
}

SimulationResult simulate_file(const SimulationSource& source, const SimulationRequest& request, const fs::path& output,
                               const JobEvents& events) {
  SimulationSource opened = source;
  opened.character.skin = request.parts.empty();
  auto [subject, out] = open_subject(opened, output, events);
  if (request.curves_only) out = out.curves_alone();
  const FolderSettings folder =
      source.character.file.empty() ? FolderSettings{} : folder_settings(source.character.file);
  SimulationPlan plan = plan_simulation(*subject, request, folder, !out.curves.empty());
  Recipe& recipe = plan.recipe;
  recipe.format = out.format();
  recipe.options.collide = colliders_seen_from(request.recipe.collide, "", out.recipe.parent_path());
  recipe.input = subject->describe(out.recipe);
  recipe.on = describe_earlier(source.on, out.recipe);
  return execute({.subject = std::move(subject),
                  .recipe = std::move(recipe),
                  .tasks = std::move(plan.tasks),
                  .out = out,
                  .research = plan.research,
                  .keep_partial = request.keep_partial,
                  .fix_file = request.fix},
                 events);
}

}  // namespace rigspace
