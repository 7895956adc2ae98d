#pragma once
// The smoothest continuation of weights over a surface.

#include "rigspace/geometry/tri_mesh.h"

#include <vector>

namespace rigspace {

/// Changes the rows of W (points x joints) that are not `fixed` so that they minimise, each column w,
///   w^T (K + l^2 K M^-1 K) w,
/// K the cotangent stiffness (its negative off-diagonals only: weights of edges are not negative), M the areas of the
/// points, l the diagonal of the surface. The first term alone is harmonic and pointed at fixed points; the second
/// alone overshoots. Constants cost nothing, so rows sum to 1 if the fixed ones do; entries may be a little negative.
/// Every connected part must have a fixed point.
void inpaint_weights(const TriMesh& surface, const std::vector<char>& fixed, Mat& W);

/// One round of Laplacian smoothing over the edges: w <- (1 - share) w + share * mean of the neighbours.
void smooth_over_edges(const EdgeTable& edges, double share, Mat& W);

}  // namespace rigspace
