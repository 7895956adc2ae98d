#pragma once
// Weights by which points carry a place, exact at rest.

#include "rigspace/geometry/harmonic.h"
#include "rigspace/geometry/tet_mesh.h"
#include "rigspace/geometry/tri_mesh.h"

#include <vector>

namespace rigspace {

/// Of a place beside a surface, where a body was thickened or closes a hole: the points around it, both sides of a thin
/// sheet among them, weighted by nearness so that at rest they give the place. `used`: the points to choose from.
PointWeights weights_around(const Vec3& x, In points, const std::vector<int>& used);

/// The points that triangles use, ascending.
std::vector<int> used_points(const TriMesh& surface);

/// Of these the ones for weights_around, one of those that lie at one place. All, unless there are far more than nodes
/// of the body's boundary: sixteen neighbours would then be a patch too small to reach a place beside it, and only
/// those about half an edge of the body apart are given, of either side of a sheet.
std::vector<int> points_to_choose(const TriMesh& surface, const TetMesh& body);

}  // namespace rigspace
