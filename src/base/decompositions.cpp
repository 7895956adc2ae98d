#include "rigspace/base/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace rigspace {
namespace {

using Svd3x3 = Eigen::JacobiSVD<Mat3>;
Svd3x3 svd_of(const Mat3& A) { return Svd3x3(A, Eigen::ComputeFullU | Eigen::ComputeFullV); }

}  // namespace

Mat3 nearest_orthogonal(const Mat3& A) {
  const Svd3x3 svd = svd_of(A);
  return svd.matrixU() * svd.matrixV().transpose();
}

Mat3 nearest_rotation(const Mat3& A) {
  const Svd3x3 svd = svd_of(A);
  Mat3 U = svd.matrixU();
  if ((U * svd.matrixV().transpose()).determinant() < 0) U.col(2) = -U.col(2);
  return U * svd.matrixV().transpose();
}

Mat3 pseudo_inverse(const Mat3& A) { return A.completeOrthogonalDecomposition().pseudoInverse(); }

SymmetricEigen symmetric_eigen(const Mat& A) {
  const Eigen::SelfAdjointEigenSolver<Mat> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

Vec symmetric_eigenvalues(const Mat& A) {
  return Eigen::SelfAdjointEigenSolver<Mat>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Vec generalised_symmetric_eigenvalues(const Mat& A, const Mat& B) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<Mat>(A, B, Eigen::EigenvaluesOnly).eigenvalues();
}

ThinSvd thin_svd(const Mat& A) {
  const Eigen::JacobiSVD<Mat> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

Vec singular_values(const Mat& A) { return Eigen::JacobiSVD<Mat>(A).singularValues(); }

Mat solve_ldlt(const Mat& A, const Mat& B) { return A.ldlt().solve(B); }
Mat solve_llt(const Mat& A, const Mat& B) { return A.llt().solve(B); }
Mat solve_lu(const Mat& A, const Mat& B) { return A.partialPivLu().solve(B); }
Mat solve_least_squares(const Mat& A, const Mat& B) { return A.completeOrthogonalDecomposition().solve(B); }
Mat inverse(const Mat& A) { return A.partialPivLu().inverse(); }

std::optional<Mat> cholesky(const Mat& A) {
  const Eigen::LLT<Mat> factor(A);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return Mat(factor.matrixL());
}

Quat turn_between(const Vec3& from, const Vec3& to) { return Quat::FromTwoVectors(from, to); }

}  // namespace rigspace
