#pragma once
// The Jacobian of a rig as a function of the pose, learned beside the inverse (IRM 4.4).
//
//   J(f) = J_mean + sum_k z_k(f) B_k
//
// B are the principal components of the samples' Jacobians, over entries that are not zero throughout (a joint follows
// few controls), z a regression on the same samples as the inverse's. Of the hound's 234 x 218 entries at 750 samples,
// 306 MB, a few megabytes are left.

#include "rigspace/optimize/kernel_regression.h"

#include <functional>
#include <vector>

namespace rigspace {

class LearnedJacobian {
 public:
  struct Options {
    double left_out = 1e-5;  ///< share of the squared variation that components may leave out
    int most = 96;           ///< components
  };
  /// `jacobian(k)`: at sample k of the regression, all of one size.
  LearnedJacobian(const KernelRegression& regression, const std::function<Mat(int)>& jacobian, const Options& options);
  LearnedJacobian(const KernelRegression& regression, const std::function<Mat(int)>& jacobian)
      : LearnedJacobian(regression, jacobian, Options()) {}
  /// From what the members below returned.
  LearnedJacobian(int rows, int columns, std::vector<int> entries, Mat basis, Mat coefficients);

  /// `kernels`: KernelRegression::basis of the place.
  Mat predict(In kernels) const;

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int component_count() const { return static_cast<int>(basis_.cols()) - 1; }
  const std::vector<int>& entries() const { return entries_; }  ///< column-major places of those that are kept
  const Mat& basis() const { return basis_; }                   ///< [B mean], entries by components and one
  const Mat& coefficients() const { return coefficients_; }     ///< of z
  double left_out() const { return left_out_; }                 ///< share of the squared variation, at the samples

 private:
  int rows_ = 0, columns_ = 0;
  std::vector<int> entries_;
  Mat basis_, coefficients_;
  double left_out_ = 0;
};

}  // namespace rigspace
