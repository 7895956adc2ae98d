#pragma once
// The numeric vocabulary of the whole library: double throughout, points flattened as x0 y0 z0 x1 y1 z1 ...

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <cstdint>
#include <numbers>
#include <span>

namespace rigspace {

using Vec = Eigen::VectorXd;
using Mat = Eigen::MatrixXd;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat3 = Eigen::Matrix3d;
using Mat4 = Eigen::Matrix4d;
using Quat = Eigen::Quaterniond;

inline constexpr double kDegree = std::numbers::pi / 180;  ///< radians

/// A read-only vector argument: binds to any contiguous expression without a copy.
using In = const Eigen::Ref<const Vec>&;

/// An affine map of space, stored as its upper three rows: x -> linear(A) * x + translation(A).
using Affine = Eigen::Matrix<double, 3, 4>;

inline auto linear(const Affine& A) { return A.leftCols<3>(); }
inline auto linear(Affine& A) { return A.leftCols<3>(); }
inline auto translation(const Affine& A) { return A.col(3); }
inline auto translation(Affine& A) { return A.col(3); }

inline Affine identity_affine() { return Affine::Identity(); }

/// A * B: first B, then A.
inline Affine compose(const Affine& A, const Affine& B) {
  Affine C;
  C.leftCols<3>().noalias() = A.leftCols<3>() * B.leftCols<3>();
  C.col(3).noalias() = A.leftCols<3>() * B.col(3);
  C.col(3) += A.col(3);
  return C;
}

/// The derivative of compose(A, B) along dA: the last row of a derivative is zero, so no translation is added.
inline Affine compose_derivative_left(const Affine& dA, const Affine& B) { return compose(dA, B); }

/// The derivative of compose(A, B) along dB.
inline Affine compose_derivative_right(const Affine& A, const Affine& dB) { return A.leftCols<3>() * dB; }

inline Vec3 apply(const Affine& A, const Vec3& x) { return A.leftCols<3>() * x + A.col(3); }

/// [v]x, so that [v]x w is the cross product of v and w.
inline Mat3 cross_matrix(const Vec3& v) {
  Mat3 K;
  K << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return K;
}

/// Point i of a flattened point vector.
inline auto point(Vec& x, int i) { return x.segment<3>(3 * i); }
inline auto point(In x, int i) { return x.segment<3>(3 * i); }

}  // namespace rigspace
