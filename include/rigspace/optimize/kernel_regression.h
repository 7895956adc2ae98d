#pragma once
// A vector-valued function y(x) from samples, by kernels: the mean of a Gaussian process with an unknown constant.
//
//   y(x) = sum_i a_i c(x, x_i) + b,    [ C + s I   1 ] [ A^T ]   [ Y^T ]
//                                      [ 1^T       0 ] [ b^T ] = [ 0   ]
//
// c is conditionally positive definite: a^T C a > 0 for all a with sum 0, which the last row sees to. So the
// multiquadric of IRM (1) enters with a minus sign; IRM (6) adds theta_1 to the other side of zero
// (docs/corrections.md).

#include "rigspace/base/types.h"

#include <string_view>
#include <vector>

namespace rigspace {

enum class Kernel {
  multiquadric,         ///< -sqrt(d^2 + 1): goes on beyond the samples and levels off
  squared_exponential,  ///< exp(-d^2 / 2): falls to the constant far from samples
  linear,               ///< x . x'
  polynomial,           ///< (1 + x . x')^3
};
inline constexpr Kernel kKernels[] = {Kernel::multiquadric, Kernel::squared_exponential, Kernel::linear,
                                      Kernel::polynomial};
std::string_view name(Kernel);

struct KernelSettings {
  Kernel kernel = Kernel::multiquadric;
  double length = 1;        ///< in units of x: all x are divided by it
  double smoothing = 1e-5;  ///< s above

  void validate() const;
};

/// Samples are columns. Prediction is const and may be called from several threads.
class KernelRegression {
 public:
  KernelRegression() = default;
  /// X: d by n, Y: m by n, n >= 1. Throws Error if sizes differ, a number is not finite or the system is singular (two
  /// samples at one place without smoothing).
  KernelRegression(Mat X, const Mat& Y, const KernelSettings& settings);
  /// From what `samples`, `coefficients` and `inverse` returned.
  KernelRegression(Mat X, Mat coefficients, Mat inverse, const KernelSettings& settings);

  Vec predict(In x) const;
  struct Predictions {
    Mat Y;          ///< a column for each place
    Vec variances;  ///< see `variance`
  };
  /// Several places at once (columns), in a fraction of the time.
  Predictions predict_all(const Mat& X) const;
  /// [c(x, x_i); 1]: what coefficients are multiplied by.
  Vec basis(In x) const { return kernels(x); }
  /// [A b] of other values at the same samples.
  Mat coefficients_for(const Mat& Y) const { return Y * inverse_.topRows(count()); }
  /// dy/dx, m by d.
  Mat derivative(In x) const;
  /// Variance of the prediction of a function of unit scale: 0 at samples without smoothing, larger far from them.
  double variance(In x) const;

  /// Of predictions at several places (columns) among themselves; `variance` is its diagonal.
  Mat covariance(const Mat& X) const;

  /// Column i is y_i less what all other samples predict there, in closed form.
  Mat leave_one_out() const;
  /// The variance at sample i as all others have it.
  Vec leave_one_out_variance() const;

  int count() const { return static_cast<int>(X_.cols()); }
  int size_x() const { return static_cast<int>(X_.rows()); }
  int size_y() const { return static_cast<int>(coefficients_.rows()); }
  const KernelSettings& settings() const { return settings_; }
  const Mat& samples() const { return X_; }
  const Mat& coefficients() const { return coefficients_; }  ///< [A b], m by n + 1
  const Mat& inverse() const { return inverse_; }            ///< of the bordered matrix, n + 1 by n + 1

 private:
  void prepare();
  Vec kernels(In x) const;  // c(x, x_i), and 1
  Mat kernels(const Mat& X) const;

  Mat X_, coefficients_, inverse_;
  Vec squared_;  // |x_i|^2
  KernelSettings settings_;
};

/// The length and smoothing with the least squared leave-one-out residual among a grid: lengths are multiples of the
/// mean distance of samples (IRM 4.1 takes the mean distance itself).
KernelSettings choose_kernel_settings(const Mat& X, const Mat& Y, Kernel kernel);

/// The mean distance of two samples, of at most 500 that are spread over the list; 1 if there is none.
double mean_distance(const Mat& X);

struct SampleChoice {
  int count = 750;  ///< as many as this, or all
  int spread = 20;  ///< the first of them are those farthest from all that are chosen already
  int first = 0;    ///< the sample to begin with: the rest pose
};

/// IRM 4.2: samples of (X, Y), in the order in which they are chosen: the first, then those farthest from the chosen
/// ones, then those that the chosen ones predict worst. Adding one costs O(N n): a factor and the residuals are
/// updated, not computed anew.
std::vector<int> choose_samples(const Mat& X, const Mat& Y, const KernelSettings& settings, const SampleChoice& choice);

}  // namespace rigspace
