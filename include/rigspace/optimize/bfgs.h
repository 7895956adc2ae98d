#pragma once
// BFGS: a dense Hessian approximated from gradients (RSP 4, with the denominator as it must be).

#include "rigspace/base/progress.h"
#include "rigspace/optimize/function.h"
#include "rigspace/optimize/line_search.h"
#include "rigspace/optimize/summary.h"

namespace rigspace {

/// A positive definite approximation B of a Hessian block.
///
/// B <- B + y y^T / (y.d) - B d d^T B / (d^T B d), d the step *taken* (alpha dp), y the change of the gradient. For
/// one block of a larger Hessian, y must not contain what other unknowns did: y = change of (df/dp) - H_pn dn.
/// Where y.d < 0.2 d^T B d, y is damped towards B d (Powell), which keeps B positive definite.
class BfgsBlock {
 public:
  enum class Update { plain, damped, skipped };

  explicit BfgsBlock(Mat initial);
  static BfgsBlock identity(int size, double scale = 1);

  /// Skips steps of no length, anything not finite, and what would leave B indefinite by rounding.
  Update update(In d, In y);

  const Mat& matrix() const { return B_; }
  /// For a first guess of the scale, before any update: B = scale I.
  void reset(double scale);

 private:
  Mat B_, next_, factor_;
  Vec Bd_, r_;
};

struct BfgsOptions {
  double gradient_tolerance = 1e-8;  ///< largest |g_i|, units of f per unit of x
  int max_iterations = 500;
  LineSearchOptions search = {};  ///< strong Wolfe

  void validate() const;
};

/// Minimises a function of up to a few hundred unknowns from x; the result is in x.
Summary minimize_bfgs(const DifferentiableFunction&, Vec& x, const BfgsOptions& = {}, const ProgressCallback& = {});

}  // namespace rigspace
