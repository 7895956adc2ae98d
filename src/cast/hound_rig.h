#pragma once
// The hound's rig, of the size of IRM's quadruped: 78 joints, 642 controls in groups. FK on every joint, IK with
// reverse feet in the legs, sliders that move several joints, scales; much of it does the same thing twice.

#include "assembly.h"

#include <array>
#include <string>

namespace rigspace::hound {

inline constexpr std::array kLegs{"fl", "fr", "bl", "br"};  ///< front and back, left and right

/// 78 joints.
puppet::Skeleton make_skeleton();
/// stem_01, stem_02 ..
std::vector<std::string> series(const std::string& stem, int count);
/// Joints of a leg from the top, without those that only twist.
std::vector<std::string> leg_joints(const std::string& leg);
/// Where they rest, and where the last one ends.
std::vector<Vec3> leg_points(const std::string& leg);

/// Controls, drivers, IK and groups, once the joints are in the plan.
void add_rig(const puppet::Skeleton& skeleton, RigPlan& plan);

}  // namespace rigspace::hound
