#include "rigspace/anim/bake.h"

#include "binding.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <cmath>

namespace rigspace {
namespace {

Curve resampled(const Curve& curve, std::span<const double> times) {
  const CompiledCurve compiled(curve);
  Curve result{.before = curve.before, .after = curve.after};
  result.times.assign(times.begin(), times.end());
  for (const double time : times) result.values.push_back(compiled(time));
  return result;
}

RotationTrack resampled(const RotationTrack& track, std::span<const double> times) {
  RotationTrack result{.node = track.node};
  result.times.assign(times.begin(), times.end());
  for (const double time : times) result.values.push_back(track(time));
  make_signs_continuous(result.values);
  return result;
}

}  // namespace

std::vector<double> frame_times(double duration, double rate) {
  if (!(rate > 0) || !std::isfinite(rate) || !(duration >= 0) || !(duration * rate < 1e8)) {
    throw Error(
        {.element = "sampling",
         .value = shortest_text(rate),
         .problem = "asks for " + shortest_text(rate) + " frames a second over " + shortest_text(duration) + " s",
         .remedy = "expected a positive rate and fewer than a hundred million frames"});
  }
  std::vector<double> times;
  const auto frames = static_cast<long>(std::ceil(duration * rate - 1e-6));
  for (long k = 0; k < frames; ++k) times.push_back(static_cast<double>(k) / rate);
  times.push_back(duration);
  return times;
}

void make_signs_continuous(std::span<Vec4> quaternions) {
  for (std::size_t i = 1; i < quaternions.size(); ++i) {
    if (quaternions[i].dot(quaternions[i - 1]) < 0) quaternions[i] = -quaternions[i];
  }
}

Animation keys_from_poses(std::span<const Control> controls, std::span<const int> animated,
                          std::span<const double> times, const Mat& P) {
  Animation clip;
  clip.duration = times.empty() ? 0 : times.back();
  const detail::ControlIndex index(controls);
  std::vector<char> done(controls.size(), 0);
  for (const int control : animated) {
    if (done[control]) continue;
    const auto quaternion =
        controls[control].unit == Unit::quaternion ? index.find_quaternion(controls[control].node) : std::nullopt;
    if (quaternion) {
      RotationTrack track{.node = controls[control].node};
      track.times.assign(times.begin(), times.end());
      for (Eigen::Index k = 0; k < P.cols(); ++k) {
        Vec4 q;
        for (int c = 0; c < 4; ++c) q[c] = P((*quaternion)[c], k);
        track.values.push_back(q);
      }
      make_signs_continuous(track.values);
      for (const int c : *quaternion) done[c] = 1;
      clip.rotations.push_back(std::move(track));
    } else {
      Track track{.control = controls[control].name};
      track.curve.times.assign(times.begin(), times.end());
      for (Eigen::Index k = 0; k < P.cols(); ++k) track.curve.values.push_back(P(control, k));
      clip.tracks.push_back(std::move(track));
    }
  }
  return clip;
}

Animation bake(const LayerStack& stack, std::span<const double> times) {
  const std::span<const Control> controls = stack.controls();
  Vec p(controls.size());
  for (std::size_t i = 0; i < controls.size(); ++i) p[i] = controls[i].rest;
  Mat P(p.size(), times.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    stack.sample(times[k], p);
    P.col(k) = p;
  }
  return keys_from_poses(controls, stack.animated(), times, P);
}

Animation resample(const Animation& animation, double rate) {
  const std::vector<double> times = frame_times(animation.duration, rate);
  Animation result{.name = animation.name, .duration = animation.duration};
  for (const Track& track : animation.tracks) {
    const bool keep = track.curve.interpolation == Interpolation::step;
    result.tracks.push_back({track.control, keep ? track.curve : resampled(track.curve, times)});
  }
  for (const RotationTrack& track : animation.rotations) {
    const bool keep = track.interpolation == Interpolation::step;
    result.rotations.push_back(keep ? track : resampled(track, times));
  }
  return result;
}

}  // namespace rigspace
