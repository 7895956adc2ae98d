#pragma once
// How a solid vibrates about its rest shape with some of its nodes held.

#include "rigspace/geometry/tet_mesh.h"

#include <vector>

namespace rigspace {

struct Modes {
  Vec omega_squared;  ///< ascending; for Young's modulus 1 and density 1 in scene units
  Mat shapes;         ///< 3 nodes x modes, zero at held nodes, of unit kinetic energy: phi^T M phi = 1
};

/// The `count` slowest modes, or as many as there are: K phi = omega^2 M phi over the free nodes, linear elasticity
/// about the rest shape, lumped masses. None if nothing is free, or nothing is held and the body floats.
Modes slowest_modes(const TetMesh& mesh, const std::vector<char>& held, int count, double poisson);

}  // namespace rigspace
