#pragma once
// Four linear tetrahedra at a time: deformation gradients from points, forces and Hessian blocks from stresses.

#include "isotropic.h"

namespace rigspace {

constexpr int kBatchDoubles = 40;  ///< shape gradients of corners 1 to 3 (9 lanes), volume (1 lane)

struct TetBatch {
  const int* corners;  ///< 16: four of each element
  const double* rest;  ///< kBatchDoubles

  /// Component j of the shape gradient of corner a + 1.
  RIGSPACE_INLINE Lanes gradient(int a, int j) const { return load(rest + kLanes * (3 * a + j)); }
  RIGSPACE_INLINE Lanes volume() const { return load(rest + kLanes * 9); }
  RIGSPACE_INLINE Lanes coordinate(const double* x, int corner, int axis) const {
    return Lanes{x[3 * corners[corner] + axis], x[3 * corners[4 + corner] + axis], x[3 * corners[8 + corner] + axis],
                 x[3 * corners[12 + corner] + axis]};
  }
};

/// Edges from corner 0, as columns.
RIGSPACE_INLINE Matrix3<Lanes> edges(const TetBatch& tet, const double* x) {
  Matrix3<Lanes> D;
  for (int i = 0; i < 3; ++i) {
    const Lanes origin = tet.coordinate(x, 0, i);
    for (int a = 0; a < 3; ++a) D(i, a) = tet.coordinate(x, a + 1, i) - origin;
  }
  return D;
}

/// D times the shape gradients: F for D = edges(x).
RIGSPACE_INLINE Matrix3<Lanes> times_gradients(const Matrix3<Lanes>& D, const TetBatch& tet) {
  Matrix3<Lanes> F;
  for (int j = 0; j < 3; ++j) {
    const Lanes b0 = tet.gradient(0, j), b1 = tet.gradient(1, j), b2 = tet.gradient(2, j);
    for (int i = 0; i < 3; ++i) F(i, j) = madd(D(i, 2), b2, madd(D(i, 1), b1, D(i, 0) * b0));
  }
  return F;
}

/// F (Thesis 3.3); the identity for lanes that take no part, so that no infinity can arise there.
RIGSPACE_INLINE Matrix3<Lanes> deformation(const TetBatch& tet, const double* x) {
  Matrix3<Lanes> F = times_gradients(edges(tet, x), tet);
  const LaneMask absent = tet.volume() == 0;
  if (any(absent))
    for (int k = 0; k < 9; ++k) F.m[k] = select(absent, fill<Lanes>(k % 4 == 0 ? 1.0 : 0.0), F.m[k]);
  return F;
}

/// Forces of the stress V P on the corners, dE/dx: 12 lanes, corner by corner.
RIGSPACE_INLINE void corner_forces(const TetBatch& tet, const Matrix3<Lanes>& P, double* out) {
  const Lanes V = tet.volume();
  for (int i = 0; i < 3; ++i) {
    Lanes sum = fill<Lanes>(0.0);
    for (int a = 0; a < 3; ++a) {
      Lanes f = P(i, 0) * tet.gradient(a, 0);
      f = madd(P(i, 2), tet.gradient(a, 2), madd(P(i, 1), tet.gradient(a, 1), f)) * V;
      store(out + kLanes * (3 * (a + 1) + i), f);
      sum += f;
    }
    store(out + kLanes * i, -sum);
  }
}

/// The 12x12 block of four elements, by columns.
struct BlockLanes {
  Lanes H[144];
  RIGSPACE_INLINE Lanes& operator()(int row, int column) { return H[row + 12 * column]; }
};

/// Fills rows and columns of corner 0 from those of corners 1 to 3 (a translation does no work), and mirrors.
RIGSPACE_INLINE void complete_block(BlockLanes& K) {
  for (int b = 1; b < 4; ++b)
    for (int j = 3 * b; j < 3 * b + 3; ++j)
      for (int i = 0; i < 3; ++i) {
        const Lanes sum = -(K(3 + i, j) + K(6 + i, j) + K(9 + i, j));
        K(i, j) = sum;
        K(j, i) = sum;
      }
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i <= j; ++i) K(i, j) = K(j, i) = -(K(i, 3 + j) + K(i, 6 + j) + K(i, 9 + j));
}

/// dP/dF, given in the frame of U and V, between the corners: with c_a = V^T grad N_a, block (a, b) is U K U^T where
///   K_ii = A_ii c_ai c_bi + sum_{j != i} even_ij c_aj c_bj,   K_ij = A_ij c_ai c_bj + odd_ij c_aj c_bi,
/// even and odd being half the sum and the difference of flip and twist.
RIGSPACE_INLINE void corner_blocks(const TetBatch& tet, const Svd3<Lanes>& svd, const PrincipalSystem<Lanes>& system,
                                   const Lanes& scale, BlockLanes& out) {
  constexpr int kAcross[3][3] = {{0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  constexpr int kMeet[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  const Lanes half = fill<Lanes>(0.5) * scale;
  Lanes A[6], even[3], odd[3], c[3][3];
  for (int k = 0; k < 6; ++k) A[k] = scale * system.A[k];
  for (int k = 0; k < 3; ++k) {
    even[k] = half * (system.flip[k] + system.twist[k]);
    odd[k] = half * (system.flip[k] - system.twist[k]);
    for (int a = 0; a < 3; ++a)
      c[a][k] = madd(svd.V(2, k), tet.gradient(a, 2),
                     madd(svd.V(1, k), tet.gradient(a, 1), svd.V(0, k) * tet.gradient(a, 0)));
  }
  const Matrix3<Lanes>& U = svd.U;
  for (int b = 0; b < 3; ++b)
    for (int a = 0; a <= b; ++a) {
      Matrix3<Lanes> K, W;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          if (i != j) {
            K(i, j) = madd(A[kMeet[i][j]], c[a][i] * c[b][j], odd[kAcross[i][j]] * (c[a][j] * c[b][i]));
            continue;
          }
          const int l = (i + 1) % 3, m = (i + 2) % 3;
          K(i, i) = madd(A[i], c[a][i] * c[b][i],
                         madd(even[kAcross[i][l]], c[a][l] * c[b][l], even[kAcross[i][m]] * (c[a][m] * c[b][m])));
        }
      for (int j = 0; j < 3; ++j)  // W = K U^T
        for (int i = 0; i < 3; ++i) W(i, j) = madd(K(i, 2), U(j, 2), madd(K(i, 1), U(j, 1), K(i, 0) * U(j, 0)));
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
          if (a == b && i > j) continue;
          const Lanes k = madd(U(i, 2), W(2, j), madd(U(i, 1), W(1, j), U(i, 0) * W(0, j)));
          out(3 + 3 * a + i, 3 + 3 * b + j) = k;
          out(3 + 3 * b + j, 3 + 3 * a + i) = k;
        }
    }
  complete_block(out);
}

/// One block after the other, 144 doubles each.
RIGSPACE_INLINE void unpack(const BlockLanes& K, double* out) {
  for (int k = 0; k < 144; k += 4) {
    const Lanes *a = K.H + k, *b = a + 1, *c = a + 2, *d = a + 3;
    const Lanes ab0 = __builtin_shufflevector(*a, *b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    const Lanes cd0 = __builtin_shufflevector(*c, *d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    store(out + k, __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5));
    store(out + 144 + k, __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5));
    store(out + 288 + k, __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7));
    store(out + 432 + k, __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7));
  }
}

}  // namespace rigspace
