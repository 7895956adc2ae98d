#include "rigspace/apps/physics/recipe.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/signed_distance.h"

#include <algorithm>
#include <map>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kBlendFrames = 6, kBlendShare = 0.25;

}  // namespace

std::vector<RecipePart> recipe_parts(const Character& character, std::span<const Part> parts) {
  std::vector<RecipePart> result;
  for (const Part& part : parts) {
    result.push_back({.name = part.name,
                      .preset = part.preset,
                      .settings = part.settings,
                      .found = part.found,
                      .reason = part.reason});
    for (const int bone : part.bones) result.back().joints.push_back(character.bones[bone].name);
    for (const int control : part.controls) result.back().controls.push_back(character.rig->controls()[control].name);
    result.back().stiffness = part.stiffness;
    for (const int i : part.points) {
      const auto piece = std::find_if(character.pieces.begin(), character.pieces.end(), [&](const Piece& each) {
        return i >= each.first_point && i < each.first_point + each.point_count;
      });
      const int vertex = i - piece->first_point;
      std::vector<RecipePart::Vertices>& runs = result.back().sheet;
      if (!runs.empty() && runs.back().mesh == piece->name && runs.back().to == vertex - 1)
        runs.back().to = vertex;
      else
        runs.push_back({piece->name, vertex, vertex});
    }
  }
  return result;
}

std::vector<Part> parts_from_recipe(const Character& character, std::span<const RecipePart> parts) {
  std::vector<Part> result;
  for (const RecipePart& part : parts) {
    preset_named(part.preset);  // throws
    result.push_back({.name = part.name,
                      .preset = part.preset,
                      .settings = part.settings,
                      .found = part.found,
                      .reason = part.reason});
    for (const std::string& joint : part.joints) {
      const auto bone = std::find_if(character.bones.begin(), character.bones.end(),
                                     [&](const Bone& each) { return each.name == joint; });
      if (bone == character.bones.end())
        throw Error({.file = character.name,
                     .element = "joint \"" + joint + "\"",
                     .value = joint,
                     .problem = "of part " + part.name + " is not in the file",
                     .remedy = "simulate the file anew, with --part"});
      result.back().bones.push_back(static_cast<int>(bone - character.bones.begin()));
    }
    for (const std::string& name : part.controls) {
      const int control = find_control(character.rig->controls(), name);
      if (control < 0)
        throw Error({.file = character.name,
                     .element = "control \"" + name + "\"",
                     .value = name,
                     .problem = "of part " + part.name + " is not in the file",
                     .remedy = "simulate the file anew, with --part"});
      result.back().controls.push_back(control);
    }
    for (const RecipePart::Vertices& run : part.sheet) {
      const auto piece = std::find_if(character.pieces.begin(), character.pieces.end(),
                                      [&](const Piece& each) { return each.name == run.mesh; });
      if (piece == character.pieces.end() || run.from < 0 || run.to < run.from || run.to >= piece->point_count)
        throw Error({.file = character.name,
                     .element = "mesh \"" + run.mesh + "\"",
                     .value = run.mesh,
                     .problem = "of part " + part.name + " is not in the file, or has fewer vertices",
                     .remedy = "simulate the file anew, with --part"});
      for (int k = run.from; k <= run.to; ++k) result.back().points.push_back(piece->first_point + k);
    }
    std::sort(result.back().points.begin(), result.back().points.end());
    if (!part.stiffness.empty()) {  // in the order of the rig, as the controls
      std::map<int, double> scale;
      for (std::size_t k = 0; k < part.stiffness.size(); ++k) scale[result.back().controls[k]] = part.stiffness[k];
      for (const auto& [control, value] : scale) result.back().stiffness.push_back(value);
    }
    std::sort(result.back().controls.begin(), result.back().controls.end());
  }
  return result;
}

void RecipeValue::apply_to(PartSettings& settings) const {
  if (control == "hit")
    settings.hits = moments;
  else if (!keys.times.empty())
    settings.key(control, keys);
  else
    settings.set(control, value);
}

void set_values(std::span<Part> parts, std::span<const RecipeValue> values) {
  for (const RecipeValue& each : values) {
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.name == each.part; });
    if (part == parts.end())
      throw Error({.element = "part \"" + each.part + "\"",
                   .value = each.part,
                   .problem = "does not exist",
                   .remedy = "a value is set for it: remove that, or name another part"});
    each.apply_to(part->settings);
  }
}

