// Simulates a recipe again with other values, in whole or in part.

#include "clip_values.h"
#include "collision_words.h"
#include "rigspace/apps/physics/part_stiffness.h"
#include "rigspace/base/version.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/clip_names.h"
#include "rigspace/jobs/earlier_result.h"
#include "simulation_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

/// Flags of the clips that options.clips names, by the name of the simulated or of the artist's clip; all if it is
/// empty.
std::vector<bool> chosen_clips(const std::vector<ClipTask>& tasks, const RerunRequest& options) {
  std::vector<bool> chosen(tasks.size(), options.clips.empty());
  for (const std::string& text : options.clips)
    for (const int k : tasks_meant(tasks, text, options.recipe, "recipe")) chosen[k] = true;
  return chosen;
}

/// What the values of a request are for.
struct PlannedFor {
  const Character& character;
  const std::vector<Part>& parts;
};

/// Adds an edit of options.range with these values to the chosen clips that are finished.
void plan_edit(std::vector<ClipTask>& tasks, std::vector<bool> chosen, const Character& character,
               const std::vector<RecipeValue>& values, const RerunRequest& options) {
  for (std::size_t k = 0; k < tasks.size(); ++k) chosen[k] = chosen[k] && tasks[k].clip.finished();
  add_edits(tasks, chosen,
            {.range = options.range, .option = "--range", .character = character, .values = [&](const RecipeClip&) {
               return values;
             }});
}

/// The values of --set and --hit that are for all chosen clips.
std::vector<RecipeValue> values_of(const std::vector<ClipTask>& tasks, const std::vector<bool>& chosen,
                                   const std::vector<Part>& parts, const RerunRequest& options) {
  ClipTimes times;
  for (std::size_t k = 0; k < tasks.size(); ++k)
    if (const RecipeClip& clip = tasks[k].clip; chosen[k])
      times.include(clip.frame_rate, clip.start, clip.has_motion() ? clip.times.back() : clip.end);
  std::vector<RecipeValue> values = parse_sets(for_all_clips(options.sets), parts, options.recipe, times);
  for (RecipeValue& hit : parse_hits(for_all_clips(options.hits), parts, options.recipe, times))
    values.push_back(std::move(hit));
  return values;
}

/// Whether the corrections alone are replaced, so that the simulated layer stays.
bool is_only_fix(const RerunRequest& options) {
  return !options.fix.empty() && options.sets.empty() && options.hits.empty() && options.stiffness.empty() &&
         options.gravity.empty() && !options.accept_changed_input;
}

/// Replaces the corrections of the chosen clips.
void replace_fixes(std::vector<ClipTask>& tasks, const Character& character, const RerunRequest& options,
                   std::vector<std::string>& notes) {
  if (options.fix.empty()) return;
  std::vector<ClipTask> fixed = tasks;
  plan_fixes(options.fix, character, fixed, notes);
  const std::vector<bool> chosen = chosen_clips(tasks, options);
  for (std::size_t k = 0; k < tasks.size(); ++k)
    if (chosen[k]) tasks[k].clip.fix = std::move(fixed[k].clip.fix);
}

/// Whether an option changes the chosen clips, beside values that name their clip behind an @.
bool changes_chosen_clips(const RerunRequest& options) {
  const bool scoped = has_scoped(options.sets) || has_scoped(options.hits);
  return !scoped || !for_all_clips(options.sets).empty() || !for_all_clips(options.hits).empty() ||
         !options.clips.empty() || !options.stiffness.empty() || !options.gravity.empty() ||
         options.accept_changed_input;
}

/// Takes the motion of a clip away, so that it is simulated again, with its edits.
void make_again(ClipTask& task) {
  task.clip.times.clear();
  task.clip.curves.clear();
  task.edits_done = 0;
}

