#pragma once
// Animation curves: a value over time through (or near) keys.

#include <span>
#include <string_view>
#include <vector>

namespace rigspace {

/// Each interpolates the keys unless said; the Lecture's table of interpolation, continuity and locality is a test.
enum class Interpolation {
  step,         ///< holds the last key
  linear,
  hermite,      ///< cubic from keyed tangents; continuous slope only where in- and out-tangent agree; local
  catmull_rom,  ///< hermite with tangents from the neighbours: C1, local
  natural,      ///< natural cubic spline: C2, every key moves the whole curve
  bspline,      ///< uniform cubic B-spline in key index, re-timed by the keys: C2 for even keys, local, approximates
};

enum class Extrapolation {
  hold,          ///< the end value
  linear,        ///< along the end slope
  cycle,         ///< repeats
  cycle_offset,  ///< repeats, each turn moved by last minus first: a walk that travels
};

struct Curve {
  Interpolation interpolation = Interpolation::linear;
  Extrapolation before = Extrapolation::hold;
  Extrapolation after = Extrapolation::hold;
  std::vector<double> times;                       ///< seconds, strictly increasing
  std::vector<double> values;                      ///< one per time, in the control's unit
  std::vector<double> in_tangents, out_tangents;   ///< hermite only: slopes, per second

  double operator()(double time) const;            ///< an empty curve is 0, a single key a constant
  double slope(double time) const;                 ///< d value / d time; from the right at a corner

  /// Throws Error if times do not increase, sizes differ or anything is not finite.
  void validate(std::string_view what) const;
};

}  // namespace rigspace
