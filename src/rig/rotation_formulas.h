#pragma once
// Rotations and transforms as formulas of any scalar, double or Dual. Where a rotation has no definite derivative (half
// a turn, a direction of length zero), values stay finite.

#include "dual.h"
#include "rigspace/base/types.h"

#include <array>
#include <cmath>

namespace rigspace {

template <class S>
using V3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using M3 = Eigen::Matrix<S, 3, 3>;
template <class S>
using Q4 = std::array<S, 4>;  // x y z w

/// A transform: x -> A x + t.
template <class S>
struct Frame {
  M3<S> A;
  V3<S> t;
};

template <class S>
V3<S> vector_at(const S* numbers) {
  return V3<S>(numbers[0], numbers[1], numbers[2]);
}
template <class S>
Frame<S> frame_at(const S* numbers) {
  Frame<S> f;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) f.A(r, c) = numbers[3 * c + r];
  f.t = vector_at(numbers + 9);
  return f;
}
template <class S>
void put(const M3<S>& A, const V3<S>& t, S* output) {
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) output[3 * c + r] = A(r, c);
  for (int r = 0; r < 3; ++r) output[9 + r] = t[r];
}
template <class S>
M3<S> constant(const Mat3& M) {
  return M.cast<S>();
}
template <class S>
V3<S> constant(const Vec3& v) {
  return v.cast<S>();
}

template <class S>
S dot(const V3<S>& a, const V3<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class S>
V3<S> cross(const V3<S>& a, const V3<S>& b) {
  return V3<S>(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}
/// sqrt with slope 0 at 0.
template <class S>
S safe_sqrt(const S& x) {
  using std::sqrt;
  return value_of(x) > 0 ? sqrt(x) : S(0);
}
template <class S>
S length(const V3<S>& a) {
  return safe_sqrt(dot(a, a));
}
template <class S>
S clamped(const S& x, double low, double high) {
  return value_of(x) < low ? S(low) : value_of(x) > high ? S(high) : x;
}

/// a / |a|, or `otherwise` if a is shorter than `shortest`.
template <class S>
V3<S> direction(const V3<S>& a, const V3<S>& otherwise, double shortest = 1e-150) {
  const S l = length(a);
  if (!(value_of(l) > shortest)) return otherwise;
  return a * (S(1) / l);
}
/// The part of a across the unit vector d.
template <class S>
V3<S> across(const V3<S>& a, const V3<S>& d) {
  return a - d * dot(a, d);
}

/// The coordinate axis least along v: a direction across v where none is given.
template <class S>
V3<S> any_across(const V3<S>& v) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(value_of(v[k])) < std::abs(value_of(v[least]))) least = k;
  V3<S> e(S(0), S(0), S(0));
  e[least] = S(1);
  return direction<S>(across<S>(e, v), e);
}

/// Columns x, y made orthogonal to x, and their cross product: the rotation of a transform, of positive determinant.
template <class S>
M3<S> rotation_of(const M3<S>& A) {
  const V3<S> x = direction<S>(A.col(0), V3<S>(S(1), S(0), S(0)));
  const V3<S> y = direction<S>(across<S>(A.col(1), x), any_across<S>(x));
  M3<S> R;
  R.col(0) = x;
  R.col(1) = y;
  R.col(2) = cross<S>(x, y);
  return R;
}

template <class S>
M3<S> inverse(const M3<S>& A) {
  const V3<S> a = A.col(0), b = A.col(1), c = A.col(2);
  const V3<S> bc = cross<S>(b, c), ca = cross<S>(c, a), ab = cross<S>(a, b);
  S det = dot(a, bc);
  if (std::abs(value_of(det)) < 1e-150) det = S(1e-150);
  const S over = S(1) / det;
  M3<S> B;
  for (int k = 0; k < 3; ++k) {
    B(0, k) = bc[k] * over;
    B(1, k) = ca[k] * over;
    B(2, k) = ab[k] * over;
  }
  return B;
}

/// The unit quaternion of a rotation with w >= 0; the largest component is computed first (Shepperd 1978).
template <class S>
Q4<S> quaternion_of(const M3<S>& R) {
  const double squares[4] = {value_of(R(0, 0)) - value_of(R(1, 1)) - value_of(R(2, 2)),
                             value_of(R(1, 1)) - value_of(R(0, 0)) - value_of(R(2, 2)),
                             value_of(R(2, 2)) - value_of(R(0, 0)) - value_of(R(1, 1)),
                             value_of(R(0, 0)) + value_of(R(1, 1)) + value_of(R(2, 2))};
  int most = 3;
  for (int k = 0; k < 3; ++k)
    if (squares[k] > squares[most]) most = k;
  Q4<S> q;
  if (most == 3) {
    const S d = safe_sqrt(S(1) + R(0, 0) + R(1, 1) + R(2, 2)) * S(2);  // 4 w
    const S over = S(1) / d;
    q = {(R(2, 1) - R(1, 2)) * over, (R(0, 2) - R(2, 0)) * over, (R(1, 0) - R(0, 1)) * over, d * S(0.25)};
  } else {
    const int i = most, j = (i + 1) % 3, k = (i + 2) % 3;
    const S d = safe_sqrt(S(1) + R(i, i) - R(j, j) - R(k, k)) * S(2);
    const S over = S(1) / d;
    q[i] = d * S(0.25);
    q[j] = (R(j, i) + R(i, j)) * over;
    q[k] = (R(k, i) + R(i, k)) * over;
    q[3] = (R(k, j) - R(j, k)) * over;
  }
  if (value_of(q[3]) < 0)
    for (S& c : q) c = -c;
  return q;
}

