#pragma once
// Fewer faces around the same inside: edge collapses that only add volume.

#include "rigspace/base/progress.h"
#include "rigspace/geometry/tri_mesh.h"

namespace rigspace {

/// Collapses edges of a closed manifold until `faces` are left or none may go. A new point lies outside of the planes
/// of all faces around its edge (Sander et al. 2000, "Silhouette clipping"), so that the mesh keeps enclosing what it
/// did; no faces cross that did not.
TriMesh progressive_hull(const TriMesh& mesh, int faces, const ProgressCallback& progress);

}  // namespace rigspace
