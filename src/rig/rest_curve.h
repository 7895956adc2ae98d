#pragma once
// A wire's curve at rest, with a search for its nearest point.

#include "spline_basis.h"

#include "rigspace/rig/wire.h"

namespace rigspace {

SplineBasis wire_basis(WireCurve curve, int points);

/// The nearest point of the curve to some x, and how its parameter moves with x.
struct NearestOnCurve {
  double t;
  Vec3 point, tangent, curvature;  ///< R, R', R'' by t
  Vec3 dt_dx;                      ///< zero at the ends, where t is held
};

class RestCurve {
 public:
  RestCurve(WireCurve curve, std::span<const Vec3> points);

  const SplineBasis& basis() const { return basis_; }
  /// The nearest of all: samples find the valleys of the distance, Newton's method their bottoms.
  NearestOnCurve nearest(const Vec3& x) const;

 private:
  struct Place {
    Vec3 point, tangent, curvature;
  };
  Place at(double t) const;
  double valley(const Vec3& x, int sample) const;

  SplineBasis basis_;
  std::vector<std::array<Vec3, 4>> spans_;  // coefficients of 1, v, v^2, v^3, v from 0 to 1
  std::vector<Vec3> samples_;               // evenly in t, ends included
  double spacing_ = 0;                      // the longest way between two of them
};

}  // namespace rigspace
