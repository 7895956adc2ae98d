#pragma once
// Checks an energy, yours or ours, against the laws that the solvers rely on.

#include "rigspace/optimize/energy.h"
#include "rigspace/testing/laws.h"

#include <cstdint>

namespace rigspace::testing {

struct CheckEnergyOptions {
  double length = 1;             ///< over which the energy changes noticeably, units of x; differences step 1e-5 of it
  double tolerance = 1e-6;       ///< of derivatives against differences, relative to their largest entry
  bool require_gradient = true;  ///< a gradient of zero at x breaks the law, since then nothing would be tested
  bool hessian = true;           ///< false for energies whose Hessian is an approximation on purpose (Gauss-Newton)
  int max_coordinates = 90;  ///< derivatives are compared at this many coordinates, picked at random if there are more
  std::uint32_t seed = 1;
};

/// At x, after a refresh there: value is finite and repeats itself; add_gradient is its derivative, adds, and scales
/// with the weight; add_hessian is the derivative of the gradient, from symmetric blocks, and scales with the weight;
/// projected blocks have no negative eigenvalue and equal the exact ones where those have none either; the path x -> x
/// is allowed; points outside support() change nothing; a refresh that reports Change::none changes nothing; sampling
/// all elements with weight 1 gives the same energy back.
LawReport check_energy(const Energy& energy, In x, const CheckEnergyOptions& options = {});

}  // namespace rigspace::testing
