#pragma once
// Private to inverse: points beside joints of a rig in another process, whose joints are four points each
// (Bone::point).

#include "rigspace/anim/point_joints.h"

#include <memory>

namespace rigspace {

/// A point that a joint carries: its place (o, x, y, z being the joint's four points) is o + a (x - o) + b (y - o) +
/// c (z - o).
struct CarriedPoint {
  int first = 0;  ///< the joint's first point
  Vec3 share = Vec3::Zero();
};

/// Where `offset` (scene units) from the joint with this first point is carried; s: the rig's points at rest.
CarriedPoint carried_point(int first, In s, const Vec3& offset);

/// The rig of these points, at the cost of as many as their joints have.
std::unique_ptr<Rig> carried_points(const std::shared_ptr<const Rig>& whole, std::vector<CarriedPoint> points);

}  // namespace rigspace
