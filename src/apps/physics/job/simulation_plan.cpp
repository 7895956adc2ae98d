#include "simulation_plan.h"

#include "clip_values.h"
#include "run/black_box_run.h"

#include "rigspace/anim/character_unit.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/apps/physics/part_stiffness.h"
#include "rigspace/base/require.h"
#include "rigspace/base/version.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/clip_names.h"
#include "rigspace/jobs/earlier_result.h"
#include "rigspace/parts/part_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

/// A sentence about a guessed unit: which rates follow from it (the period grows with the square root of the size), and
/// the option to add if it is wrong.
std::string unit_in_words(const SceneUnit& unit) {
  std::string text = fmt::format(
      "it measures {:.4g} units, which is taken as 1.7 m; --unit says otherwise, and `rigspace "
      "settings FOLDER unit=M` for all files of a folder",
      unit.size);
  std::string others;
  for (const double metres : {1.0, 0.01, 0.001})
    if (const double size = unit.size * metres; size > 0.02 && size < 100 && std::abs(std::log(size / 1.7)) > 0.3)
      others +=
          fmt::format("{} --unit {:g} if it is {:.3g} m, {:.2g} times {}", others.empty() ? ":" : ", or", metres, size,
                      std::sqrt(std::max(size, 1.7) / std::min(size, 1.7)), size > 1.7 ? "slower" : "faster");
  return text + others;
}

/// Metres per unit: of the request, else of the folder, else guessed with a note.
double metres_per_unit(const Character& character, const SimulationRequest& request, const FolderSettings& folder,
                       std::vector<std::string>& notes) {
  if (request.unit > 0) return request.unit;
  if (folder.unit > 0) return folder.unit;
  const CharacterUnit unit = guess_unit(character);
  if (unit.by_pace)
    notes.push_back(fmt::format(
        "it measures {:.4g} units; by the pace of its steps a unit is taken as {:.3g} m, so that it is {:.3g} m large: "
        "a "
        "smaller unit makes parts quicker, a larger one slower; --unit says otherwise, and `rigspace settings FOLDER "
        "unit=M` for all files of a folder",
        unit.size, unit.metres, unit.metres * unit.size));
  else if (unit.guessed)
    notes.push_back(unit_in_words(unit));
  return unit.metres;
}

/// Defaults of --paper for options that the request does not set (paper.h).
void as_printed(SimulationOptions& physics, const SimulationRequest& request) {
  if (request.step == 0) physics.step = 0.01;
  physics.integrator = IntegratorKind::euler;
  physics.follow_animation = false;
  physics.looping = Looping::never;
  physics.curvature = RigCurvature::bfgs;
  if (!request.recipe.collide.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "--collide",
                 .problem = "has no effect with --paper",
                 .remedy = "leave one of them out"});
}

/// `Walk*,Run` as two patterns; none of an empty text.
std::vector<std::string> split_patterns(const std::string& text) {
  std::vector<std::string> patterns;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    if (comma > from) patterns.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return patterns;
}

/// Adds the patterns that match some clip; others are no error, since a folder's settings are for many characters.
void add_present(const Character& character, const std::vector<std::string>& patterns, std::vector<std::string>& to) {
  std::vector<std::string> names;
  for (const Animation& clip : character.clips) names.push_back(clip.name);
  for (const std::string& pattern : patterns)
    if (!matching_names(names, pattern).empty()) to.push_back(pattern);
}

}  // namespace

RecipeOptions plan_options(const Character& character, const SimulationRequest& request, const FolderSettings& folder,
                           std::vector<std::string>& notes) {
  RecipeOptions result = request.recipe;
  result.protect.insert(result.protect.end(), folder.protect.begin(), folder.protect.end());
  result.soft = request.soft == "joints"   ? SoftForm::joints
                : request.soft == "morphs" ? SoftForm::morphs
                                           : SoftForm::automatic;
  result.chains = request.chains == "solids" ? ChainForm::solids
                  : request.chains == "auto" ? ChainForm::automatic
                                             : ChainForm::rods;
  SimulationOptions& physics = result.physics;
  physics.metres_per_unit = metres_per_unit(character, request, folder, notes);
  physics.integrator = request.integrator == "euler" ? IntegratorKind::euler : IntegratorKind::bdf2;
  physics.looping = request.loop == "yes" ? Looping::always : request.loop == "no" ? Looping::never : Looping::find;
  if (physics.looping == Looping::find && request.loop != "auto") physics.play.loop = split_patterns(request.loop);
  physics.play.once = split_patterns(request.once);
  add_present(character, folder.loop, physics.play.loop);
  add_present(character, folder.once, physics.play.once);
  physics.follow_animation = request.follow == "animation";
  if (request.step > 0) physics.step = request.step;
  if (physics.paper) as_printed(physics, request);
  if (!request.solver.empty()) physics.curvature = rig_curvature_named(request.solver);
  physics.validate();
  return result;
}

