#pragma once
// Decompositions of dense matrices, compiled once: every file that instantiates one of Eigen's takes ten seconds more.

#include "rigspace/base/types.h"

namespace rigspace {

/// U V^T of A = U S V^T: the orthogonal matrix nearest to A, mirrored where A is.
Mat3 nearest_orthogonal(const Mat3& A);
/// The rotation nearest to A: where A is mirrored, the axis that it stretches least is turned round.
Mat3 nearest_rotation(const Mat3& A);
/// Of a matrix that may be singular (Moore and Penrose).
Mat3 pseudo_inverse(const Mat3& A);

/// A = V diag(values) V^T of a symmetric A, of which the lower triangle is read.
struct SymmetricEigen {
  Vec values;             ///< ascending
  Mat vectors;            ///< one a column, of length 1
  bool converged = true;  ///< false: A is not finite
};
SymmetricEigen symmetric_eigen(const Mat& A);
/// Ascending.
Vec symmetric_eigenvalues(const Mat& A);
/// Of A v = t B v, ascending; B positive definite.
Vec generalised_symmetric_eigenvalues(const Mat& A, const Mat& B);

/// A = U diag(sigma) V^T with as many columns of U as A has rows or columns, whichever are fewer.
struct ThinSvd {
  Mat U;
  Vec sigma;  ///< descending
};
ThinSvd thin_svd(const Mat& A);
/// Descending.
Vec singular_values(const Mat& A);

/// X of A X = B, A symmetric and not negative.
Mat solve_ldlt(const Mat& A, const Mat& B);

}  // namespace rigspace
