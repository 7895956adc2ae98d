#pragma once
// Private to physics: many bounded factors from few linear equations.

#include "rigspace/base/types.h"

namespace rigspace {

struct NearestFactors {
  Mat B;                  ///< equations x elements
  Vec target;             ///< of the equations
  Vec middle;             ///< m_e > 0: what factors are by themselves, between the bounds
  Vec weight;             ///< r_e >= 0; where it is 0 the factor is m_e
  double floor, ceiling;  ///< of the factors
};

/// mu that minimises 1/2 |B mu - t|^2 + 1/2 sum_e r_e (mu_e / m_e - 1)^2 over floor <= mu <= ceiling, through its dual:
/// see control_stiffness.h. `y` is where to begin, and the residual t - B mu in the end.
Vec nearest_factors(const NearestFactors& problem, Vec& y);

}  // namespace rigspace
