#pragma once
// Private to physics: the weights of one node inside, from its candidates on the skin.

#include "rigspace/base/types.h"

#include <vector>

namespace rigspace {

/// Some of the columns of a fit, ascending, their weights (>= 0, sum 1), and the rms distance over the examples.
struct SparseWeights {
  std::vector<int> columns;
  Vec weights;
  double residual = 0;
};

/// min |A w - b|^2 over w >= 0 with sum 1. A: three rows an example, a column a candidate.
class WeightFit {
 public:
  WeightFit(Mat A, Vec b);

  /// Over these columns alone; those of weight 0 are left out of the result.
  SparseWeights solve(const std::vector<int>& columns) const;
  SparseWeights solve() const;
  /// Removes the smallest weight while the residual stays within max(tolerance, ratio * that of all columns). With
  /// w >= 0 and sum 1 the L1 norm is constant, so it cannot choose (docs/corrections.md, "sparse weights").
  SparseWeights eliminate(double tolerance, double ratio) const;
  /// The same, by Thesis algorithm 4: what to remove is said by SmoothL1 solves.
  SparseWeights algorithm4(double tolerance, double ratio) const;

 private:
  Vec smooth_l1(const std::vector<int>& columns, Vec w, double weight) const;

  Mat A_, G_;
  Vec b_, Atb_;
};

}  // namespace rigspace
