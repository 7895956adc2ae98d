#include "rigspace/anim/bezier.h"

#include "pieces.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

/// Bernstein form to powers of u, relative to the first value (c0 = 0).
Cubic powers(const std::array<double, 4>& b) {
  const double d0 = b[1] - b[0], d1 = b[2] - b[1], d2 = b[3] - b[2];
  return {0, 3 * d0, 3 * (d1 - d0), d2 - 2 * d1 + d0};
}

double parameter(const BezierSegment& segment, double time) {
  return detail::solve_rising_cubic(powers(segment.times), time - segment.times[0]);
}

/// Direction of the curve at control point `from`, looking towards the others in the order of `step`.
double end_slope(const BezierSegment& s, int from, int step) {
  for (int k = from + step; k >= 0 && k < 4; k += step) {
    const double run = s.times[k] - s.times[from], rise = s.values[k] - s.values[from];
    if (run != 0) return rise / run;
    if (rise != 0) return std::copysign(std::numeric_limits<double>::infinity(), rise * step);
  }
  return 0;
}

}  // namespace

double BezierSegment::operator()(double time) const {
  const BezierSegment s = shorten_handles(*this);
  if (time >= s.times[3]) return s.values[3];
  return s.values[0] + powers(s.values).value(parameter(s, time));
}

double BezierSegment::slope(double time) const {
  const BezierSegment s = shorten_handles(*this);
  if (time <= s.times[0]) return end_slope(s, 0, 1);
  if (time >= s.times[3]) return end_slope(s, 3, -1);
  const double u = parameter(s, time);
  return powers(s.values).slope(u) / powers(s.times).slope(u);
}

double HermiteSegment::operator()(double time) const {
  const double interval = times[1] - times[0];
  if (time >= times[1]) return values[1];
  return detail::hermite_piece(values[0], values[1], slopes[0], slopes[1], interval)
      .value(std::max(0.0, time - times[0]));
}

// With handle lengths a and b of the interval 1,  time'(u) / 3 = a (1-u)^2 + 2 (1-a-b) u (1-u) + b u^2,  which is not
// negative where 1 - a - b + sqrt(ab) >= 0: so for all a, b in [0, 1].
BezierSegment shorten_handles(const BezierSegment& segment) {
  BezierSegment s = segment;
  const double interval = s.times[3] - s.times[0];
  const auto shorten = [&](int key, int handle, double length) {
    if (length >= 0 && length <= interval) return;
    const double factor = length < 0 ? 0 : interval / length;
    s.times[handle] = s.times[key] + factor * (s.times[handle] - s.times[key]);
    s.values[handle] = s.values[key] + factor * (s.values[handle] - s.values[key]);
  };
  shorten(0, 1, s.times[1] - s.times[0]);
  shorten(3, 2, s.times[3] - s.times[2]);
  return s;
}

bool is_unweighted(const BezierSegment& s, double tolerance) {
  const double interval = s.times[3] - s.times[0];
  return std::abs(s.times[1] - s.times[0] - interval / 3) <= tolerance * interval &&
         std::abs(s.times[3] - s.times[2] - interval / 3) <= tolerance * interval;
}

HermiteSegment bezier_to_hermite(const BezierSegment& segment) {
  const BezierSegment s = shorten_handles(segment);
  return {.times = {s.times[0], s.times[3]},
          .values = {s.values[0], s.values[3]},
          .slopes = {end_slope(s, 0, 1), end_slope(s, 3, -1)}};
}

BezierSegment hermite_to_bezier(const HermiteSegment& s) {
  const double third = (s.times[1] - s.times[0]) / 3;
  return {.times = {s.times[0], s.times[0] + third, s.times[1] - third, s.times[1]},
          .values = {s.values[0], s.values[0] + third * s.slopes[0], s.values[1] - third * s.slopes[1], s.values[1]}};
}

}  // namespace rigspace
