#pragma once
// A smooth function of a few unknowns, for the solvers that need no structure (BFGS, L-BFGS-B).

#include "rigspace/base/types.h"

#include <functional>

namespace rigspace {

/// Returns f(x), +infinity where x is not allowed, and fills g = df/dx, already of the size of x.
using DifferentiableFunction = std::function<double(In x, Vec& g)>;

}  // namespace rigspace