namespace {

/// Makes sure that each joint and each control is in one part only, and that names of parts are unique.
void require_apart(const Subject& subject, std::vector<Part>& parts) {
  const Character& character = subject.character();
  std::map<std::string, std::string> owner;
  std::map<std::string, int> used;
  const auto claim = [&](const Part& part, const std::string& thing) {
    if (const auto [other, fresh] = owner.emplace(thing, part.name); !fresh)
      throw Error({.code = ErrorCode::usage,
                   .file = subject.name(),
                   .element = thing,
                   .problem = "is in two parts, " + other->second + " and " + part.name,
                   .remedy = "give patterns that do not overlap"});
  };
  for (Part& part : parts) {
    if (const int times = ++used[part.name]; times > 1) part.name += "_" + std::to_string(times);
    for (const int point : part.points) claim(part, "point " + std::to_string(point));
    for (const int bone : part.bones)
      if (part.points.empty()) claim(part, "joint \"" + character.bones[bone].name + "\"");
    for (const int control : part.controls) claim(part, "control \"" + character.rig->controls()[control].name + "\"");
  }
}

std::vector<const Animation*> clips_of(const Subject& subject, const SimulationRequest& request);
double frame_rate_of(const Animation& clip, const SimulationRequest& request) {
  return request.recipe.frame_rate > 0 ? request.recipe.frame_rate : key_rate(clip);
}

/// The folder's settings, as far as there are such parts; then --set and --hit, for all clips.
void set_settings(const Subject& subject, std::vector<Part>& parts, const SimulationRequest& request,
                  const FolderSettings& folder) {
  ClipTimes times;
  std::vector<std::string> of_folder;
  for (const auto& [name, value] : folder.set) {
    const std::string part = name.substr(0, name.rfind('.'));
    if (std::any_of(parts.begin(), parts.end(), [&](const Part& each) { return matches_pattern(each.name, part); }))
      of_folder.push_back(name + "=" + value);
  }
  if (!request.sets.empty() || !request.hits.empty() || !of_folder.empty())
    for (const Animation* clip : clips_of(subject, request)) {
      const double rate = frame_rate_of(*clip, request);
      const double end = request.end.empty() ? clip->duration : parse_time(request.end, rate, "--end");
      times.include(rate, parse_time(request.start, rate, "--start"), std::min(end, clip->duration));
    }
  for (Part& part : parts)
    if (part.found) part.settings.amount *= folder.amount;
  set_values(parts, parse_sets(of_folder, parts, subject.name(), times));
  set_values(parts, parse_sets(for_all_clips(request.sets), parts, subject.name(), times));
  set_values(parts, parse_hits(for_all_clips(request.hits), parts, subject.name(), times));
  for (const std::string& text : request.stiffness)
    about_file(subject.name(), subject.character(), [&] { set_stiffness(subject.character(), parts, text); });
}

}  // namespace

std::vector<Part> plan_parts(const Subject& subject, const SimulationRequest& request, const FolderSettings& folder,
                             std::vector<std::string>& notes) {
  std::vector<Part> parts;
  if (request.parts.empty()) {
    parts = subject.found_parts();
    const std::size_t found = parts.size();
    std::erase_if(parts, [&](const Part& part) { return is_never(folder, part); });
    if (const std::string remark = subject.remark_on_parts(); !remark.empty()) notes.push_back(remark);
    if (parts.empty() && (subject.may_rest() || found > 0)) return parts;
  }
  for (const std::string& text : request.parts)
    for (Part& part : about_file(subject.name(), subject.character(), [&] { return subject.named_parts(text); }))
      parts.push_back(std::move(part));
  if (parts.empty()) subject.refuse_without_parts();
  require_apart(subject, parts);
  set_settings(subject, parts, request, folder);
  return parts;
}

