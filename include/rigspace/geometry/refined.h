#pragma once
// Finer meshes from coarse ones, in the same shape.

#include "rigspace/geometry/tri_mesh.h"

namespace rigspace {

/// Cuts edges longer than this (scene units) in half, and with them the triangles, until none is left; at most eight
/// times. Neighbours stay joined. In a triangle that is cut the longest edge always is, so that angles stay bounded.
/// The points that were there come first, in their order. Throws Error beyond a million points.
TriMesh refined(const TriMesh& mesh, double longest_edge);

}  // namespace rigspace
