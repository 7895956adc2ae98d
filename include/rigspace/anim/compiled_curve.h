#pragma once
// A Curve prepared for sampling: cubic pieces computed once, sampled without allocation.

#include "rigspace/anim/curve.h"

#include <vector>

namespace rigspace {

/// c0 + c1 x + c2 x^2 + c3 x^3.
struct Cubic {
  double c0 = 0, c1 = 0, c2 = 0, c3 = 0;

  double value(double x) const { return c0 + x * (c1 + x * (c2 + x * c3)); }
  double slope(double x) const { return c1 + x * (2 * c2 + x * 3 * c3); }
};

/// Gives the same values as the curve it was made from. Immutable, so that any number of threads may sample it; never
/// allocates after construction. Constant time for keys at an even rate, O(log n) otherwise.
class CompiledCurve {
 public:
  CompiledCurve() = default;               ///< 0 everywhere
  explicit CompiledCurve(const Curve& c);  ///< throws Error if the curve is not valid

  double operator()(double time) const;
  double slope(double time) const;

 private:
  struct Source;

  Extrapolation before_ = Extrapolation::hold, after_ = Extrapolation::hold;
  double last_value_ = 0;
  std::vector<double> breaks_;  // seconds; one more than pieces
  std::vector<Cubic> values_;   // of seconds since the break; for B-splines of the parameter 0..1
  std::vector<Cubic> times_;    // B-splines only: seconds since the break, of the parameter
};

}  // namespace rigspace
