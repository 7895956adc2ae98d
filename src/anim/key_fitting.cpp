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
#include <optional>

namespace rigspace {
namespace {

using detail::ClipFit;
using detail::Sensitivity;
using detail::SurfaceGauge;

constexpr int kChecks = 6;            // against all points
constexpr double kForOthers = 0.985;  // of what is allowed: for the watched points, since others may be a little worse

/// The points to watch, some hundred that stand for all.
class Watch {
 public:
  Watch(const Rig& rig, const Animation& source, const ClipFit& fit)
      : rig_(rig), source_(source), fit_(fit), all_(rig, source, fit, {}) {
    renew({});
  }

  const Sensitivity& sensitivity() const { return sensitivity_; }
  const SurfaceGauge& few() const { return *few_; }
  const SurfaceGauge& all() const { return all_; }

  /// Adds those whose error is the largest now, if it is more than `error`.
  void add_points(double error) {
    constexpr int kMost = 100;
    const Vec errors = all_.errors_by_point(fit_.animation());
    std::vector<int> worst;
    for (int i = 0; i < errors.size(); ++i)
      if (errors[i] > error) worst.push_back(i);
    std::stable_sort(worst.begin(), worst.end(), [&](int a, int b) { return errors[a] > errors[b]; });
    if (worst.size() > kMost) worst.resize(kMost);
    worst.insert(worst.end(), sensitivity_.points.begin(), sensitivity_.points.end());
    renew(worst);
  }

 private:
  void renew(const std::vector<int>& also) {
    sensitivity_ = detail::surface_sensitivity(rig_, source_, also);
    few_.emplace(rig_, source_, fit_, sensitivity_.points);
  }

  const Rig& rig_;
  const Animation& source_;
  const ClipFit& fit_;
  Sensitivity sensitivity_;
  SurfaceGauge all_;
  std::optional<SurfaceGauge> few_;
};

/// Fits all groups; returns the largest error.
SurfaceError fit_groups(const Rig& rig, const Animation& source, ClipFit& fit, const KeyFittingOptions& options,
                        double allowed) {
  const auto say = [&](double share) { report(options.progress, "fitting keys", share); };
  say(0);
  Watch watch(rig, source, fit);
  fit.share_out(watch.sensitivity(), allowed);
  share_tolerances(fit, watch.few(), watch.sensitivity(), allowed);
  say(0.2);
  tighten_tolerances(fit, watch.few(), watch.sensitivity(), kForOthers * allowed);
  watch.add_points(0.85 * allowed);
  tighten_tolerances(fit, watch.few(), watch.sensitivity(), kForOthers * allowed);
  const std::vector<double> factors = options.refine ? std::vector{1.4, 1.2, 1.4, 1.2} : std::vector{1.4};
  for (std::size_t k = 0; k < factors.size(); ++k) {
    say(0.4 + 0.5 * double(k) / factors.size());
    relax_groups(fit, watch.few(), kForOthers * allowed, factors[k]);
  }
  say(0.9);
  SurfaceError error = watch.all().error(fit.animation());
  for (int check = 0; check < kChecks && error.distance > allowed; ++check) {
    watch.add_points(allowed);
    tighten_tolerances(fit, watch.few(), watch.sensitivity(), kForOthers * allowed);
    error = watch.all().error(fit.animation());
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
  if (fit.size() > 0) result.error = fit_groups(rig, animation, fit, options, allowed);
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
