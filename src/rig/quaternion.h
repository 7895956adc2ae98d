#pragma once
// Quaternions (x, y, z, w) of any length as rotations, with derivatives by their components.

#include "rigspace/base/types.h"

namespace rigspace {

/// |q|^2 R(q), quadratic in q = (x, y, z, w).
inline Mat3 quaternion_matrix(const Vec4& q) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  Mat3 M;
  M << w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),   //
      2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z;
  return M;
}

inline Mat3 quaternion_matrix_derivative(const Vec4& q, int k) {
  const double x = 2 * q[0], y = 2 * q[1], z = 2 * q[2], w = 2 * q[3];
  Mat3 D;
  switch (k) {
    case 0: D << x, y, z, y, -x, -w, z, w, -x; break;
    case 1: D << -y, x, w, x, y, z, -w, z, -y; break;
    case 2: D << -z, -w, x, w, -z, y, x, y, z; break;
    default: D << w, -z, y, z, w, -x, -y, x, w; break;
  }
  return D;
}

/// The vector part of a * conj(b).
inline Vec3 times_conjugate(const Vec4& a, const Vec4& b) {
  return b[3] * a.head<3>() - a[3] * b.head<3>() - a.head<3>().cross(b.head<3>());
}

/// a * b.
inline Vec4 quaternion_product(const Vec4& a, const Vec4& b) {
  Vec4 c;
  c.head<3>() = a[3] * b.head<3>() + b[3] * a.head<3>() + a.head<3>().cross(b.head<3>());
  c[3] = a[3] * b[3] - a.head<3>().dot(b.head<3>());
  return c;
}

}  // namespace rigspace
