#pragma once
// Curves as cubic pieces. Curve and CompiledCurve run the same code: a Source gives the pieces, computed on the fly for
// Curve, stored for CompiledCurve.

#include "rigspace/anim/compiled_curve.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rigspace::detail {

/// Index i in [0, count - 2] with t[i] <= time < t[i + 1], clamped at the ends. `at` gives t, of which there are
/// `count`, at least two. Keys at an even rate are found at once by proportion; the rest by bisection.
template <class At>
int find_interval(const At& at, int count, double time) {
  const int last = count - 2;
  const double begin = at(0), end = at(count - 1);
  if (!(time > begin)) return 0;  // also for NaN
  if (time >= end) return last;
  const auto holds = [&](int i) { return at(i) <= time && time < at(i + 1); };
  const int guess = std::clamp(static_cast<int>((time - begin) / (end - begin) * (last + 1)), 0, last);
  if (holds(guess)) return guess;
  int low = 0, high = count - 1;  // at(low) <= time < at(high)
  (at(guess) <= time ? low : high) = guess;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (at(middle) <= time ? low : high) = middle;
  }
  return low;
}

/// The parameter u in [0, 1] where a cubic that never falls there takes the value y: Newton's method, kept inside a
/// shrinking bracket. A straight cubic takes one step.
double solve_rising_cubic(const Cubic& cubic, double y);

/// The piece between two keys `interval` seconds apart. Hermite's basis on [0, 1] needs tangents times the interval
/// (docs/corrections.md, "Hermite interval"); here, in seconds since the first key, the coefficients contain it.
inline Cubic hermite_piece(double v0, double v1, double slope0, double slope1, double interval) {
  const double secant = (v1 - v0) / interval;
  return {v0, slope0, (3 * secant - 2 * slope0 - slope1) / interval,
          (slope0 + slope1 - 2 * secant) / (interval * interval)};
}

/// Slopes at the keys of a natural spline, or of a periodic one if the curve is cyclic.
std::vector<double> natural_slopes(const Curve& curve);

/// The pieces of any curve of at least two keys but a natural one, whose slopes must be given.
class CurveSource {
 public:
  explicit CurveSource(const Curve& curve, const double* natural_slopes = nullptr)
      : curve_(curve), natural_slopes_(natural_slopes) {}

  int pieces() const { return static_cast<int>(curve_.times.size()) - 1; }
  double breakpoint(int i) const { return timed() ? knot(curve_.times, i) : curve_.times[i]; }
  double last_value() const { return timed() ? knot(curve_.values, pieces()) : curve_.values.back(); }
  bool timed() const { return curve_.interpolation == Interpolation::bspline; }
  Cubic value(int i) const;
  Cubic time(int i) const;  ///< seconds since the break; only where timed
  Extrapolation before() const { return curve_.before; }
  Extrapolation after() const { return curve_.after; }

 private:
  double step_of(const std::vector<double>& y, int i) const;
  double knot(const std::vector<double>& y, int i) const { return y[i] + (step_of(y, i) - step_of(y, i - 1)) / 6; }
  Cubic bspline_piece(const std::vector<double>& y, int i) const;
  double catmull_rom_slope(int i) const;

  const Curve& curve_;
  const double* natural_slopes_;
};

struct Sample {
  double value, slope;
};

/// On the pieces; `time` is clamped to them.
template <class Source>
Sample sample_inside(const Source& source, double time) {
  const int i = find_interval([&](int k) { return source.breakpoint(k); }, source.pieces() + 1, time);
  const double x = std::max(0.0, time - source.breakpoint(i));
  const Cubic value = source.value(i);
  if (!source.timed()) return {value.value(x), value.slope(x)};
  const Cubic t = source.time(i);
  const double u = solve_rising_cubic(t, x);
  return {value.value(u), value.slope(u) / t.slope(u)};
}

/// The end of the last piece, exactly.
template <class Source>
Sample sample_end(const Source& source) {
  return {source.last_value(), sample_inside(source, source.breakpoint(source.pieces())).slope};
}

/// Outside the keys: hold, along the slope, or the same curve some turns away.
template <class Source>
Sample sample_outside(const Source& source, double time, Extrapolation rule, bool after) {
  const double begin = source.breakpoint(0), end = source.breakpoint(source.pieces());
  if (rule == Extrapolation::hold || rule == Extrapolation::linear) {
    const Sample edge = after ? sample_end(source) : sample_inside(source, begin);
    if (rule == Extrapolation::hold) return {edge.value, 0};
    return {edge.value + edge.slope * (time - (after ? end : begin)), edge.slope};
  }
  const double turns = std::floor((time - begin) / (end - begin));
  Sample folded = sample_inside(source, std::clamp(time - turns * (end - begin), begin, end));
  if (rule == Extrapolation::cycle_offset) folded.value += turns * (source.last_value() - source.value(0).c0);
  return folded;
}

template <class Source>
double value_at(const Source& source, double time) {
  if (time < source.breakpoint(0)) return sample_outside(source, time, source.before(), false).value;
  const double end = source.breakpoint(source.pieces());
  if (time == end) return source.last_value();
  if (time > end) return sample_outside(source, time, source.after(), true).value;
  return sample_inside(source, time).value;
}

template <class Source>
double slope_at(const Source& source, double time) {
  if (time < source.breakpoint(0)) return sample_outside(source, time, source.before(), false).slope;
  if (time >= source.breakpoint(source.pieces())) return sample_outside(source, time, source.after(), true).slope;
  return sample_inside(source, time).slope;
}

}  // namespace rigspace::detail