/// Of a quaternion of any length but zero.
template <class S>
M3<S> matrix_of(const Q4<S>& q) {
  const S n = S(2) / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const S &x = q[0], &y = q[1], &z = q[2], &w = q[3];
  M3<S> R;
  R << S(1) - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y),  //
      n * (x * y + w * z), S(1) - n * (x * x + z * z), n * (y * z - w * x),   //
      n * (x * z - w * y), n * (y * z + w * x), S(1) - n * (x * x + y * y);
  return R;
}

/// The rotation vector, |r| <= pi.
template <class S>
V3<S> log_of(const M3<S>& R) {
  using std::atan2;
  const Q4<S> q = quaternion_of(R);
  const V3<S> v(q[0], q[1], q[2]);
  const S s2 = dot(v, v);
  // r = 2 atan(s/w)/s v; a series near 0, whose next term is s^4.
  if (value_of(s2) < 1e-8) return v * (S(2) / q[3] * (S(1) - s2 / (S(3) * q[3] * q[3])));
  const S s = safe_sqrt(s2);
  return v * (S(2) * atan2(s, q[3]) / s);
}

/// exp(r) = I + a K + b K^2, K = [r]x, a = sin t / t, b = (1 - cos t) / t^2.
template <class S>
M3<S> exp_of(const V3<S>& r) {
  using std::cos;
  using std::sin;
  const S t2 = dot(r, r);
  S a, b;
  if (value_of(t2) < 1e-4) {  // the terms left out are below 1e-18
    a = S(1) - t2 * (S(1.0 / 6) - t2 * (S(1.0 / 120) - t2 * S(1.0 / 5040)));
    b = S(0.5) - t2 * (S(1.0 / 24) - t2 * (S(1.0 / 720) - t2 * S(1.0 / 40320)));
  } else {
    const S t = safe_sqrt(t2);
    a = sin(t) / t;
    b = (S(1) - cos(t)) / t2;
  }
  // K^2 = r r^T - t^2 I.
  M3<S> R;
  const S c = S(1) - b * t2;
  R << c + b * r[0] * r[0], b * r[0] * r[1] - a * r[2], b * r[0] * r[2] + a * r[1],  //
      b * r[0] * r[1] + a * r[2], c + b * r[1] * r[1], b * r[1] * r[2] - a * r[0],   //
      b * r[0] * r[2] - a * r[1], b * r[1] * r[2] + a * r[0], c + b * r[2] * r[2];
  return R;
}

inline bool is_constant(double) { return true; }
inline bool is_constant(const Dual& a) {
  for (const double d : a.d)
    if (d != 0) return false;
  return true;
}

/// From A (share 0) to B (share 1) along the shortest arc. A fixed share of 1 needs no arc, and so meets no half turn.
template <class S>
M3<S> blend_rotations(const M3<S>& A, const M3<S>& B, const S& share) {
  if (value_of(share) == 1 && is_constant(share)) return B;
  if (value_of(share) == 0 && is_constant(share)) return A;
  return A * exp_of<S>(log_of<S>(A.transpose() * B) * share);
}

/// The shortest rotation that takes unit vector a to unit vector b; opposite ones turn about something across a.
template <class S>
M3<S> shortest_arc(const V3<S>& a, const V3<S>& b) {
  const V3<S> v = cross<S>(a, b);
  const S w = S(1) + dot(a, b);
  if (value_of(w) < 1e-12) {
    const V3<S> n = any_across<S>(a);
    return matrix_of<S>({n[0], n[1], n[2], S(0)});
  }
  return matrix_of<S>({v[0], v[1], v[2], w});
}

/// Columns d, s made orthogonal to d, d x s; d of unit length.
template <class S>
M3<S> frame_of(const V3<S>& d, const V3<S>& s) {
  const V3<S> y = direction<S>(across<S>(s, d), any_across<S>(d));
  M3<S> F;
  F.col(0) = d;
  F.col(1) = y;
  F.col(2) = cross<S>(d, y);
  return F;
}

/// A transform as rotation and stretch, A = R K.
template <class S>
struct Pose {
  M3<S> R, K;
  V3<S> t;
};
template <class S>
Pose<S> pose_of(const Frame<S>& f) {
  const M3<S> R = rotation_of(f.A);
  return {R, R.transpose() * f.A, f.t};
}

/// From `a` (share 0) to `b` (share 1, clamped): translations and stretches linearly, rotations by the shortest arc.
template <class S>
void put_blended(const Pose<S>& a, const Pose<S>& b, const S& influence, S* output) {
  const S share = clamped(influence, 0, 1);
  const M3<S> turned = blend_rotations<S>(a.R, b.R, share);
  const M3<S> stretch = a.K + (b.K - a.K) * share;
  put<S>(turned * stretch, a.t + (b.t - a.t) * share, output);
}

}  // namespace rigspace
