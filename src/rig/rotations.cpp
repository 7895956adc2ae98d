// The exponential map of rotations and its exact derivative.

#include "rigspace/rig/skeleton.h"

#include <cmath>

namespace rigspace {
namespace {

/// exp(r) = I + a K + b K^2 with K = [r]x, a = sin(t)/t, b = (1 - cos t)/t^2, and da, db their derivatives by t^2 / 2,
/// so that d a / d r_k = da * r_k. Series near zero, where the quotients lose their digits.
struct Coefficients {
  double a, b, da, db;
};

Coefficients coefficients(double t2) {
  if (t2 < 1e-2) {
    // a = sum (-t2)^n / (2n+1)!,  b = sum (-t2)^n / (2n+2)!; six terms leave less than 1e-18 here.
    Coefficients c{0, 0, 0, 0};
    double power = 1, previous = 0, odd = 1, even = 2;  // t2^n signed, its derivative by t2, (2n+1)!, (2n+2)!
    for (int n = 0; n < 7; ++n) {
      c.a += power / odd;
      c.b += power / even;
      c.da += 2 * previous / odd;
      c.db += 2 * previous / even;
      previous = -(previous * t2 + power);
      power *= -t2;
      odd *= (2 * n + 2) * (2 * n + 3);
      even *= (2 * n + 3) * (2 * n + 4);
    }
    return c;
  }
  const double t = std::sqrt(t2), s = std::sin(t), c = std::cos(t);
  const double a = s / t, b = (1 - c) / t2;
  return {a, b, (c - a) / t2, (a - 2 * b) / t2};
}

}  // namespace

Mat3 rotation_exp(const Vec3& r) {
  const Coefficients c = coefficients(r.squaredNorm());
  const Mat3 K = cross_matrix(r);
  return Mat3::Identity() + c.a * K + c.b * K * K;
}

Mat3 rotation_exp_derivative(const Vec3& r, int k) {
  const Coefficients c = coefficients(r.squaredNorm());
  const Mat3 K = cross_matrix(r), dK = cross_matrix(Vec3::Unit(k));
  return c.da * r[k] * K + c.a * dK + c.db * r[k] * K * K + c.b * (dK * K + K * dK);
}

Vec3 rotation_log(const Mat3& R) {
  // Through the quaternion, whose vector part keeps its digits near half a turn, where the matrix's skew part loses
  // them.
  Quat q(R);
  q.normalize();
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double s = q.vec().norm();
  if (s < 1e-12) return 2 * q.vec();
  return 2 * std::atan2(s, q.w()) / s * q.vec();
}

}  // namespace rigspace
