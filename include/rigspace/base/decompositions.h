#pragma once
// Decompositions of dense matrices, compiled once: every file that instantiates one of Eigen's takes ten seconds more.

#include "rigspace/base/types.h"

#include <Eigen/Geometry>

#include <optional>

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

/// A = U diag(sigma) V^T with as many columns of U and V as A has rows or columns, whichever are fewer.
struct ThinSvd {
  Mat U;
  Vec sigma;  ///< descending
  Mat V;
};
ThinSvd thin_svd(const Mat& A);
/// Descending.
Vec singular_values(const Mat& A);

/// X of A X = B, A symmetric and not negative.
Mat solve_ldlt(const Mat& A, const Mat& B);
/// X of A X = B, A symmetric and positive definite.
Mat solve_llt(const Mat& A, const Mat& B);
/// X of A X = B, A square and regular.
Mat solve_lu(const Mat& A, const Mat& B);
/// The shortest X of those that minimise |A X - B|.
Mat solve_least_squares(const Mat& A, const Mat& B);
/// Of a square and regular A.
Mat inverse(const Mat& A);
/// L of A = L L^T, A symmetric; nothing where A is not positive definite.
std::optional<Mat> cholesky(const Mat& A);

/// The least rotation that takes the direction of `from` to that of `to`; about some axis across where they are opposite.
Quat turn_between(const Vec3& from, const Vec3& to);

}  // namespace rigspace
