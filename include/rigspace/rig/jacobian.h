#pragma once
// ds/dp of a rig, stored point by point: a point of a character feels few of its controls.

#include "rigspace/base/types.h"

#include <vector>

namespace rigspace {

/// Row-compressed by points: the entries of point i are start[i] .. start[i+1]; control column[e] of entry e moves the
/// point by value.col(e) per unit. Columns count within the list of *free* controls that the Jacobian was computed for,
/// ascending in each point.
struct BlockJacobian {
  int columns = 0;
  std::vector<int> start;
  std::vector<int> column;
  Eigen::Matrix3Xd value;

  int points() const { return start.empty() ? 0 : static_cast<int>(start.size()) - 1; }

  /// ds = J dp.
  void push(In dp, Vec& ds) const;
  /// g_p = J^T g.
  void pull(In g, Vec& g_p) const;
  Mat dense() const;
};

}  // namespace rigspace
