#pragma once
// Private to forces: how much a lattice is distorted.

#include "rigspace/geometry/hex_lattice.h"

namespace rigspace {

/// The mean squared change of the angles between edges of a cell that meet in a vertex (28), which neither shifts nor
/// turns nor scales change, and a wall before cells fold.
class LatticeDistortion {
 public:
  /// `flat`: the share of its volume that a corner of a cell may shrink to, measured against the mean of all cells.
  LatticeDistortion(const HexLattice& rest, double flat);

  /// With x the vertices; adds the gradient. Infinite where a corner is below `flat`.
  double value(In x, double scale, Vec& g) const;
  /// Least determinant at a corner, relative to what it was, times scale^-3.
  double least_volume(In x, double scale) const;

 private:
  struct Corner {
    int at;
    std::array<int, 3> to;
    Vec3 angle;  ///< between edges 1 2, 2 0, 0 1
    double volume;
  };
  double flat_;
  std::vector<Corner> corners_;
};

}  // namespace rigspace
