#pragma once
// Private to reduce: fits the weights of one interior node to its candidates, nodes of the skin.

#include "rigspace/base/types.h"

#include <vector>

namespace rigspace {

/// The columns of a fit with weight above 0, ascending, their weights (sum 1), and the rms distance |A w - b| per
/// example.
struct SparseWeights {
  std::vector<int> columns;
  Vec weights;
  double residual = 0;
};

/// min |A w - b|^2 over w >= 0 with sum 1. A: three rows an example, a column a candidate.
class WeightFit {
 public:
  WeightFit(Mat A, Vec b);

  /// The minimum over these columns only. Columns of weight 0 are not in the result.
  SparseWeights solve(const std::vector<int>& columns) const;
  SparseWeights solve() const;
  /// Removes the smallest weight while the residual stays within max(tolerance, ratio * that of all columns). With
  /// w >= 0 and sum 1 the L1 norm is constant, so it cannot choose (docs/corrections.md, "sparse weights").
  SparseWeights eliminate(double tolerance, double ratio) const;
  /// The same, but the column to remove is the smallest weight of a smooth_l1 solve (Thesis, algorithm 4).
  SparseWeights algorithm4(double tolerance, double ratio) const;

 private:
  Vec smooth_l1(const std::vector<int>& columns, Vec w, double weight) const;

  Mat A_, G_;  // G = A^T A
  Vec b_, Atb_;
};

}  // namespace rigspace
