#pragma once
// Motion editing in the space of joints (IRM 5.2, figure 5): a straight walk bent along a path and laid onto terrain.

#include "rigspace/apps/inverse/map_motion.h"

#include <functional>
#include <span>

namespace rigspace {

/// Height of the ground at (x, z), scene units.
using Terrain = std::function<double(double x, double z)>;

/// A motion that goes along a straight line, on a smooth path through these points of the ground (y is not used; at
/// least two), by arc length, beyond its ends straight on; without points along its own line. Near the ground each
/// joint goes where the ground below it goes, so that feet that stand still do so on the new path and at the height of
/// the terrain there; higher up, beyond a leg's length, the body goes as one, above the mean of the terrain below it.
/// Lengths of bones are not kept here: the rig that the result is mapped onto has its own. Throws Error for a motion
/// that goes nowhere while a path is given.
JointMotion along_path(const JointMotion& straight, std::span<const Vec3> path, const Terrain& terrain = {});

}  // namespace rigspace