/// Writes values that are for all chosen clips into parts, clips or edits, and marks the clips to be simulated again.
void plan_chosen(Recipe& recipe, std::vector<ClipTask>& tasks, const PlannedFor& given, const RerunRequest& options) {
  const std::vector<bool> chosen = chosen_clips(tasks, options);
  const std::vector<RecipeValue> values = values_of(tasks, chosen, given.parts, options);
  if (!options.range.empty()) return plan_edit(tasks, chosen, given.character, values, options);
  if (is_only_fix(options)) return;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    if (!chosen[k]) continue;
    make_again(tasks[k]);
    if (!options.clips.empty()) merge_values(tasks[k].clip.set, values);
  }
  if (!options.clips.empty()) return;
  // Values for all clips are set on the parts; values of single clips for the same controls are removed.
  for (const RecipeValue& each : values) {
    for (RecipePart& part : recipe.parts)
      if (part.name == each.part) each.apply_to(part.settings);
    for (ClipTask& task : tasks)
      std::erase_if(task.clip.set, [&](const auto& v) { return v.part == each.part && v.control == each.control; });
  }
}

/// Writes all values of the request into parts, clips and edits.
void plan(Recipe& recipe, std::vector<ClipTask>& tasks, const PlannedFor& given, const RerunRequest& options) {
  if (changes_chosen_clips(options)) {
    plan_chosen(recipe, tasks, given, options);
  } else if (!options.range.empty()) {
    throw Error({.code = ErrorCode::usage,
                 .element = "--range \"" + options.range + "\"",
                 .value = options.range,
                 .problem = "is for values of all clips, and each one names its own",
                 .remedy = "put the range behind the clip: tail.amount=0.6@Walk@" + options.range});
  }
  const std::vector<bool> changed = set_in_clips(tasks, {.sets = options.sets,
                                                         .hits = options.hits,
                                                         .parts = given.parts,
                                                         .character = given.character,
                                                         .file = options.recipe,
                                                         .where = "recipe"});
  for (std::size_t k = 0; k < tasks.size(); ++k)
    if (changed[k]) make_again(tasks[k]);
}

/// Applies --stiffness to the recipe's parts. It changes a part's material, so that all clips are simulated again.
void restiffen(Recipe& recipe, std::vector<Part>& parts, const Character& character, const RerunRequest& options) {
  if (options.stiffness.empty()) return;
  if (!options.clips.empty() || !options.range.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "--stiffness",
                 .problem = "is of a part in all its clips",
                 .remedy = "leave --clip and --range out"});
  for (const std::string& text : options.stiffness) set_stiffness(character, parts, text);
  for (Part& part : parts)
    if (std::all_of(part.stiffness.begin(), part.stiffness.end(), [](double s) { return s == 1; }))
      part.stiffness.clear();
  const std::vector<RecipePart> now = recipe_parts(character, parts);
  for (std::size_t k = 0; k < now.size(); ++k)
    recipe.parts[k].controls = now[k].controls, recipe.parts[k].stiffness = now[k].stiffness;
}

/// Applies --gravity, which acts on all clips.
void change_gravity(Recipe& recipe, const RerunRequest& options) {
  if (options.gravity.empty()) return;
  if (!options.clips.empty() || !options.range.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "--gravity",
                 .problem = "acts on all clips",
                 .remedy = "leave --clip and --range out"});
  recipe.options.physics.gravity = gravity_from_words(options.gravity);
  recipe.options.physics.validate();
}

/// The clips of the recipe as tasks; clips that a cancelled run did not finish will be simulated.
std::vector<ClipTask> tasks_of(Recipe& recipe, const Character& character, const std::string& input) {
  std::vector<ClipTask> tasks;
  for (RecipeClip& clip : recipe.clips) {
    clip_named(character, input, clip.base);
    const std::size_t edits = clip.finished() ? clip.edits.size() : 0;
    tasks.push_back({std::move(clip), edits});
  }
  recipe.clips.clear();
  return tasks;
}

