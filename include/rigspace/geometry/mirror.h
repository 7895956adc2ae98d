#pragma once
// Whether a surface is its own mirror image.

#include "rigspace/geometry/tri_mesh.h"

namespace rigspace {

/// The axis (0, 1, 2) across which the mesh is its own mirror image about the middle of its box: 95 of 100 points have
/// the surface within 1 % of the diagonal at their mirrored place. -1: none. Of several that are as good, x before z
/// before y.
int mirror_axis_of(const TriMesh& mesh);

}  // namespace rigspace
