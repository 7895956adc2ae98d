#pragma once
// How one tetrahedron of the lattice is filled, given which of its corners are inside, on the surface or outside.

#include "rigspace/geometry/tet_mesh.h"

#include <array>

namespace rigspace {

/// Corners 0 1 are joined by one long edge, 2 3 by the other; all other edges are short.
struct StencilInput {
  std::array<int, 4> node;                ///< numbers of the corners
  std::array<int, 4> sign;                ///< 1 inside, 0 on the surface, -1 outside
  std::array<bool, 4> even;               ///< parity in the lattice: differs along a long edge
  std::array<Vec3, 4> x;                  ///< positions of the corners
  std::array<std::array<int, 4>, 4> cut;  ///< number of the cut between an inside corner and an outside one
  std::array<std::array<Vec3, 4>, 4> cut_x;
};

struct StencilOutput {
  std::array<Tet, 3> tets;
  int count = 0;
};

StencilOutput fill(const StencilInput& in);

}  // namespace rigspace
