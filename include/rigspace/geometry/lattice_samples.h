#pragma once
// Integration over what of a body lies in the cells of a lattice.

#include "rigspace/geometry/hex_lattice.h"

#include <functional>

namespace rigspace {

struct LatticeSample {
  int cell;
  Vec3 u;         ///< in the cell
  double volume;  ///< that it stands for, cubic scene units
};

struct SampleOptions {
  int per_edge = 4;       ///< samples along an edge of a cell that is partly inside
  double filling = 1e-3;  ///< what is outside counts by this share, so that no cell is without stiffness
};

/// Cells wholly inside have the eight points of Gauss, exact for what is trilinear twice; others an even grid of
/// points, those outside left out, and eight points for the filling. Ascending by cell.
std::vector<LatticeSample> lattice_samples(const HexLattice& lattice, const std::function<bool(const Vec3&)>& inside,
                                           const SampleOptions& options = {});

}  // namespace rigspace
