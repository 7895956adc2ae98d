#pragma once
// Many thousands of samples: a kernel regression of few for the whole, and local ones for what it leaves.
//
//   y(x) = y_0(x) + sum_l w_l(x) (1 - v_l(x)) y_l(x)
//
// Samples are divided into cells; each has a regression (squared exponential) of what the first one misses at its own
// samples and their nearest neighbours. w are smooth, sum to one and vanish beyond the nearest cells; v is the variance
// of the local prediction, 1 far from its samples, where the first regression alone is left. Memory grows with the
// number of samples, not with its square.

#include "rigspace/optimize/kernel_regression.h"

#include <vector>

namespace rigspace {

class LocalRegression {
 public:
  struct Options {
    int cell = 400;    ///< samples of a cell, at most
    int around = 200;  ///< of its neighbours that it also learns from
    int blended = 4;   ///< cells at a place

    void validate() const;
  };
  LocalRegression(const KernelRegression& whole, const Mat& X, const Mat& Y, const Options& options);
  /// From the cells and centres of another.
  LocalRegression(std::vector<KernelRegression> cells, Mat centres, int blended);

  /// Adds to what the first regression predicted there, and takes its variances down by the share v.
  void correct(const Mat& X, KernelRegression::Predictions& predictions) const;

  const std::vector<KernelRegression>& cells() const { return cells_; }
  const Mat& centres() const { return centres_; }
  int blended() const { return blended_; }

 private:
  std::vector<KernelRegression> cells_;
  Mat centres_;  // a column for each cell
  int blended_ = 4;
};

}  // namespace rigspace
