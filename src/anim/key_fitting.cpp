#include "rigspace/anim/key_fitting.h"

#include "key_fitting_clip.h"
#include "key_fitting_parts.h"
#include "rigspace/anim/bake.h"
#include "rigspace/anim/loop.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

using detail::ClipFit;
using detail::SurfaceGauge;

constexpr int kScalings = 7;          // of all tolerances together
constexpr double kCloseEnough = 0.9;  // of the tolerance used up: another scaling would not save a key in a hundred
constexpr int kChecks = 6;            // against all points

/// All tolerances times a factor: the largest, to some digits, that keeps the gauge within `allowed`. The error grows
/// about in proportion, so each try scales by what the last one left.
void scale_tolerances(ClipFit& fit, const SurfaceGauge& gauge, double allowed, const ProgressCallback& progress) {
  double good = 0, bad = std::numeric_limits<double>::infinity(), factor = 1;
  const std::vector<double> start = fit.tolerances();
  const auto apply = [&](double f) {
    for (std::size_t k = 0; k < start.size(); ++k) fit.set_tolerance(static_cast<int>(k), f * start[k]);
    fit.refit();
    return gauge.error(fit.animation(), allowed).distance;
  };
  for (int round = 0; round < kScalings; ++round) {
    report(progress, "fitting keys", 0.6 * round / kScalings);
    const double error = apply(factor);
    if (error <= allowed) good = factor;
    if (error > allowed) bad = std::min(bad, factor);
    if (error <= allowed && error > kCloseEnough * allowed) return;
    const double aim = factor * 0.95 * allowed / std::max(error, 1e-6 * allowed);
    factor = good > 0 && std::isfinite(bad) ? std::clamp(aim, good + 0.25 * (bad - good), bad - 0.25 * (bad - good))
                                            : std::clamp(aim, factor / 8, factor * 8);
    if (good > 0 && bad < 1.05 * good) break;
  }
  if (good == 0) {  // far from proportional: on, downwards
    for (good = std::min(bad, factor); apply(good) > allowed && good > 1e-6;) good /= 4;
    return;
  }
  apply(good);
}

/// One track after the other, the longest first: larger tolerances for it alone, as long as they save keys and the
/// whole stays within the tolerance.
void relax_tracks(ClipFit& fit, const SurfaceGauge& gauge, double allowed, const ProgressCallback& progress) {
  std::vector<int> order(fit.size());
  for (int k = 0; k < fit.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return fit.keys(a) > fit.keys(b); });
  for (int k = 0; k < fit.size(); ++k) {
    report(progress, "fitting keys", 0.6 + 0.35 * k / fit.size());
    for (const double factor : {3.0, 1.5}) {
      const int track = order[k];
      if (fit.keys(track) <= 2) break;
      const ClipFit::Saved before = fit.save(track);
      fit.set_tolerance(track, factor * fit.tolerances()[track]);
      fit.refit(track);
      if (fit.keys(track) < before.keys() && gauge.error(fit.animation(), allowed).distance <= allowed) break;
      fit.restore(track, before);
    }
  }
}

/// The few points that were watched stand for all; where one of the others is worse, everything is tightened.
SurfaceError check_all_points(ClipFit& fit, const SurfaceGauge& all, double allowed) {
  SurfaceError error = all.error(fit.animation());
  for (int check = 0; check < kChecks && error.distance > allowed; ++check) {
    const double factor = std::max(0.1, 0.95 * allowed / error.distance);
    for (int k = 0; k < fit.size(); ++k) fit.set_tolerance(k, factor * fit.tolerances()[k]);
    fit.refit();
    error = all.error(fit.animation());
  }
  return error;
}

}  // namespace

void CurveFitOptions::validate() const {
  require_option(tolerance > 0 && std::isfinite(tolerance), "tolerance of a curve", tolerance, "expected more than 0");
}

