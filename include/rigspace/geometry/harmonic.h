#pragma once
// Harmonic coordinates on tetrahedra: how the inside of a body is carried by chosen nodes, its boundary for one.

#include "rigspace/geometry/tet_mesh.h"

#include <utility>
#include <vector>

namespace rigspace {

using PointWeights = std::vector<std::pair<int, double>>;

/// For each node of the mesh, nodes that carry it and their weights, which sum to 1; a carrier carries itself alone.
using CarrierWeights = std::vector<PointWeights>;

/// Makes weights reproduce a place, sum w = 1 and sum w X = x, by the least change in proportion to their size:
///   w_i += |w_i| (a + b . (X_i - x)).
/// Carriers in a plane cannot reach what is beside it; the sum then is as near as they can.
void reproduce(PointWeights& weights, In points, const Vec3& x);

struct HarmonicOptions {
  double drop_below = 1e-4;  ///< weights smaller in magnitude are left out, and the others changed to make up for it
  bool affine = true;        ///< false: harmonic weights as they are, which keep shifts (while none is dropped) alone

  void validate() const;
};

/// w solves Laplace's equation with linear elements, L_nn w_n = -L_nc for the others n and the carriers c; nodes that
/// no carrier reaches through tetrahedra follow the nearest ones. Then they are made to reproduce the node's place,
/// which dropping, and a boundary that carries nothing, would spoil: any affine motion of the carriers moves all nodes
/// likewise. Sets of columns are solved one after the other: memory is that of the weights kept.
CarrierWeights harmonic_weights(const TetMesh& mesh, const std::vector<char>& carriers, const HarmonicOptions& = {});

}  // namespace rigspace
