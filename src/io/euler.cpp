#include "euler.h"
#include "rigspace/base/decompositions.h"

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

/// Whole turns added so that each angle comes nearest to another.
Vec3 unrolled(const Vec3& angles, const Vec3& near) {
  Vec3 result;
  for (int k = 0; k < 3; ++k) result[k] = angles[k] + kTurn * std::round((near[k] - angles[k]) / kTurn);
  return result;
}

}  // namespace

Mat3 from_euler(const std::array<int, 3>& axes, const Vec3& angles) {
  Mat3 R = Mat3::Identity();
  for (int k = 0; k < 3; ++k) R = R * Eigen::AngleAxisd(angles[k], Vec3::Unit(axes[k])).toRotationMatrix();
  return R;
}

Vec3 to_euler(const std::array<int, 3>& axes, const Mat3& R, const Vec3& near) {
  const auto [i, j, k] = axes;
  // For the axes x y z:  R(0,2) = sin b,  R(0,0) = cos b cos c,  R(0,1) = -cos b sin c,  and  R R_z(-c) = R_x(a) R_y(b)
  // gives a without loss even where cos b is small. Axes of odd order are a mirrored frame: all angles change sign.
  const double sign = (j - i + 3) % 3 == 1 ? 1 : -1;
  const double cos_b = std::hypot(R(i, i), R(i, j));
  const double b = std::atan2(R(i, k), cos_b);
  const double c = cos_b > 1e-7 ? std::atan2(-R(i, j), R(i, i)) : sign * near[2];
  const double a = std::atan2(R(k, i) * std::sin(c) + R(k, j) * std::cos(c),  //
                              R(j, i) * std::sin(c) + R(j, j) * std::cos(c));
  const Vec3 first = unrolled(sign * Vec3(a, b, c), near);
  const double pi = std::numbers::pi;
  const Vec3 second = unrolled(sign * Vec3(a + pi, pi - b, c + pi), near);
  return (first - near).squaredNorm() <= (second - near).squaredNorm() ? first : second;
}

Mat3 rotation_of(const Mat3& A) {
  Mat3 R = nearest_orthogonal(A);
  if (R.determinant() < 0) R = -R;
  return R;
}

}  // namespace rigspace
