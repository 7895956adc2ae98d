#pragma once
// The plane that a shape is its own mirror image in, for tools that do on one side what is done on the other.

#include "rigspace/base/types.h"

#include <optional>

namespace rigspace {

/// The points x with x[axis] = at.
struct MirrorPlane {
  int axis = 0;   ///< 0, 1, 2: x, y, z
  double at = 0;  ///< scene units

  Vec3 image(Vec3 x) const { return x[axis] = 2 * at - x[axis], x; }
};

/// The plane across x or z, through the middle of the box of the points, in which at least nine of ten points have
/// another one within `tolerance` (a share of the box's diagonal) of their image. Of two the better one; none: neither
/// is good enough. Up to 400 points are tried, evenly picked.
std::optional<MirrorPlane> find_mirror_plane(In points, double tolerance = 0.01);

/// The point nearest to the image of a place; -1: none is within `tolerance` times the diagonal of the points' box.
int nearest_to_image(In points, const MirrorPlane& plane, const Vec3& x, double tolerance = 0.03);

}  // namespace rigspace
