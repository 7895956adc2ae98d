#pragma once
// Signs of determinants of points, exact for all finite doubles whose products neither overflow nor underflow.

#include "rigspace/base/types.h"

namespace rigspace {

/// The sign of det [b - a, c - a, d - a]: +1 if d lies on the side of the triangle abc from which its corners run
/// counter-clockwise, -1 on the other side, 0 in its plane. A rounded value decides where its error bound allows,
/// expansions of doubles otherwise (Shewchuk 1997).
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// The sign of det [b - a, c - a] of the points without coordinate `dropped`: +1 if they run counter-clockwise in the
/// plane of the next two coordinates.
int planar_orientation(const Vec3& a, const Vec3& b, const Vec3& c, int dropped);

}  // namespace rigspace
