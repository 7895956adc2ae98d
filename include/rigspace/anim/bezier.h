#pragma once
// Curve segments as DCC tools keep them: cubic Bezier curves in the time-value plane, whose handles have a weight
// (their length in time). With handles a third of the interval long they are Hermite cubics over time; otherwise not.

#include "rigspace/anim/compiled_curve.h"

#include <array>

namespace rigspace {

/// From a key over its out-handle and the next key's in-handle to the next key.
struct BezierSegment {
  std::array<double, 4> times{};   ///< seconds
  std::array<double, 4> values{};  ///< in the control's unit

  /// At a time, clamped to the segment. Handles that would make time run backwards are shortened first, see
  /// shorten_handles.
  double operator()(double time) const;
  double slope(double time) const;  ///< per second; infinite where the curve stands upright
};

/// From a key to the next, over time.
struct HermiteSegment {
  std::array<double, 2> times{};   ///< seconds, increasing
  std::array<double, 2> values{};  ///< in the control's unit
  std::array<double, 2> slopes{};  ///< per second: out of the first key, into the second

  double operator()(double time) const;
};

/// The segment with each handle at most as long in time as the interval, at its own slope, and none pointing backwards:
/// the longest handles for which time never runs backwards on the curve.
BezierSegment shorten_handles(const BezierSegment& segment);

/// True if both handles are a third of the interval long, to `tolerance` of it: only then is bezier_to_hermite exact.
bool is_unweighted(const BezierSegment& segment, double tolerance = 1e-9);

/// The same keys and end slopes. A handle of no length in time takes the direction of the next handle or key, the limit
/// of the curve; an upright one gives an infinite slope.
HermiteSegment bezier_to_hermite(const BezierSegment& segment);

/// Exact: the handles are a third of the interval long.
BezierSegment hermite_to_bezier(const HermiteSegment& segment);

}  // namespace rigspace
