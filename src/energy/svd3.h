#pragma once
// Signed singular values of 3x3 matrices by one-sided Jacobi rotations: full relative accuracy, no branches by lane.

#include "lanes.h"

namespace rigspace {

template <class T>
struct Svd3 {
  Matrix3<T> U, V;
  T s[3];
};

namespace svd3_detail {

// (p, q) <- (c p - s q, s p + c q), element by element.
template <class T>
RIGSPACE_INLINE void rotate(T* p, T* q, const T& c, const T& s) {
  for (int k = 0; k < 3; ++k) {
    const T old = p[k];
    p[k] = c * old - s * q[k];
    q[k] = madd(s, old, c * q[k]);
  }
}

// Makes columns p and q of B orthogonal. False if they were, in every lane; lanes that were keep their bits.
template <class T>
RIGSPACE_INLINE bool orthogonalise(Matrix3<T>& B, Matrix3<T>& V, int p, int q) {
  const T alpha = dot(B.column(p), B.column(p)), beta = dot(B.column(q), B.column(q));
  const T gamma = dot(B.column(p), B.column(q));
  // Orthogonal to 1e-15, the rounding of the dot product itself.
  const auto skew = gamma * gamma > fill<T>(1e-30) * (alpha * beta);
  if (!any(skew)) return false;
  const T difference = beta - alpha;
  const T root = square_root(madd(difference, difference, fill<T>(4.0) * gamma * gamma));
  const T doubled = select(difference < 0, fill<T>(-2.0), fill<T>(2.0)) * gamma;
  const T denominator = magnitude(difference) + root;
  const T tangent = select(skew, doubled / select(skew, denominator, fill<T>(1.0)), fill<T>(0.0));
  const T cosine = fill<T>(1.0) / square_root(madd(tangent, tangent, fill<T>(1.0)));
  const T sine = cosine * tangent;
  rotate(B.column(p), B.column(q), cosine, sine);
  rotate(V.column(p), V.column(q), cosine, sine);
  return true;
}

// Columns p and q in falling order of their squared lengths n; a swap negates one, so that V stays a rotation.
template <class T>
RIGSPACE_INLINE void order(Matrix3<T>& B, Matrix3<T>& V, T* n, int p, int q) {
  const auto wrong = n[p] < n[q];
  for (Matrix3<T>* A : {&B, &V})
    for (int k = 0; k < 3; ++k) {
      const T a = (*A)(k, p), b = (*A)(k, q);
      (*A)(k, p) = select(wrong, b, a);
      (*A)(k, q) = select(wrong, -a, b);
    }
  const T a = n[p], b = n[q];
  n[p] = select(wrong, b, a);
  n[q] = select(wrong, a, b);
}

// A unit vector orthogonal to the unit vector u.
template <class T>
RIGSPACE_INLINE void perpendicular(const T* u, T* v) {
  const auto flat = magnitude(u[2]) < fill<T>(0.7);
  v[0] = select(flat, u[1], fill<T>(0.0));
  v[1] = select(flat, -u[0], u[2]);
  v[2] = select(flat, fill<T>(0.0), -u[1]);
  const T scale = fill<T>(1.0) / square_root(dot(v, v));
  for (int k = 0; k < 3; ++k) v[k] *= scale;
}

}  // namespace svd3_detail

/// F = U diag(s) V^T, U and V rotations, s0 >= s1 >= |s2|. Also for singular F, where U and V are completed.
template <class T>
RIGSPACE_INLINE Svd3<T> decompose(const Matrix3<T>& F) {
  using namespace svd3_detail;
  constexpr int kSweeps = 12;  // 3 to 5 are taken; a matrix that is not finite must end, too
  Matrix3<T> B = F;
  Svd3<T> svd;
  svd.V = identity3<T>();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool moved = orthogonalise(B, svd.V, 0, 1);
    moved |= orthogonalise(B, svd.V, 0, 2);
    moved |= orthogonalise(B, svd.V, 1, 2);
    if (!moved) break;
  }
  T n[3];
  for (int k = 0; k < 3; ++k) n[k] = dot(B.column(k), B.column(k));
  order(B, svd.V, n, 0, 1);
  order(B, svd.V, n, 0, 2);
  order(B, svd.V, n, 1, 2);

  // U from the two larger columns; the third is their cross product, so the sign of det F lands on s2.
  T *u0 = svd.U.column(0), *u1 = svd.U.column(1), *u2 = svd.U.column(2);
  const auto nothing = !(n[0] > 0);
  const T scale = fill<T>(1.0) / square_root(select(nothing, fill<T>(1.0), n[0]));
  for (int k = 0; k < 3; ++k) u0[k] = select(nothing, fill<T>(k == 0 ? 1.0 : 0.0), B(k, 0) * scale);
  const T along = dot(u0, B.column(1));
  T w[3], spare[3];
  for (int k = 0; k < 3; ++k) w[k] = B(k, 1) - along * u0[k];
  const T rest = dot(w, w);
  const auto line = !(rest > fill<T>(1e-28) * n[0]);  // rank one: rounding has no direction
  const T scale1 = fill<T>(1.0) / square_root(select(line, fill<T>(1.0), rest));
  perpendicular(u0, spare);
  for (int k = 0; k < 3; ++k) u1[k] = select(line, spare[k], w[k] * scale1);
  cross(u0, u1, u2);
  for (int k = 0; k < 3; ++k) svd.s[k] = dot(svd.U.column(k), B.column(k));
  return svd;
}

}  // namespace rigspace
