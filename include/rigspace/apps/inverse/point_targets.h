#pragma once
// Targets without a skeleton: landmarks by name, or the points of the rig's own mesh.

#include "rigspace/apps/inverse/map_motion.h"
#include "rigspace/io/point_motion.h"

namespace rigspace {

/// The model's joints as landmarks of these names, without case and separators, or as given; the model's points as
/// those of a cache of the rig's whole mesh (all points in the order of the file) or, where a cache has fewer, of the
/// mesh with points at one place counted once, in order of their first appearance. Places are targets as they are.
/// Throws Error naming the landmark that is missing, or both numbers of points.
JointMotion point_targets(const Character& own, const InverseModel& model, const PointMotion& motion,
                          std::span<const GivenMatch> given = {});

/// Points of the rig that are spread over its surface, ascending: what a model for point caches is trained on. Those of
/// pieces that match a pattern of `without` are left out. Throws Error for a pattern that matches none, or all.
std::vector<int> spread_points(const Character& character, int count, std::span<const std::string> without = {});

}  // namespace rigspace
