#include "rigspace/anim/animation.h"

#include "binding.h"
#include "pieces.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

const Vec4 kIdentityRotation(0, 0, 0, 1);

[[noreturn]] void fail(std::string_view what, std::string problem, std::string remedy) {
  throw Error({.element = std::string(what), .problem = std::move(problem), .remedy = std::move(remedy)});
}

/// Components by Hermite's cubic, then normalised. Opposite tangents can pass through zero: there, the nearer key.
Vec4 cubic_rotation(const RotationTrack& track, int i, double time) {
  const double interval = track.times[i + 1] - track.times[i], x = time - track.times[i];
  Vec4 q;
  for (int k = 0; k < 4; ++k) {
    q[k] = detail::hermite_piece(track.values[i][k], track.values[i + 1][k], track.out_tangents[i][k],
                                 track.in_tangents[i + 1][k], interval)
               .value(x);
  }
  if (q.norm() > 1e-12) return q.normalized();
  return track.values[2 * x < interval ? i : i + 1].normalized();
}

}  // namespace

Vec4 RotationTrack::operator()(double time) const {
  if (values.empty()) return kIdentityRotation;
  if (values.size() == 1 || !(time > times.front())) return values.front().normalized();
  if (time >= times.back()) return values.back().normalized();
  const int i = detail::find_interval([&](int k) { return times[k]; }, static_cast<int>(times.size()), time);
  if (interpolation == Interpolation::step) return values[i].normalized();
  if (interpolation == Interpolation::hermite) return cubic_rotation(*this, i, time);
  return slerp(values[i], values[i + 1], (time - times[i]) / (times[i + 1] - times[i]));
}

void RotationTrack::validate(std::string_view what) const {
  const bool cubic = interpolation == Interpolation::hermite;
  if (!cubic && interpolation != Interpolation::step && interpolation != Interpolation::linear) {
    fail(what, "is interpolated by " + std::string(rigspace::name(interpolation)), "expected step, linear or hermite");
  }
  Curve clock{.times = times, .values = times};  // the laws of times are a curve's
  clock.validate(what);
  const auto require = [&](const std::vector<Vec4>& list, const char* noun) {
    if (list.size() != times.size()) {
      fail(what, "has " + std::to_string(list.size()) + " " + noun + " for " + std::to_string(times.size()) + " times",
           "expected one per time");
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].allFinite()) {
        fail(what, "has " + std::string(noun) + " that are not finite at key " + std::to_string(i),
             "expected finite numbers");
      }
    }
  };
  require(values, "quaternions");
  if (cubic) require(in_tangents, "in-tangents");
  if (cubic) require(out_tangents, "out-tangents");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i].norm() > 1e-12))
      fail(what, "has a zero quaternion at key " + std::to_string(i), "expected a rotation");
  }
}

double last_key_time(const Animation& animation) {
  double last = 0;
  for (const Track& track : animation.tracks) {
    if (!track.curve.times.empty()) last = std::max(last, track.curve.times.back());
  }
  for (const RotationTrack& track : animation.rotations) {
    if (!track.times.empty()) last = std::max(last, track.times.back());
  }
  return last;
}

Sampler::Sampler(const Animation& animation, std::span<const Control> controls) {
  const detail::ControlIndex index(controls);
  for (const Track& track : animation.tracks) {
    const int control = index.find(track.control);
    if (control < 0) {
      unbound_.push_back(track.control);
      continue;
    }
    track.curve.validate("curve \"" + track.control + "\"");
    scalars_.push_back({control, CompiledCurve(track.curve)});
    animated_.push_back(control);
  }
  for (const RotationTrack& track : animation.rotations) {
    const auto quaternion = index.find_quaternion(track.node);
    if (!quaternion) {
      unbound_.push_back(track.node + ".qx");
      continue;
    }
    track.validate("rotation of \"" + track.node + "\"");
    rotations_.push_back({*quaternion, track});
    animated_.insert(animated_.end(), quaternion->begin(), quaternion->end());
  }
  std::sort(animated_.begin(), animated_.end());
  animated_.erase(std::unique(animated_.begin(), animated_.end()), animated_.end());
}

void Sampler::sample(double time, Vec& p) const {
  for (const Scalar& scalar : scalars_) p[scalar.control] = scalar.curve(time);
  for (const Rotation& rotation : rotations_) {
    const Vec4 q = rotation.track(time);
    for (int k = 0; k < 4; ++k) p[rotation.controls[k]] = q[k];
  }
}

}  // namespace rigspace
