#pragma once
// Euler angles in any order as matrices, with derivatives.

#include "rigspace/rig/skeleton.h"

#include <array>
#include <numbers>

namespace rigspace {

inline Mat3 axis_rotation(int axis, double angle) {
  return Eigen::AngleAxisd(angle, Vec3::Unit(axis)).toRotationMatrix();
}

/// A quarter turn further, less the axis, which does not turn.
inline Mat3 axis_rotation_derivative(int axis, double angle) {
  return axis_rotation(axis, angle + std::numbers::pi / 2) - Vec3::Unit(axis) * Vec3::Unit(axis).transpose();
}

/// In the order in which they turn.
inline std::array<int, 3> axes_of(RotateOrder order) {
  switch (order) {
    case RotateOrder::xyz: return {0, 1, 2};
    case RotateOrder::yzx: return {1, 2, 0};
    case RotateOrder::zxy: return {2, 0, 1};
    case RotateOrder::xzy: return {0, 2, 1};
    case RotateOrder::yxz: return {1, 0, 2};
    case RotateOrder::zyx: return {2, 1, 0};
  }
  return {0, 1, 2};
}

/// Columns: the first letter of the order acts first, so it stands rightmost.
inline Mat3 euler_matrix(const Vec3& angles, RotateOrder order) {
  const auto [a, b, c] = axes_of(order);
  return axis_rotation(c, angles[c]) * axis_rotation(b, angles[b]) * axis_rotation(a, angles[a]);
}

/// By angle k.
inline Mat3 euler_matrix_derivative(const Vec3& angles, RotateOrder order, int k) {
  Mat3 D = Mat3::Identity();
  for (const int axis : axes_of(order))
    D = (axis == k ? axis_rotation_derivative(axis, angles[axis]) : axis_rotation(axis, angles[axis])) * D;
  return D;
}

}  // namespace rigspace