namespace {

/// The clips that the request names, or all of the artist's.
std::vector<const Animation*> clips_of(const Subject& subject, const SimulationRequest& request) {
  std::vector<const Animation*> clips;
  std::vector<std::string> names;
  for (const Animation& clip : subject.character().clips) names.push_back(clip.name);
  for (const std::string& text : request.clips) {
    const std::vector<int> meant = clips_meant(names, text, subject.name());
    for (const int k : meant) {
      const Animation* clip = &subject.character().clips[k];
      if (meant.size() > 1 && (is_soft_clip(clip->name) || clip->duration == 0)) continue;  // a pattern meets these too
      if (std::find(clips.begin(), clips.end(), clip) == clips.end()) clips.push_back(clip);
    }
  }
  if (request.clips.empty())
    for (const Animation& clip : subject.character().clips)
      if (clip.duration > 0 && !is_soft_clip(clip.name)) clips.push_back(&clip);
  if (clips.empty())
    throw Error({.file = subject.name(),
                 .problem = names.empty() ? "has no clips" : "has no clip that lasts: each is a single key, a pose",
                 .remedy = "motion needs something that moves; add a clip"});
  for (const Animation* clip : clips)
    if (clip->duration == 0)
      throw Error({.file = subject.name(),
                   .element = "clip \"" + clip->name + "\"",
                   .problem = "is a single key, a pose",
                   .remedy = "motion needs something that moves; name another clip"});
  return clips;
}

/// Clips that are left as they are, since nothing moves in them.
void note_poses(const Subject& subject, const SimulationRequest& request, std::vector<std::string>& notes) {
  if (!request.clips.empty()) return;
  for (const Animation& clip : subject.character().clips)
    if (clip.duration == 0 && !is_soft_clip(clip.name))
      notes.push_back("clip \"" + clip.name + "\" is a single key, a pose, and is left as it is");
}

ClipTask task_for(const Subject& subject, const Animation& clip, const SimulationRequest& request,
                  std::vector<std::string>& notes) {
  RecipeClip plan{.name = clip.name + "_soft", .base = clip.name};
  plan.frame_rate = frame_rate_of(clip, request);
  plan.start = parse_time(request.start, plan.frame_rate, "--start");
  plan.preroll = parse_time(request.preroll, plan.frame_rate, "--preroll");
  if (!request.end.empty()) plan.end = parse_time(request.end, plan.frame_rate, "--end");
  const auto refuse = [&](const char* option, double value, std::string problem) {
    throw Error({.code = ErrorCode::usage,
                 .file = subject.name(),
                 .element = option,
                 .value = std::to_string(value),
                 .problem = std::move(problem),
                 .remedy = fmt::format("clip \"{}\" lasts {:.4g} s", clip.name, clip.duration)});
  };
  if (plan.start < 0) refuse("--start", plan.start, "is before the clip begins");
  if (plan.preroll < 0) refuse("--preroll", plan.preroll, "is negative");
  if (clip.duration > 0 && plan.start >= clip.duration) refuse("--start", plan.start, "is not before the clip's end");
  if (plan.end <= plan.start) refuse("--end", plan.end, "is not after the start");
  if (std::isfinite(plan.end) && plan.end > clip.duration + 1e-6)
    notes.push_back(fmt::format("clip \"{}\" ends at {:.4g} s, before --end", clip.name, clip.duration));
  const double seconds = std::min(plan.end, clip.duration) - plan.start, steps = seconds / request.recipe.physics.step;
  if (!(steps <= kMostSteps))
    throw Error({.file = subject.name(),
                 .element = "clip \"" + clip.name + "\"",
                 .value = shortest_text(clip.duration),
                 .problem = fmt::format("lasts {:.4g} s, {:.4g} steps of physics; at most {:.4g} are made",
                                        clip.duration, steps, kMostSteps),
                 .remedy = "check the times of its keys, simulate a part of it with --start and --end, or name other "
                           "clips with --clip"});
  return {.clip = std::move(plan)};
}

/// Throws Error if an option was given that only joints and skin have.
void refuse_for_controls(const SimulationRequest& request, const std::string& name) {
  const std::pair<bool, const char*> no_effect[] = {{request.soft != "auto", "--soft"},
                                                    {request.chains != "auto", "--chains"},
                                                    {!request.recipe.protect.empty(), "--protect"},
                                                    {request.recipe.max_influences != 4, "--max-influences"}};
  for (const auto& [given, option] : no_effect)
    if (given)
      throw Error({.code = ErrorCode::usage,
                   .file = name,
                   .element = option,
                   .problem = "has no effect on a rig whose own controls are simulated",
                   .remedy = "leave it out, or simulate the mesh that the rig file names"});
}

ResearchFiles research_files(const SimulationRequest& request) {
  ResearchFiles files{request.report, request.dump};
  require_endings(files);
  if (files.any() && !request.recipe.physics.paper)
    throw Error({.code = ErrorCode::usage,
                 .element = request.report.empty() ? "--dump" : "--report",
                 .problem = "is of runs with --paper",
                 .remedy = "add --paper, or leave it out"});
  return files;
}

/// Throws Error for a pattern of --loop or --once that matches no clip.
void require_clips(const Character& character, const std::vector<std::string>& patterns, const char* option,
                   const std::string& file) {
  for (const std::string& pattern : patterns) {
    std::vector<std::string> names;
    for (const Animation& clip : character.clips) names.push_back(clip.name);
    if (matching_names(names, pattern).empty())
      throw Error({.code = ErrorCode::usage,
                   .file = file,
                   .element = std::string(option) + " \"" + pattern + "\"",
                   .value = pattern,
                   .problem = "meets no clip",
                   .remedy = "give auto, yes or no, or patterns of clips; `rigspace info` lists them"});
  }
}

}  // namespace

