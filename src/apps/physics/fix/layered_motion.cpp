// Influence, simulated layer and corrections as one motion at the frames that are written.

#include "rigspace/anim/key_edits.h"
#include "rigspace/apps/physics/recipe.h"
#include "rigspace/base/error.h"
#include "run/soft_keys.h"

#include <algorithm>
#include <map>

namespace rigspace {
namespace {

ClosedKeys closed_fix(const RecipeClip& clip, const Curve& curve) {
  return closed_keys(curve, clip.times.front(), clip.period, 0.5 / clip.frame_rate);
}

/// The correction at these times, in the rig's unit; its last value is its first to the bit where the loop closes.
Vec sampled(const RecipeClip& clip, const Track& track, const Control& control, const SoftMotion& frames) {
  const Curve curve = clip.loop ? closed_fix(clip, track.curve).curve : track.curve;
  const double unit = control.unit == Unit::angle ? kDegree : 1;
  Vec values(std::ssize(frames.times));
  for (Eigen::Index t = 0; t < values.size(); ++t) values[t] = curve(frames.times[static_cast<std::size_t>(t)]) * unit;
  if (frames.closes()) values[values.size() - 1] = values[0];
  return values;
}

/// Controls that are written together with this one: rx ry rz of a node with an orientation, and tx ty tz of a soft
/// joint, which may become the weights of three shapes.
std::vector<int> companions(std::span<const Control> controls, int control) {
  const Control& one = controls[control];
  const bool turns = one.unit == Unit::angle && find_control(controls, one.node + ".qx") >= 0;
  const bool soft = one.unit == Unit::length && one.node.starts_with("soft_");
  if (!turns && !soft) return {control};
  std::vector<int> three;
  for (const char axis : {'x', 'y', 'z'})
    if (const int k = find_control(controls, one.node + (turns ? ".r" : ".t") + axis); k >= 0) three.push_back(k);
  return three.size() == 3 && std::find(three.begin(), three.end(), control) != three.end() ? three
                                                                                            : std::vector{control};
}

int control_of(const RecipeClip& clip, const Track& track, std::span<const Control> controls) {
  const int control = find_control(controls, track.control);
  if (control < 0)
    throw Error({.element = "fix of clip \"" + clip.base + "\": control \"" + track.control + "\"",
                 .value = track.control,
                 .problem = "does not exist",
                 .remedy = "take it out of the corrections"});
  return control;
}

}  // namespace

std::vector<std::string> open_fixes(const RecipeClip& clip) {
  std::vector<std::string> open;
  if (clip.loop && clip.has_motion())
    for (const Track& track : clip.fix.tracks)
      if (closed_fix(clip, track.curve).changed) open.push_back(track.control);
  return open;
}

SoftMotion layered_motion(const RecipeClip& clip, std::span<const Control> controls) {
  SoftMotion motion = motion_from_recipe(clip, controls);
  if (clip.fix.empty() || !clip.has_motion()) return motion;
  SoftMotion frames = motion;
  frames.times = key_times(motion, clip.frame_rate);
  const Eigen::Index count = std::ssize(frames.times);
  std::map<int, Vec> rows;
  for (std::size_t c = 0; c < motion.controls.size(); ++c) {
    const Curve soft = deviation_curve(motion, c);
    Vec& row = rows[motion.controls[c]] = Vec::Zero(count);
    if (clip.fix.weight() == 0) continue;
    for (Eigen::Index t = 0; t < count; ++t)
      row[t] = clip.fix.weight() * soft(frames.times[static_cast<std::size_t>(t)]);
  }
  for (const Track& track : clip.fix.tracks) {
    const int control = control_of(clip, track, controls);
    for (const int each : companions(controls, control))
      if (rows.emplace(each, Vec::Zero(count)).second) frames.corrected.push_back(each);
    rows[control] += sampled(clip, track, controls[control], frames);
  }
  std::sort(frames.corrected.begin(), frames.corrected.end());
  frames.controls.clear();
  frames.deviation.resize(std::ssize(rows), count);
  for (const auto& [control, row] : rows) {
    frames.deviation.row(std::ssize(frames.controls)) = row.transpose();
    frames.controls.push_back(control);
  }
  return frames;
}

}  // namespace rigspace
