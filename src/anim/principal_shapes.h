#pragma once
// Private to anim: the few shapes that a motion of points is a blend of.

#include "rigspace/base/types.h"

#include <vector>

namespace rigspace {

/// Offsets of points, D = offsets * weights + what is left: shapes as columns, their weights over time as rows, each
/// within -1 .. 1.
struct PrincipalShapes {
  Mat offsets, weights;
  double error = 0;  ///< the largest distance that is left of any point at any time
};

/// Principal components of `columns`, flattened offsets of the same points, until no point of any column is farther
/// off than `tolerance`, but at most so many. What is below 1e-12 `size` is nothing.
PrincipalShapes principal_shapes(const std::vector<Vec>& columns, double tolerance, int most, double size);

}  // namespace rigspace
