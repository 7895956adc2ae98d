#pragma once
// Animation curves: a value over time through (or near) keys.

#include <span>
#include <string_view>
#include <vector>

namespace rigspace {

/// Each interpolates the keys unless its line states otherwise; the Lecture's table of interpolation, continuity and
/// locality is a test. All but step reproduce straight lines, whatever the spacing of the keys.
enum class Interpolation {
  step,         ///< holds the last key
  linear,       ///< C0, local
  hermite,      ///< cubic from keyed tangents; continuous slope only where in- and out-tangent are equal; local
  catmull_rom,  ///< hermite with tangents from the neighbours: C1, local
  natural,      ///< natural cubic spline: C2, every key moves the whole curve
  bspline,  ///< cubic B-spline with the keys, as points of the time-value plane, for polygon: C2, local, approximates
};

std::string_view name(Interpolation);

enum class Extrapolation {
  hold,          ///< the end value
  linear,        ///< along the end slope
  cycle,         ///< repeats
  cycle_offset,  ///< repeats, each turn moved by last minus first: a walk that travels
};

/// The simple form: keys to fill in, evaluated by a call. A call costs O(log n), for natural O(n) and memory; to sample
/// often, make a CompiledCurve.
///
/// Where both ends repeat, catmull_rom, natural and bspline take their neighbours from across the seam, so that the
/// seam is as smooth as any other key (its slope even where `cycle` makes the value jump).
struct Curve {
  Interpolation interpolation = Interpolation::linear;
  Extrapolation before = Extrapolation::hold;
  Extrapolation after = Extrapolation::hold;
  std::vector<double> times;                      ///< seconds, strictly increasing
  std::vector<double> values;                     ///< one per time, in the control's unit
  std::vector<double> in_tangents, out_tangents;  ///< hermite only: slopes, per second

  double operator()(double time) const;  ///< an empty curve is 0, a single key a constant
  double slope(double time) const;       ///< d value / d time; from the right at a corner

  /// Throws Error if times do not increase, sizes differ or anything is not finite. `what` begins the sentence, as in
  /// `curve "hips.tx"`.
  void validate(std::string_view what) const;
};

/// True if both ends repeat, see Curve.
bool is_cyclic(const Curve& curve);

}  // namespace rigspace
