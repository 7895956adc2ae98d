#pragma once
// Checks a mapping, yours or ours, against the laws that the solvers rely on.

#include "rigspace/optimize/mapping.h"
#include "rigspace/testing/laws.h"

#include <cstdint>

namespace rigspace::testing {

struct CheckMappingOptions {
  double step = 1e-5;          ///< of the differences, units of q
  double tolerance = 1e-6;     ///< of derivatives against differences, relative to their largest entry
  bool exact_jacobian = true;  ///< false for deferred Jacobians: push is not compared with differences
  int directions = 8;          ///< random directions in q, blocks in x
  std::uint32_t seed = 1;
};

/// At q: sizes agree; evaluate is finite, repeats itself and leaves the linearisation alone; push is dx/dq and not
/// zero; pull is the transpose of push; blocks given to the sink, over points where x is made of them and over
/// coordinates, arrive in the system as J^T H J; add_curvature, where there is one, is the derivative of pull(g).
LawReport check_mapping(const Mapping& mapping, In q, const CheckMappingOptions& options = {});

}  // namespace rigspace::testing