/// Compares the hash of an input with `known`, the recipe's input or the earlier result it was made on. Throws Error if
/// they differ, unless options.accept_changed_input.
void require_same_input(const RecipeInput& now, const RecipeInput& known, const RerunRequest& options) {
  if (now.hash == known.hash) return;
  const std::string file = "input \"" + known.file + "\"";
  if (!options.accept_changed_input)
    throw Error({.file = options.recipe,
                 .element = file,
                 .value = now.hash,
                 .problem = "is not what was simulated: its content has changed",
                 .remedy = "put it back, or say --accept-changed-input"});
  if (!options.range.empty() || !options.clips.empty())
    throw Error({.code = ErrorCode::usage,
                 .file = options.recipe,
                 .element = file,
                 .problem = "has changed, so that its old curves cannot be kept",
                 .remedy = "first run all of it again, without --clip and --range"});
}

/// The input of the recipe. The command of a rig in another process comes from the request, never from the recipe, so
/// that opening a file starts no program.
SimulationSource source_of(const Recipe& recipe, const RerunRequest& options) {
  const auto found = [&](const RecipeInput& input) {
    std::string file = (fs::path(options.recipe).parent_path() / input.file).lexically_normal().string();
    if (!fs::exists(file))
      throw Error({.file = options.recipe,
                   .element = "input \"" + input.file + "\"",
                   .value = file,
                   .problem = "does not exist",
                   .remedy = "it is looked for from the recipe's folder: put it there again"});
    return file;
  };
  const std::string file = found(recipe.input);
  SimulationSource source{.character = options.process};
  if (!recipe.on.file.empty()) source.on = found(recipe.on);
  const bool given = !options.process.command.empty();
  if (given == recipe.input.process.empty())
    throw Error({.code = ErrorCode::usage,
                 .file = options.recipe,
                 .element = "--rig-process",
                 .value = recipe.input.process,
                 .problem = given ? "is given, but the rig of the recipe is a file" : "is missing",
                 .remedy = given ? "leave it out"
                                 : "the rig is another program, which is only started where you say so: add "
                                   "--rig-process '" +
                                       recipe.input.process + "'"});
  (given ? source.clips : source.character.file) = file;
  source.character.object = recipe.input.object;
  return source;
}

fs::path output_of(const Recipe& recipe, const RerunRequest& options) {
  if (!options.output.empty()) return options.output;
  return fs::path(options.recipe).replace_extension(recipe.format);
}

}  // namespace

SimulationResult rerun_recipe(const RerunRequest& options, const JobEvents& events) {
  Recipe recipe = read_recipe(options.recipe);
  const SimulationSource source = source_of(recipe, options);
  auto [subject, out] = open_subject(source, output_of(recipe, options), events);
  const std::string& input = subject->name();
  const RecipeInput now = subject->describe(out.recipe);
  require_same_input(now, recipe.input, options);
  const RecipeInput on = describe_earlier(source.on, out.recipe);
  require_same_input(on, recipe.on, options);
  std::vector<std::string> notes;
  if (recipe.version != version())
    notes.push_back("the recipe was written by rigspace " + recipe.version + "; this is " + version() +
                    ", and the motion may differ");
  recipe.version = version();
  recipe.input = now;
  recipe.on = on;
  recipe.format = out.format();
  recipe.options.collide =
      colliders_seen_from(recipe.options.collide, fs::path(options.recipe).parent_path(), out.recipe.parent_path());
  change_gravity(recipe, options);
  std::vector<ClipTask> tasks = tasks_of(recipe, subject->character(), input);
  auto parts =
      about_file(input, subject->character(), [&] { return parts_from_recipe(subject->character(), recipe.parts); });
  about_file(input, subject->character(), [&] { restiffen(recipe, parts, subject->character(), options); });
  plan(recipe, tasks, {subject->character(), parts}, options);
  replace_fixes(tasks, subject->character(), options, notes);
  return execute({.subject = std::move(subject),
                  .recipe = std::move(recipe),
                  .tasks = std::move(tasks),
                  .out = out,
                  .notes = std::move(notes),
                  .fix_file = options.fix.empty() ? options.recipe : options.fix},
                 events);
}

}  // namespace rigspace
