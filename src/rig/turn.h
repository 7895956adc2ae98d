#pragma once
// Rotations of vectors that stay smooth where their angle vanishes, for plain numbers and for ones with derivatives.

#include "dual.h"

#include <Eigen/Geometry>

namespace rigspace {

template <class S>
using Vector3 = Eigen::Matrix<S, 3, 1>;

/// sum_k (-s)^k / (2k + first)!  times 1: for first = 1 sin(a)/a, for first = 2 (1 - cos(a))/a^2, with s = a^2.
/// Ten terms: the next is below 1/21! of the first for s < 1.
template <class S>
S even_series(const S& s, int first) {
  S sum = 0;
  for (int k = 9; k >= 1; --k) sum = (1.0 - sum) * s * (1.0 / ((2 * k + first) * (2 * k + first - 1)));
  return (1.0 - sum) * (first == 1 ? 1.0 : 0.5);
}

/// sin(a) / a by s = a^2.
template <class S>
S sinc_of_square(const S& s) {
  using std::sin, std::sqrt;
  if (value_of(s) < 1) return even_series(s, 1);
  const S a = sqrt(s);
  return sin(a) / a;
}

/// (1 - cos(a)) / a^2 by s = a^2.
template <class S>
S versine_of_square(const S& s) {
  using std::cos, std::sqrt;
  if (value_of(s) < 1) return even_series(s, 2);
  return (1.0 - cos(sqrt(s))) / s;
}

/// exp(r) q; exactly q for r = 0.
template <class S>
Vector3<S> turned(const Vector3<S>& q, const Vector3<S>& r) {
  const S s = r.dot(r);
  const Vector3<S> across = r.cross(q);
  return q + sinc_of_square(s) * across + versine_of_square(s) * r.cross(across);
}

/// a / sin(a) by c = cos(a): the factor that makes the cross product of two unit vectors the rotation between them.
/// Finite at a = pi, where that rotation is not unique.
template <class S>
S angle_over_sine(const S& c) {
  using std::acos, std::sqrt;
  if (value_of(c) > 0.9) {
    // sum_k k! / (2k + 1)!! m^k, m = 1 - c: terms fall faster than (m / 2)^k
    const S m = 1.0 - c;
    S sum = 0;
    for (int k = 14; k >= 1; --k) sum = (1.0 + sum) * m * (k / (2.0 * k + 1));
    return 1.0 + sum;
  }
  constexpr double kLeast = -1 + 1e-12;
  if (value_of(c) < kLeast) return std::acos(kLeast) / std::sqrt(1 - kLeast * kLeast);
  return acos(c) / sqrt(1.0 - c * c);
}

}  // namespace rigspace
