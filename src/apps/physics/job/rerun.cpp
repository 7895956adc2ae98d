// Simulates a recipe again with other values, in whole or in part.

#include "collision_words.h"
#include "part_values.h"
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

[[noreturn]] void refuse_range(const std::string& range, std::string problem, std::string remedy) {
  throw Error({.code = ErrorCode::usage,
               .element = "--range \"" + range + "\"",
               .value = range,
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

struct Stretch {
  double from = 0, to = 0;  // s
};

/// `1035:1050` in frames, `0.5s:1.2s` in seconds.
Stretch parse_range(const std::string& range, double frame_rate) {
  const std::size_t colon = range.find(':');
  if (colon == std::string::npos)
    refuse_range(range, "is not FROM:TO", "give frames (1035:1050) or seconds (0.5s:1.2s)");
  const auto time = [&](std::string text) {
    if (!text.ends_with('s') && !text.ends_with('f')) text += 'f';
    return parse_time(text, frame_rate, "--range");
  };
  const Stretch stretch{time(range.substr(0, colon)), time(range.substr(colon + 1))};
  if (!(stretch.from < stretch.to)) refuse_range(range, "ends before it begins", "give FROM:TO with FROM before TO");
  return stretch;
}

/// Adds `given` to `values`, replacing earlier values of the same part and control.
void merge(std::vector<RecipeValue>& values, const std::vector<RecipeValue>& given) {
  for (const RecipeValue& each : given) {
    std::erase_if(values, [&](const auto& v) { return v.part == each.part && v.control == each.control; });
    values.push_back(each);
  }
}

/// Flags of the clips that options.clips names, by the name of the simulated or of the artist's clip; all if it is
/// empty.
std::vector<bool> chosen_clips(const std::vector<ClipTask>& tasks, const RerunRequest& options) {
  std::vector<bool> chosen(tasks.size(), options.clips.empty());
  std::vector<std::string> bases, names;
  for (const ClipTask& task : tasks) bases.push_back(task.clip.base), names.push_back(task.clip.name);
  for (const std::string& text : options.clips) {
    const bool by_own_name = matching_names(bases, text).empty() && !matching_names(names, text).empty();
    for (const int k : clips_meant(by_own_name ? names : bases, text, options.recipe, "recipe")) chosen[k] = true;
  }
  return chosen;
}

/// Adds an edit of options.range with these values to the chosen clips.
void plan_edit(std::vector<ClipTask>& tasks, const std::vector<bool>& chosen, const RerunRequest& options,
               const std::vector<RecipeValue>& values) {
  bool met = false;
  double longest = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    RecipeClip& clip = tasks[k].clip;
    if (!chosen[k] || !clip.finished()) continue;
    const auto [from, to] = parse_range(options.range, clip.frame_rate);
    longest = std::max(longest, clip.times.back());
    const double first = std::max(from, clip.times.front()), last = std::min(to, clip.times.back());
    if (!(first < last)) continue;
    met = true;
    clip.edits.push_back({first, last, values});
  }
  if (!met) refuse_range(options.range, "meets no clip", fmt::format("the longest ends at {:.4g} s", longest));
}

/// The values of --set and --hit.
std::vector<RecipeValue> values_of(const std::vector<ClipTask>& tasks, const std::vector<bool>& chosen,
                                   const std::vector<Part>& parts, const RerunRequest& options) {
  ClipTimes times;
  for (std::size_t k = 0; k < tasks.size(); ++k)
    if (const RecipeClip& clip = tasks[k].clip; chosen[k])
      times.include(clip.frame_rate, clip.start, clip.has_motion() ? clip.times.back() : clip.end);
  std::vector<RecipeValue> values = parse_sets(options.sets, parts, options.recipe, times);
  for (RecipeValue& hit : parse_hits(options.hits, parts, options.recipe, times)) values.push_back(std::move(hit));
  return values;
}

/// Whether the corrections alone are replaced, so that the simulated layer stays.
bool is_only_fix(const RerunRequest& options) {
  return !options.fix.empty() && options.sets.empty() && options.hits.empty() && options.stiffness.empty() &&
         !options.accept_changed_input;
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

/// Writes the values into parts, clips or edits, and marks the clips to be simulated again.
void plan(Recipe& recipe, std::vector<ClipTask>& tasks, const std::vector<Part>& parts, const RerunRequest& options) {
  const std::vector<bool> chosen = chosen_clips(tasks, options);
  const std::vector<RecipeValue> values = values_of(tasks, chosen, parts, options);
  if (!options.range.empty()) return plan_edit(tasks, chosen, options, values);
  if (is_only_fix(options)) return;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    ClipTask& task = tasks[k];
    if (!chosen[k]) continue;
    task.clip.times.clear();
    task.clip.curves.clear();
    task.edits_done = 0;
    if (!options.clips.empty()) merge(task.clip.set, values);
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
  std::vector<ClipTask> tasks = tasks_of(recipe, subject->character(), input);
  auto parts =
      about_file(input, subject->character(), [&] { return parts_from_recipe(subject->character(), recipe.parts); });
  about_file(input, subject->character(), [&] { restiffen(recipe, parts, subject->character(), options); });
  plan(recipe, tasks, parts, options);
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
