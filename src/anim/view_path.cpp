#include "rigspace/anim/view_path.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kLeastFov = 1 * kDegree, kMostFov = 120 * kDegree;
constexpr int kPieces = 24;  // between two keys, for lengths

std::string key_name(std::size_t k) { return "camera key " + std::to_string(k + 1); }

Interpolation interpolation_of(ViewSpline spline) {
  switch (spline) {
    case ViewSpline::linear: return Interpolation::linear;
    case ViewSpline::catmull_rom: return Interpolation::catmull_rom;
    case ViewSpline::kochanek_bartels: return Interpolation::hermite;
    case ViewSpline::natural: return Interpolation::natural;
    case ViewSpline::bspline: return Interpolation::bspline;
  }
  return Interpolation::linear;
}

// Slopes s- and s+ of the chords before and after a key:
//   out = (1 - t)/2 ((1 + c)(1 + b) s- + (1 - c)(1 - b) s+),   in = (1 - t)/2 ((1 - c)(1 + b) s- + (1 + c)(1 - b) s+)
void add_tangents(const std::vector<ViewKey>& keys, Curve& curve) {
  const std::size_t n = keys.size();
  const auto chord = [&](std::size_t k) {
    return (curve.values[k + 1] - curve.values[k]) / (curve.times[k + 1] - curve.times[k]);
  };
  for (std::size_t k = 0; k < n; ++k) {
    const double before = n == 1 ? 0 : chord(k == 0 ? 0 : k - 1), after = n == 1 ? 0 : chord(k + 1 == n ? k - 1 : k);
    const double t = 0.5 * (1 - keys[k].tension), c = keys[k].continuity, b = keys[k].bias;
    curve.in_tangents.push_back(t * ((1 - c) * (1 + b) * before + (1 + c) * (1 - b) * after));
    curve.out_tangents.push_back(t * ((1 + c) * (1 + b) * before + (1 - c) * (1 - b) * after));
  }
}

template <class ValueOf>
CompiledCurve spline_of(const std::vector<ViewKey>& keys, ViewSpline spline, const ValueOf& value_of) {
  Curve curve{.interpolation = interpolation_of(spline)};
  for (const ViewKey& key : keys) curve.times.push_back(key.time), curve.values.push_back(value_of(key));
  if (spline == ViewSpline::kochanek_bartels) add_tangents(keys, curve);
  return CompiledCurve(curve);
}

void check(const std::vector<ViewKey>& keys) {
  if (keys.empty()) throw Error({.element = "the camera path", .problem = "has no key", .remedy = "give at least one"});
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const ViewKey& key = keys[k];
    const auto refuse = [&](double value, const std::string& problem, const std::string& remedy) {
      throw Error({.element = key_name(k), .value = shortest_text(value), .problem = problem, .remedy = remedy});
    };
    if (!(std::isfinite(key.time) && key.eye.allFinite() && key.target.allFinite()))
      refuse(key.time, "has a number that is not finite", "give plain numbers");
    if (k > 0 && !(key.time > keys[k - 1].time))
      refuse(key.time, "is at " + shortest_text(key.time) + " s, not after the one before it",
             "times of keys must increase");
    if (!(key.fov >= kLeastFov * (1 - 1e-9) && key.fov <= kMostFov * (1 + 1e-9)))
      refuse(key.fov / kDegree, "has a field of view of " + shortest_text(key.fov / kDegree) + " degrees",
             "give 1 to 120");
    for (const double each : {key.tension, key.continuity, key.bias})
      if (!(each >= -1 && each <= 1))
        refuse(each, "has a tension, continuity or bias of " + shortest_text(each), "give -1 to 1");
  }
}

}  // namespace

std::string_view name(ViewSpline spline) {
  constexpr std::array<std::string_view, 5> kNames = {"linear", "catmull_rom", "kochanek_bartels", "natural",
                                                      "bspline"};
  return kNames[static_cast<std::size_t>(spline)];
}

ViewPath::ViewPath(const std::vector<ViewKey>& keys, ViewSpline spline, bool constant_speed) {
  check(keys);
  for (int axis = 0; axis < 3; ++axis) {
    eye_[axis] = spline_of(keys, spline, [axis](const ViewKey& key) { return key.eye[axis]; });
    target_[axis] = spline_of(keys, spline, [axis](const ViewKey& key) { return key.target[axis]; });
  }
  fov_ = spline_of(keys, spline, [](const ViewKey& key) { return key.fov; });
  begin_ = keys.front().time, end_ = keys.back().time;
  std::vector<double> places = {begin_};
  for (std::size_t k = 1; k < keys.size(); ++k)
    for (int s = 1; s <= kPieces; ++s)
      places.push_back(keys[k - 1].time + (keys[k].time - keys[k - 1].time) * s / kPieces);
  for (const double u : places) {
    const Camera camera = on_curve(u);
    const double size = 1 + camera.eye.norm() + camera.target.norm();
    if (!((camera.eye - camera.target).norm() > 1e-9 * size))
      throw Error({.element = "the camera path",
                   .value = shortest_text(u),
                   .problem = "has its eye at its target at " + shortest_text(u) + " s",
                   .remedy = "keep them apart"});
  }
  u_ = std::move(places), length_ = {0};
  for (std::size_t k = 1; k < u_.size(); ++k) length_.push_back(length_.back() + way(u_[k - 1], u_[k]));
  constant_speed_ = constant_speed && keys.size() > 1;
  if (constant_speed_ && !(length_.back() > 0))
    throw Error({.element = "the camera path",
                 .problem = "has an eye that never moves, so it has no speed to keep",
                 .remedy = "leave \"speed\" out, or move the eye"});
}

Camera ViewPath::on_curve(double u) const {
  Camera camera;
  for (int axis = 0; axis < 3; ++axis) camera.eye[axis] = eye_[axis](u), camera.target[axis] = target_[axis](u);
  camera.fov = std::clamp(fov_(u), kLeastFov, kMostFov);  // splines overshoot
  return camera;
}

double ViewPath::speed(double u) const { return Vec3(eye_[0].slope(u), eye_[1].slope(u), eye_[2].slope(u)).norm(); }

// Gauss's rule with five points, exact for polynomials of degree nine.
double ViewPath::way(double from, double to) const {
  constexpr std::array<double, 5> kPlaces = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                             0.9061798459386640};
  constexpr std::array<double, 5> kWeights = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                              0.4786286704993665, 0.2369268850561891};
  double sum = 0;
  for (std::size_t k = 0; k < 5; ++k) sum += kWeights[k] * speed(0.5 * (from + to) + 0.5 * (to - from) * kPlaces[k]);
  return 0.5 * (to - from) * sum;
}

double ViewPath::place_after(double length) const {
  const auto after = std::upper_bound(length_.begin(), length_.end(), length);
  const auto k = std::clamp<std::ptrdiff_t>(after - length_.begin(), 1, std::ssize(length_) - 1);
  double low = u_[k - 1], high = u_[k];
  for (int step = 0; step < 50; ++step) {
    const double middle = 0.5 * (low + high);
    (length_[k - 1] + way(u_[k - 1], middle) < length ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

Camera ViewPath::at(double time) const {
  const double t = std::clamp(time, begin_, end_);
  if (!constant_speed_ || t == begin_ || t == end_) return on_curve(t);
  return on_curve(place_after((t - begin_) / (end_ - begin_) * length_.back()));
}

}  // namespace rigspace
