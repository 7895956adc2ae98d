#pragma once
// Non-negative least squares in Gram form (Bro and de Jong 1997), optionally with weights that sum to one.

#include "rigspace/base/types.h"
#include "rigspace/optimize/summary.h"

namespace rigspace {

struct NnlsOptions {
  bool sum_to_one = false;
  double tolerance = 1e-12;  ///< of the multipliers, relative to the largest entry of AtA and Atb
  int max_iterations = 0;    ///< 0: 30 per unknown
};

struct NnlsResult {
  Vec x;
  Vec multipliers;    ///< A^T b - A^T A x - lambda: 0 where x > 0, not positive where x = 0
  double lambda = 0;  ///< multiplier of sum x = 1
  Summary summary;
};

/// min |A x - b|^2, x >= 0 (and sum x = 1 as an option), from AtA = A^T A and Atb = A^T b. AtA may be singular; there
/// the answer is one of several.
NnlsResult nnls(const Mat& AtA, In Atb, const NnlsOptions& = {});

}  // namespace rigspace