void plan_fixes(const std::string& path, const Character& character, std::vector<ClipTask>& tasks,
                std::vector<std::string>& notes) {
  const FixFile file = path.empty() || path == "none" ? FixFile{} : read_fix(path);
  std::vector<std::string> here, others;
  for (const ClipTask& task : tasks) here.push_back(task.clip.base);
  for (const Animation& clip : character.clips)
    if (std::find(here.begin(), here.end(), clip.name) == here.end()) others.push_back(clip.name);
  const std::vector<ClipFix> fixes = fixes_of(file, here, others), unused = fixes_of(file, others, here);
  for (std::size_t k = 0; k < tasks.size(); ++k) tasks[k].clip.fix = fixes[k];
  for (std::size_t k = 0; k < others.size(); ++k)
    if (!unused[k].empty())
      notes.push_back("the corrections of clip \"" + others[k] + "\" are not used, since it is not simulated");
}

SimulationPlan plan_simulation(const Subject& subject, const SimulationRequest& request, const FolderSettings& folder,
                               bool on_controls) {
  const Character& character = subject.character();
  if (on_controls) refuse_for_controls(request, subject.name());
  if (request.recipe.frame_rate != 0) require_frame_rate(request.recipe.frame_rate, "--fps");
  SimulationPlan plan{.research = research_files(request)};
  plan.recipe.version = version();
  if (folder.any()) plan.recipe.notes.push_back("settings of " + folder.in_words());
  plan.recipe.options = plan_options(character, request, folder, plan.recipe.notes);
  require_clips(character, plan.recipe.options.physics.play.loop, "--loop", subject.name());
  require_clips(character, plan.recipe.options.physics.play.once, "--once", subject.name());
  const std::vector<Part> parts = plan_parts(subject, request, folder, plan.recipe.notes);
  plan.recipe.parts = recipe_parts(character, parts);
  if (const Animation* reference = reference_clip(character)) plan.recipe.tuned_on = reference->name;
  for (const Animation* clip : clips_of(subject, request))
    plan.tasks.push_back(task_for(subject, *clip, request, plan.recipe.notes));
  set_in_clips(
      plan.tasks,
      {.sets = request.sets, .hits = request.hits, .parts = parts, .character = character, .file = subject.name()});
  plan_fixes(request.fix, character, plan.tasks, plan.recipe.notes);
  note_poses(subject, request, plan.recipe.notes);
  if (plan.research.any() && plan.tasks.size() > 1)
    throw Error({.code = ErrorCode::usage,
                 .file = subject.name(),
                 .element = request.report.empty() ? "--dump" : "--report",
                 .problem = "is of one clip, and there are several",
                 .remedy = "name one with --clip"});
  return plan;
}

}  // namespace rigspace
