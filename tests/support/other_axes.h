#pragma once
// The motion of human_motion.h as other programs write it.

#include "support/human_motion.h"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

namespace rigspace::testing {

/// +z is up: (x, y, z) becomes (x, -z, y).
inline BvhMotion with_z_up(BvhMotion motion) {
  using enum BvhChannel;
  for (BvhJoint& joint : motion.joints) {
    joint.offset = Vec3(joint.offset.x(), -joint.offset.z(), joint.offset.y());
    for (BvhChannel& channel : joint.channels)
      channel = channel == y_position   ? z_position
                : channel == z_position ? y_position
                : channel == y_rotation ? z_rotation
                : channel == z_rotation ? y_rotation
                                        : channel;
  }
  motion.frames.row(2) *= -1;
  for (int joint = 0; joint < 22; ++joint) motion.frames.row(rotation_row(joint)) *= -1;
  return motion;
}

/// When all channels are zero each joint is turned by Q_j (world) against the rest pose of before: the same motion.
template <class Turn>
BvhMotion resting_otherwise(BvhMotion motion, const Turn& Q) {
  constexpr double kDegree = std::numbers::pi / 180;
  const auto turn_of = [&](int joint) -> Mat3 { return Q(joint); };
  for (Eigen::Index k = 0; k < motion.frames.cols(); ++k)
    for (int j = 0; j < 22; ++j) {
      auto angles = motion.frames.col(k).segment<3>(rotation_row(j));  // z, x, y
      const Mat3 local = (Eigen::AngleAxisd(kDegree * angles[0], Vec3::UnitZ()) *
                          Eigen::AngleAxisd(kDegree * angles[1], Vec3::UnitX()) *
                          Eigen::AngleAxisd(kDegree * angles[2], Vec3::UnitY()))
                             .toRotationMatrix();
      const int parent = motion.joints[static_cast<std::size_t>(j)].parent;
      const Mat3 R = (parent < 0 ? local : Mat3(turn_of(parent) * local)) * turn_of(j).transpose();
      angles = Vec3(std::atan2(-R(0, 1), R(1, 1)), std::asin(std::clamp(R(2, 1), -1.0, 1.0)),
                    std::atan2(-R(2, 0), R(2, 2))) /
               kDegree;
    }
  for (BvhJoint& joint : motion.joints)
    if (joint.parent >= 0) joint.offset = turn_of(joint.parent) * joint.offset;
  return motion;
}

/// As LAFAN1 rests: all bones along +x.
inline BvhMotion resting_along_x(const BvhMotion& motion) {
  const auto bone = [&](int joint) -> Vec3 {
    for (std::size_t k = 0; k < motion.joints.size(); ++k)
      if (motion.joints[k].parent == joint) return motion.joints[k].offset;
    return motion.joints[static_cast<std::size_t>(joint)].offset;
  };
  return resting_otherwise(motion, [&](int joint) {
    return Eigen::Quaterniond::FromTwoVectors(bone(joint), Vec3::UnitX()).toRotationMatrix();
  });
}

}  // namespace rigspace::testing
