#include "simulation_plan.h"

#include "part_values.h"

#include "rigspace/anim/character_frame.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/apps/physics/part_stiffness.h"
#include "rigspace/base/version.h"
#include "rigspace/geometry/scene_unit.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/clip_names.h"
#include "rigspace/jobs/earlier_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace rigspace {
namespace {

/// What a guess means for the motion, and what to add where it is wrong: larger things swing more slowly, as the root
/// of their size.
std::string unit_in_words(const SceneUnit& unit) {
  std::string text = fmt::format("it measures {:.4g} units, which is taken as 1.7 m; --unit says otherwise", unit.size);
  std::string others;
  for (const double metres : {1.0, 0.01, 0.001})
    if (const double size = unit.size * metres; size > 0.02 && size < 100 && std::abs(std::log(size / 1.7)) > 0.3)
      others +=
          fmt::format("{} --unit {:g} if it is {:.3g} m, {:.2g} times {}", others.empty() ? ":" : ", or", metres, size,
                      std::sqrt(std::max(size, 1.7) / std::min(size, 1.7)), size > 1.7 ? "slower" : "faster");
  return text + others;
}

/// Metres per unit from the way a character walks, where its size says nothing. Legs swing like pendulums: people of
/// all sizes, and animals, walk near f = 1.75 sqrt(g / l) / 2 pi strides a second on legs of length l, so that the
/// period of the walk tells l in metres; half of the height, in units, is about as long. A unit that is common (m, dm,
/// inch, cm, mm) is taken where that is within a factor of 1.6. 0 where no clip is called a walk, or the result is no
/// animal.
double metres_by_gait(const Character& character, double height) {
  constexpr double kPace = 1.75, kLegs = 0.5, kNear = 1.6, kSmallest = 0.05, kLargest = 30;
  const Animation* walk = ordinary_locomotion(character);
  if (walk == nullptr || !(height > 0)) return 0;
  const ClipPlay play = decide_play(character, *walk);
  if (!play.loops) return 0;
  const double legs = 9.81 * std::pow(kPace * play.period / (2 * std::numbers::pi), 2);  // m
  double unit = legs / (kLegs * height);
  for (const double common : {1.0, 0.1, 0.0254, 0.01, 0.001})
    if (std::max(unit / common, common / unit) < kNear) unit = common;
  return unit * height >= kSmallest && unit * height <= kLargest ? unit : 0;
}

/// As asked, else guessed, and said.
double metres_per_unit(const Character& character, const SimulationRequest& request, std::vector<std::string>& notes) {
  if (request.unit > 0) return request.unit;
  const OwnFrame frame = character_frame(character);
  const SceneUnit unit = guess_metres_per_unit(frame.extent());
  if (!unit.guessed) return unit.metres;
  if (const double by_gait = metres_by_gait(character, frame.sides.y()); by_gait > 0) {
    notes.push_back(
        fmt::format("it measures {:.4g} units; by the pace of its walk a unit is taken as {:.3g} m, so that it is "
                    "{:.3g} m large: a "
                    "smaller unit makes parts quicker, a larger one slower; --unit says otherwise",
                    unit.size, by_gait, by_gait * unit.size));
    return by_gait;
  }
  notes.push_back(unit_in_words(unit));
  return unit.metres;
}

/// What the papers say where nothing else was asked for (paper.h).
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

/// The options with their words read.
RecipeOptions recipe_options(const Character& character, const SimulationRequest& request,
                             std::vector<std::string>& notes) {
  RecipeOptions result = request.recipe;
  result.soft = request.soft == "joints"   ? SoftForm::joints
                : request.soft == "morphs" ? SoftForm::morphs
                                           : SoftForm::automatic;
  result.chains = request.chains == "solids" ? ChainForm::solids
                  : request.chains == "auto" ? ChainForm::automatic
                                             : ChainForm::rods;
  SimulationOptions& physics = result.physics;
  physics.metres_per_unit = metres_per_unit(character, request, notes);
  physics.integrator = request.integrator == "euler" ? IntegratorKind::euler : IntegratorKind::bdf2;
  physics.looping = request.loop == "yes" ? Looping::always : request.loop == "no" ? Looping::never : Looping::find;
  if (physics.looping == Looping::find && request.loop != "auto") physics.play.loop = split_patterns(request.loop);
  physics.play.once = split_patterns(request.once);
  physics.follow_animation = request.follow == "animation";
  if (request.step > 0) physics.step = request.step;
  if (physics.paper) as_printed(physics, request);
  if (!request.solver.empty()) physics.curvature = rig_curvature_named(request.solver);
  physics.validate();
  return result;
}

/// Each joint and each control in one part, each part with a name of its own.
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

/// --set and --hit, for all clips.
void set_settings(const Subject& subject, std::vector<Part>& parts, const SimulationRequest& request) {
  ClipTimes times;
  if (!request.sets.empty() || !request.hits.empty())
    for (const Animation* clip : clips_of(subject, request)) {
      const double rate = frame_rate_of(*clip, request);
      const double end = request.end.empty() ? clip->duration : parse_time(request.end, rate, "--end");
      times.include(rate, parse_time(request.start, rate, "--start"), std::min(end, clip->duration));
    }
  set_values(parts, parse_sets(request.sets, parts, subject.name(), times));
  set_values(parts, parse_hits(request.hits, parts, subject.name(), times));
  for (const std::string& text : request.stiffness)
    about_file(subject.name(), subject.character(), [&] { set_stiffness(subject.character(), parts, text); });
}

std::vector<Part> parts_of(const Subject& subject, const SimulationRequest& request, std::vector<std::string>& notes) {
  std::vector<Part> parts;
  if (request.parts.empty()) {
    parts = subject.found_parts();
    if (const std::string remark = subject.remark_on_parts(); !remark.empty()) notes.push_back(remark);
    if (parts.empty() && subject.may_rest()) return parts;
  }
  for (const std::string& text : request.parts)
    for (Part& part : about_file(subject.name(), subject.character(), [&] { return subject.named_parts(text); }))
      parts.push_back(std::move(part));
  if (parts.empty()) subject.refuse_without_parts();
  require_apart(subject, parts);
  set_settings(subject, parts, request);
  return parts;
}

/// The clips that were asked for, or all that an artist made.
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

/// A pattern of --loop or --once that no clip has is a slip of the pen.
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

SimulationPlan plan_simulation(const Subject& subject, const SimulationRequest& request, bool on_controls) {
  const Character& character = subject.character();
  if (on_controls) refuse_for_controls(request, subject.name());
  if (request.recipe.frame_rate != 0) require_frame_rate(request.recipe.frame_rate, "--fps");
  SimulationPlan plan{.research = research_files(request)};
  plan.recipe.version = version();
  plan.recipe.options = recipe_options(character, request, plan.recipe.notes);
  require_clips(character, plan.recipe.options.physics.play.loop, "--loop", subject.name());
  require_clips(character, plan.recipe.options.physics.play.once, "--once", subject.name());
  plan.recipe.parts = recipe_parts(character, parts_of(subject, request, plan.recipe.notes));
  if (const Animation* reference = reference_clip(character)) plan.recipe.tuned_on = reference->name;
  for (const Animation* clip : clips_of(subject, request))
    plan.tasks.push_back(task_for(subject, *clip, request, plan.recipe.notes));
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
