#include "rigspace/apps/physics/editable_keys.h"

#include "rigspace/anim/key_edits.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "run/soft_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace rigspace {
namespace {

constexpr double kInvisible = 0.05;  // of its range: what a curve may be off that moves no skin

/// The controls that the clips of a recipe move, ascending.
std::vector<int> moved_controls(const Rig& rig, const Recipe& recipe) {
  std::set<int> moved;
  for (const RecipeClip& clip : recipe.clips)
    for (const RecipeCurve& curve : clip.curves)
      if (const int control = rig.find(curve.control); control >= 0) moved.insert(control);
  return {moved.begin(), moved.end()};
}

/// The deviations of one control at the frames that are written, and at the end of a loop that leaves its last frame
/// out; in the unit of the recipe.
Curve frames_of(const RecipeClip& clip, const RecipeCurve& curve) {
  const Curve grid{.interpolation = Interpolation::catmull_rom, .times = clip.times, .values = curve.values};
  Curve frames{.interpolation = Interpolation::catmull_rom};
  frames.times = key_times({.times = clip.times}, clip.frame_rate);
  for (const double time : frames.times) frames.values.push_back(grid(time));
  if (!clip.loop) return frames;
  frames.before = frames.after = Extrapolation::cycle;  // the slope at the seam is taken from both sides of it
  const double end = clip.times.front() + clip.period;
  if (end > frames.times.back() + kSameKeyTime) frames.times.push_back(end), frames.values.push_back(0);
  frames.values.back() = frames.values.front();
  return frames;
}

/// As cubic keys, also where fit_curve leaves a constant as one key.
Curve with_both_ends(Curve fitted, const Curve& frames) {
  if (fitted.interpolation != Interpolation::hermite || fitted.times.size() < 2) {
    fitted = {.interpolation = Interpolation::hermite, .times = {frames.times.front(), frames.times.back()}};
    fitted.values.assign(2, frames.values.front());
    fitted.in_tangents = fitted.out_tangents = {0, 0};
  }
  fitted.before = fitted.after = Extrapolation::hold;
  return fitted;
}

Curve fitted(const RecipeClip& clip, const RecipeCurve& curve, double allowed) {
  const Curve frames = frames_of(clip, curve);
  const auto [low, high] = std::minmax_element(frames.values.begin(), frames.values.end());
  const double range = *high - *low;
  const double least = 1e-9 * std::max({std::abs(*low), std::abs(*high), 1e-9});
  const double tolerance = std::max(std::isfinite(allowed) ? allowed : kInvisible * range, least);
  return with_both_ends(fit_curve(frames, {.tolerance = tolerance, .loop = clip.loop}), frames);
}

Curve still(const RecipeClip& clip) {
  const double end = clip.loop ? clip.times.front() + clip.period : clip.times.back();
  return {.interpolation = Interpolation::hermite,
          .times = {clip.times.front(), end},
          .values = {0, 0},
          .in_tangents = {0, 0},
          .out_tangents = {0, 0}};
}

}  // namespace

EditableKeys::EditableKeys(const Character& simulated, const Recipe& recipe) : height_(rest_height(*simulated.rig)) {
  const Rig& rig = *simulated.rig;
  const std::vector<int> controls = moved_controls(rig, recipe);
  if (controls.empty()) return;
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), rig.rest(), controls, J);
  // Each control may move the skin by the same distance d: a curve errs by at most d / reach, where reach is how far
  // the control moves the point that it moves most. At point i the sum is  d sum_c |J_ic| / reach_c.
  Vec reach = Vec::Zero(J.columns);
  for (std::size_t e = 0; e < J.column.size(); ++e)
    reach[J.column[e]] = std::max(reach[J.column[e]], J.value.col(static_cast<Eigen::Index>(e)).norm());
  double most = 0;
  for (int i = 0; i < J.points(); ++i) {
    double sum = 0;
    for (int e = J.start[i]; e < J.start[i + 1]; ++e)
      if (reach[J.column[e]] > 0) sum += J.value.col(e).norm() / reach[J.column[e]];
    most = std::max(most, sum);
  }
  for (std::size_t c = 0; c < controls.size(); ++c) {
    const Control& control = rig.controls()[controls[c]];
    const double r = reach[static_cast<Eigen::Index>(c)], unit = control.unit == Unit::angle ? 1 / kDegree : 1;
    allowed_[control.name] = r > 0 ? height_ / most / r * unit : std::numeric_limits<double>::infinity();
  }
}

double EditableKeys::allowed(const std::string& control, double tolerance) const {
  const auto found = allowed_.find(control);
  return tolerance * (found != allowed_.end() ? found->second : std::numeric_limits<double>::infinity());
}

std::vector<Track> EditableKeys::keys(const RecipeClip& clip, std::span<const std::string> controls,
                                      double tolerance) const {
  if (!(tolerance > 0))
    throw Error({.element = "tolerance",
                 .value = std::to_string(tolerance),
                 .problem = "is " + std::to_string(tolerance),
                 .remedy = "expected a positive share of the height, such as 0.001"});
  std::vector<Track> tracks(controls.size());
  parallel_ranges(static_cast<int>(controls.size()), 1, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const std::string& control = controls[static_cast<std::size_t>(k)];
      const auto curve = std::find_if(clip.curves.begin(), clip.curves.end(),
                                      [&](const RecipeCurve& each) { return each.control == control; });
      tracks[static_cast<std::size_t>(k)] = {
          control, curve != clip.curves.end() ? fitted(clip, *curve, allowed(control, tolerance)) : still(clip)};
    }
  });
  return tracks;
}

Curve fix_from_edit(const RecipeClip& clip, const Curve& keys, const Curve& edited) {
  return edit_of_keys(keys, edited, clip.loop ? clip.period : 0);
}

Curve edited_keys(const Curve& keys, const Curve* fix) {
  if (fix == nullptr) return keys;
  double largest = 0;
  for (const Curve& each : {keys, *fix})
    for (const double value : each.values) largest = std::max(largest, std::abs(value));
  return without_needless_keys(sum_of_keys(keys, *fix), 1e-12 * largest);
}

}  // namespace rigspace
