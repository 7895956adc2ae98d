#pragma once
// A human skeleton as a BVH motion, with joints of any names: what motion capture looks like.

#include "rigspace/io/bvh.h"

#include <array>
#include <string>

namespace rigspace::testing {

/// Hips, three of the spine, neck, head; left clavicle, arm, forearm, hand; the same of the right; left thigh, shin,
/// foot, toe; the same of the right.
using HumanNames = std::array<std::string, 22>;

inline const HumanNames kMixamoNames = {
    "mixamorig:Hips",         "mixamorig:Spine",       "mixamorig:Spine1",        "mixamorig:Spine2",
    "mixamorig:Neck",         "mixamorig:Head",        "mixamorig:LeftShoulder",  "mixamorig:LeftArm",
    "mixamorig:LeftForeArm",  "mixamorig:LeftHand",    "mixamorig:RightShoulder", "mixamorig:RightArm",
    "mixamorig:RightForeArm", "mixamorig:RightHand",   "mixamorig:LeftUpLeg",     "mixamorig:LeftLeg",
    "mixamorig:LeftFoot",     "mixamorig:LeftToeBase", "mixamorig:RightUpLeg",    "mixamorig:RightLeg",
    "mixamorig:RightFoot",    "mixamorig:RightToeBase"};

/// 1.7 m high, in T pose, facing +z; `scale` times as large; arms `drop` radians below the horizontal (an A pose).
inline BvhMotion human_motion(const HumanNames& names, int frames = 1, double scale = 1, double drop = 0) {
  constexpr std::array<int, 22> kParent = {-1, 0, 1, 2, 3, 4, 3, 6, 7, 8, 3, 10, 11, 12, 0, 14, 15, 16, 0, 18, 19, 20};
  const double c = std::cos(drop), s = std::sin(drop);
  const auto arm = [&](double length, double side) { return Vec3(side * length * c, -length * s, 0); };
  const std::array<Vec3, 22> offset = {
      Vec3(0, 0.95, 0),    Vec3(0, 0.1, 0),     Vec3(0, 0.13, 0),     Vec3(0, 0.13, 0),      Vec3(0, 0.17, 0),
      Vec3(0, 0.1, 0.02),  Vec3(0.06, 0.1, 0),  Vec3(0.12, 0, 0),     arm(0.28, 1),          arm(0.25, 1),
      Vec3(-0.06, 0.1, 0), Vec3(-0.12, 0, 0),   arm(0.28, -1),        arm(0.25, -1),         Vec3(0.09, -0.05, 0),
      Vec3(0, -0.42, 0),   Vec3(0, -0.41, 0),   Vec3(0, -0.06, 0.14), Vec3(-0.09, -0.05, 0), Vec3(0, -0.42, 0),
      Vec3(0, -0.41, 0),   Vec3(0, -0.06, 0.14)};
  BvhMotion motion{.name = "captured", .rate = 30};
  using enum BvhChannel;
  for (std::size_t k = 0; k < names.size(); ++k) {
    BvhJoint joint{.name = names[k], .parent = kParent[k], .offset = scale * offset[k]};
    if (k == 0) joint.channels = {x_position, y_position, z_position};
    for (const BvhChannel each : {z_rotation, x_rotation, y_rotation}) joint.channels.push_back(each);
    motion.joints.push_back(joint);
  }
  motion.frames = Mat::Zero(3 + 66, frames);
  motion.frames.topRows(3) = (scale * offset[0]).replicate(1, frames);
  return motion;
}

/// The row of frames in which a joint's rotations begin: z, x, y.
inline int rotation_row(int joint) { return 3 + 3 * joint; }

}  // namespace rigspace::testing
