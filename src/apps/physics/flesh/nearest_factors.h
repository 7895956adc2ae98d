#pragma once
// Private to physics: regularised least squares with bounds, for many unknown factors and few linear equations.

#include "rigspace/base/types.h"

#include <functional>

namespace rigspace {

struct NearestFactors {
  Mat B;                             ///< equations x elements
  Vec target;                        ///< of the equations
  Vec middle;                        ///< m_e > 0: what factors are by themselves, between the bounds
  Vec weight;                        ///< r_e >= 0; where it is 0 the factor is m_e
  double floor, ceiling;             ///< of the factors
  std::function<void()> check = {};  ///< called in every iteration; may throw
};

/// The mu that minimises 1/2 |B mu - t|^2 + 1/2 sum_e r_e (mu_e / m_e - 1)^2 over floor <= mu <= ceiling, found through
/// the dual problem (control_stiffness.h). `y`: start of the dual iteration; on return the residual t - B mu.
Vec nearest_factors(const NearestFactors& problem, Vec& y);

}  // namespace rigspace
