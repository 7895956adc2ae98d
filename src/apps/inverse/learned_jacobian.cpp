#include "rigspace/apps/inverse/learned_jacobian.h"

#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

LearnedJacobian::LearnedJacobian(const KernelRegression& regression, const std::function<Mat(int)>& jacobian,
                                 const Options& options) {
  const int n = regression.count();
  Eigen::MatrixXf all;  // a column for each sample; entries of single precision are enough for components
  for (int k = 0; k < n; ++k) {
    const Mat J = jacobian(k);
    if (k == 0) rows_ = static_cast<int>(J.rows()), columns_ = static_cast<int>(J.cols()), all.resize(J.size(), n);
    all.col(k) = J.reshaped().cast<float>();
  }
  for (Eigen::Index i = 0; i < all.rows(); ++i)
    if ((all.row(i).array() != 0).any()) entries_.push_back(static_cast<int>(i));
  Mat S(static_cast<Eigen::Index>(entries_.size()), n);
  for (int k = 0; k < n; ++k)
    for (Eigen::Index i = 0; i < S.rows(); ++i) S(i, k) = all(entries_[static_cast<std::size_t>(i)], k);
  all.resize(0, 0);
  const Vec mean = S.rowwise().mean();
  S.colwise() -= mean;
  // S = B Z by the eigenvectors of S^T S, which is small.
  const SymmetricEigen eigen = symmetric_eigen(S.transpose() * S);
  const Vec& squares = eigen.values;  // ascending
  const double whole = std::max(1e-300, squares.cwiseMax(0).sum());
  int kept = 0;
  double left = whole;
  while (kept < std::min(options.most, n) && left > options.left_out * whole)
    left -= std::max(0.0, squares[n - 1 - kept]), ++kept;
  left_out_ = std::max(0.0, left / whole);
  const Mat Z = eigen.vectors.rightCols(kept).transpose();
  basis_.resize(S.rows(), kept + 1);
  basis_.leftCols(kept).noalias() = S * Z.transpose();  // Z has orthonormal rows
  basis_.col(kept) = mean;
  coefficients_ = regression.coefficients_for(Z);
}

LearnedJacobian::LearnedJacobian(int rows, int columns, std::vector<int> entries, Mat basis, Mat coefficients)
    : rows_(rows),
      columns_(columns),
      entries_(std::move(entries)),
      basis_(std::move(basis)),
      coefficients_(std::move(coefficients)) {}

Mat LearnedJacobian::predict(In kernels) const {
  Vec z(basis_.cols());
  z.head(component_count()).noalias() = coefficients_ * kernels;
  z[component_count()] = 1;
  const Vec kept = basis_ * z;
  Mat J = Mat::Zero(rows_, columns_);
  for (std::size_t i = 0; i < entries_.size(); ++i) J.data()[entries_[i]] = kept[static_cast<Eigen::Index>(i)];
  return J;
}

}  // namespace rigspace
