#pragma once
// Dense least squares within a box, by active sets (Stark and Parker 1995).

#include "rigspace/base/types.h"
#include "rigspace/optimize/summary.h"

namespace rigspace {

struct BoxLeastSquaresOptions {
  double tolerance = 1e-12;  ///< of the multipliers, relative to |A|_F (|b| + |A|_F |x|)
  int max_iterations = 0;    ///< 0: 30 per unknown
};

struct BoxLeastSquaresResult {
  Vec x;
  Vec multipliers;  ///< A^T (b - A x): 0 inside, not positive at a lower bound, not negative at an upper one
  Summary summary;  ///< value is |A x - b|^2 / 2; converged means that the conditions above were checked
};

/// min |A x - b|^2, lower <= x <= upper; bounds may be infinite, or equal. Throws Error if they cross or sizes differ.
BoxLeastSquaresResult box_least_squares(const Mat& A, In b, In lower, In upper, const BoxLeastSquaresOptions& = {});

}  // namespace rigspace
