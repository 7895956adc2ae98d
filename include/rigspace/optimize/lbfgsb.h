#pragma once
// L-BFGS-B: many unknowns, bounds, gradients only (by LBFGSpp).

#include "rigspace/base/progress.h"
#include "rigspace/optimize/function.h"
#include "rigspace/optimize/summary.h"

namespace rigspace {

struct LbfgsbOptions {
  double gradient_tolerance = 1e-8;  ///< largest entry of the projected gradient
  double relative_tolerance = 0;     ///< the same, relative to |x|
  double value_tolerance = 0;        ///< converged when ten iterations improve f by less, relative to |f|; 0: never
  int memory = 8;                    ///< pairs kept
  int max_iterations = 500;
  int max_line_search = 40;  ///< evaluations in one line search
  Vec lower, upper;          ///< of the size of x, infinite where free; empty: no bounds

  void validate(int size) const;
};

/// Minimises from x, which is moved into the bounds first; the result is in x, always the best state seen.
Summary minimize_lbfgsb(const DifferentiableFunction&, Vec& x, const LbfgsbOptions& = {}, const ProgressCallback& = {});

}  // namespace rigspace