void KeyFittingOptions::validate() const {
  require_option(tolerance > 0 && std::isfinite(tolerance), "tolerance of keys", tolerance, "expected more than 0");
  require_option(rate >= 0 && std::isfinite(rate), "frame rate of keys", rate, "expected 0 or more");
}

Curve fit_curve(const Curve& frames, const CurveFitOptions& options) {
  options.validate();
  frames.validate("curve");
  if (frames.interpolation == Interpolation::step || frames.times.size() < 2) return frames;
  const CompiledCurve compiled(frames);
  std::vector<double> source;
  for (const double time : detail::subframe_times(frames.times)) source.push_back(compiled(time));
  const detail::FrameCurve curve = detail::make_frame_curve(frames.times, source, options.loop);
  return detail::fitted_curve(curve, frames, options.tolerance);
}

KeyFitting fit_keys(const Rig& rig, const Animation& animation, const KeyFittingOptions& options) {
  options.validate();
  KeyFitting result{.animation = animation, .keys_before = key_count(animation), .height = rest_height(rig)};
  const std::vector<double> frames =
      options.rate > 0 ? frame_times(animation.duration, options.rate) : source_frames(animation);
  result.loop = find_seam(rig, animation).loops;
  ClipFit fit(rig, animation, frames, {.loop = result.loop, .share_times = options.share_times});
  const double allowed = options.tolerance * result.height;
  if (fit.size() > 0) {
    const detail::Sensitivity sensitivity = detail::surface_sensitivity(rig, animation);
    fit.share_out(sensitivity, allowed);
    const SurfaceGauge few(rig, animation, fit, sensitivity.points), all(rig, animation, fit, {});
    scale_tolerances(fit, few, allowed, options.progress);
    if (options.refine) relax_tracks(fit, few, allowed, options.progress);
    report(options.progress, "checking all points", 0.95);
    result.error = check_all_points(fit, all, allowed);
  }
  result.animation = fit.animation();
  result.within_tolerance = result.error.distance <= allowed;
  result.keys_after = key_count(result.animation);
  return result;
}

KeyFitting fit_keys(const Character& character, const Animation& animation, const KeyFittingOptions& options) {
  return fit_keys(*character.rig, animation, options);
}

int key_count(const Animation& animation) {
  std::size_t count = 0;
  for (const Track& track : animation.tracks) count += track.curve.times.size();
  for (const RotationTrack& track : animation.rotations) count += track.times.size();
  return static_cast<int>(count);
}

std::vector<double> source_frames(const Animation& animation) {
  constexpr double kSparse = 1.0 / 18, kDefaultRate = 30;  // s, Hz
  const std::vector<double>* densest = nullptr;
  const auto look = [&](const std::vector<double>& times) {
    if (!densest || times.size() > densest->size()) densest = &times;
  };
  for (const Track& track : animation.tracks) look(track.curve.times);
  for (const RotationTrack& track : animation.rotations) look(track.times);
  if (!densest || densest->size() < 3) return frame_times(animation.duration, kDefaultRate);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < densest->size(); ++i) gaps.push_back((*densest)[i] - (*densest)[i - 1]);
  std::nth_element(gaps.begin(), gaps.begin() + gaps.size() / 2, gaps.end());
  const double usual = gaps[gaps.size() / 2];
  if (usual > kSparse) return frame_times(animation.duration, kDefaultRate);
  std::vector<double> corners = {0}, frames = {0};
  for (const double time : *densest)
    if (time > corners.back() + 0.01 * usual && time < animation.duration - 0.01 * usual) corners.push_back(time);
  if (animation.duration > corners.back()) corners.push_back(animation.duration);
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const int parts = std::max(1, static_cast<int>(std::lround((corners[i] - corners[i - 1]) / usual)));
    for (int k = 1; k < parts; ++k) frames.push_back(std::lerp(corners[i - 1], corners[i], double(k) / parts));
    frames.push_back(corners[i]);
  }
  return frames;
}

}  // namespace rigspace
