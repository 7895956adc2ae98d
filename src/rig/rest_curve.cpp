#include "rest_curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kSamplesPerSpan = 6;
constexpr int kMaxSamples = kSamplesPerSpan * kMaxWirePoints + 1;
constexpr int kMaxSteps = 60;  // bisection alone would need 53

}  // namespace

SplineBasis wire_basis(WireCurve curve, int points) {
  if (curve == WireCurve::catmull_rom) return SplineBasis::catmull_rom(points);
  return SplineBasis::b_spline(points, std::min(curve == WireCurve::cubic ? 3 : 2, points - 1));
}

RestCurve::RestCurve(WireCurve curve, std::span<const Vec3> points)
    : basis_(wire_basis(curve, static_cast<int>(points.size()))) {
  const int count = basis_.spans();
  for (int s = 0; s < count; ++s) {
    std::array<Vec3, 4> c;
    c.fill(Vec3::Zero());
    for (int j = 0; j < basis_.count(s); ++j)
      for (int power = 0; power < 4; ++power)
        c[power] += basis_.coefficient(s, j, power) * points[static_cast<std::size_t>(basis_.first(s) + j)];
    spans_.push_back(c);
  }
  const int last = kSamplesPerSpan * count;
  for (int i = 0; i <= last; ++i) samples_.push_back(at(static_cast<double>(i) / last).point);
  for (int i = 0; i < last; ++i) spacing_ = std::max(spacing_, (samples_[i + 1] - samples_[i]).norm());
}

RestCurve::Place RestCurve::at(double t) const {
  const int s = basis_.span(t), m = basis_.spans();
  const double v = t * m - s;
  const auto& c = spans_[s];
  return {c[0] + v * (c[1] + v * (c[2] + v * c[3])), m * (c[1] + v * (2 * c[2] + v * 3 * c[3])),
          m * m * (2 * c[2] + v * 6 * c[3])};
}

/// The zero of  g(t) = (R - x) . R'  near a sample that is no further from x than its neighbours.
double RestCurve::valley(const Vec3& x, int sample) const {
  const int last = static_cast<int>(samples_.size()) - 1;
  double t = static_cast<double>(sample) / last;
  double low = std::max(sample - 1, 0) / static_cast<double>(last);
  double high = std::min(sample + 1, last) / static_cast<double>(last);
  for (int step = 0; step < kMaxSteps; ++step) {
    const Place place = at(t);
    const Vec3 q = place.point - x;
    const double g = q.dot(place.tangent);
    const double slope = place.tangent.squaredNorm() + q.dot(place.curvature);
    if (g == 0 || (t == 0 && g > 0) || (t == 1 && g < 0)) return t;
    (g < 0 ? low : high) = t;
    double next = slope > 0 ? t - g / slope : 0.5 * (low + high);
    // An end of the curve may itself be the answer, so it is tried; other bounds are only approached.
    if (next <= low) next = low == 0 && t != 0 ? 0 : 0.5 * (low + t);
    if (next >= high) next = high == 1 && t != 1 ? 1 : 0.5 * (high + t);
    if (std::abs(next - t) <= 3e-16) return next;
    t = next;
  }
  return t;
}

NearestOnCurve RestCurve::nearest(const Vec3& x) const {
  const int count = static_cast<int>(samples_.size());
  assert(count <= kMaxSamples);
  double distances[kMaxSamples];  // squared
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) least = std::min(least, distances[i] = (samples_[i] - x).squaredNorm());

  // The bottom of a valley lies less than one spacing nearer than its sample: no other can win.
  const double worth = std::pow(std::sqrt(least) + spacing_, 2);
  double best = 0, best_distance = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) {
    if (distances[i] > worth || (i > 0 && distances[i - 1] <= distances[i]) ||
        (i + 1 < count && distances[i + 1] < distances[i]))
      continue;
    const double t = valley(x, i), distance = (at(t).point - x).squaredNorm();
    if (distance < best_distance) best_distance = distance, best = t;
  }

  const Place place = at(best);
  NearestOnCurve nearest{best, place.point, place.tangent, place.curvature, Vec3::Zero()};
  if (best > 0 && best < 1) {
    // g(t, x) = 0 implicitly:  (R'.R' + (R - x).R'') dt = R'.dx; not positive only on the evolute, where t jumps
    const double slope = place.tangent.squaredNorm() + (place.point - x).dot(place.curvature);
    if (slope > 0) nearest.dt_dx = place.tangent / slope;
  }
  return nearest;
}

Vec3 wire_point(WireCurve curve, std::span<const Vec3> points, double t) {
  BasisAt at;
  wire_basis(curve, static_cast<int>(points.size())).at(t, at);
  Vec3 sum = Vec3::Zero();
  for (int j = 0; j < at.count; ++j) sum += at.b[j] * points[static_cast<std::size_t>(at.first + j)];
  return sum;
}

}  // namespace rigspace