void set_motion(RecipeClip& clip, std::span<const Control> controls, const SoftMotion& motion) {
  clip.loop = motion.looped;
  clip.period = motion.period;
  clip.why = motion.why;
  clip.stopped = motion.stopped;
  clip.seam = motion.seam;
  clip.steps = motion.steps;
  clip.iterations = motion.iterations;
  clip.halved_steps = motion.halved_steps;
  clip.failed_steps = motion.failed_steps;
  clip.inverted_steps = motion.inverted_steps;
  clip.recovered_steps = motion.recovered_steps;
  clip.jumps = motion.jumps;
  clip.parts = motion.parts;
  clip.times = motion.times;
  clip.curves.clear();
  for (std::size_t c = 0; c < motion.controls.size(); ++c) {
    const Control& control = controls[motion.controls[c]];
    RecipeCurve curve{.control = control.name, .unit = control.unit};
    const double unit = control.unit == Unit::angle ? 1 / kDegree : 1;
    for (Eigen::Index t = 0; t < motion.deviation.cols(); ++t)
      curve.values.push_back(motion.deviation(static_cast<Eigen::Index>(c), t) * unit);
    clip.curves.push_back(std::move(curve));
  }
}

SoftMotion motion_from_recipe(const RecipeClip& clip, std::span<const Control> controls) {
  SoftMotion motion{.times = clip.times,
                    .deviation = Mat(clip.curves.size(), clip.times.size()),
                    .parts = clip.parts,
                    .stopped = clip.stopped,
                    .looped = clip.loop,
                    .period = clip.period,
                    .why = clip.why,
                    .seam = clip.seam,
                    .steps = clip.steps,
                    .iterations = clip.iterations,
                    .halved_steps = clip.halved_steps,
                    .failed_steps = clip.failed_steps,
                    .inverted_steps = clip.inverted_steps,
                    .recovered_steps = clip.recovered_steps,
                    .jumps = clip.jumps};
  for (std::size_t c = 0; c < clip.curves.size(); ++c) {
    const RecipeCurve& curve = clip.curves[c];
    const int control = find_control(controls, curve.control);
    if (control < 0 || controls[control].unit != curve.unit)
      throw Error({.element = "curve \"" + curve.control + "\" of clip \"" + clip.name + "\"",
                   .value = curve.control,
                   .problem = control < 0 ? "moves a control that the character lacks" : "has another unit there",
                   .remedy = "simulate the file anew"});
    motion.controls.push_back(control);
    const double unit = curve.unit == Unit::angle ? kDegree : 1;
    for (std::size_t t = 0; t < clip.times.size(); ++t)
      motion.deviation(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(t)) = curve.values[t] * unit;
  }
  return motion;
}

RecipeClip splice(const RecipeClip& old, const RecipeClip& fresh, double from, double to) {
  bool fits = old.times == fresh.times && old.curves.size() == fresh.curves.size();
  for (std::size_t c = 0; fits && c < old.curves.size(); ++c)
    fits = old.curves[c].control == fresh.curves[c].control && old.curves[c].unit == fresh.curves[c].unit;
  if (!fits)
    throw Error({.element = "clip \"" + old.name + "\"",
                 .problem = "now has other times or joints than its old curves",
                 .remedy = "make all of it anew: leave out the range"});
  RecipeClip result = old;
  if (!old.times.empty()) {
    const double blend = std::min(kBlendFrames / old.frame_rate, kBlendShare * (to - from));
    const bool open_start = !old.loop && from <= old.times.front(), open_end = !old.loop && to >= old.times.back();
    for (std::size_t t = 0; t < old.times.size(); ++t) {
      const double time = old.times[t];
      if (time < from || time > to) continue;
      const double enter = open_start ? 1 : smooth_step(from, from + blend, time);
      const double leave = open_end ? 1 : smooth_step(to, to - blend, time);
      const double weight = std::min(enter, leave);
      for (std::size_t c = 0; c < old.curves.size(); ++c) {
        const double a = old.curves[c].values[t], b = fresh.curves[c].values[t];
        result.curves[c].values[t] = weight == 1 ? b : a + weight * (b - a);
      }
    }
  }
  result.steps += fresh.steps;
  result.iterations += fresh.iterations;
  result.halved_steps += fresh.halved_steps;
  result.failed_steps += fresh.failed_steps;
  result.inverted_steps += fresh.inverted_steps;
  result.recovered_steps += fresh.recovered_steps;
  result.jumps = std::max(result.jumps, fresh.jumps);
  return result;
}

}  // namespace rigspace
