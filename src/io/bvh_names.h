#pragma once
// Words of BVH files.

#include "rigspace/io/bvh.h"

#include <array>
#include <string_view>

namespace rigspace {

inline constexpr std::array<std::string_view, 6> kBvhChannelNames = {"Xposition", "Yposition", "Zposition",
                                                                     "Xrotation", "Yrotation", "Zrotation"};

/// Limits of what is read.
inline constexpr int kBvhMostJoints = 4096, kBvhDeepest = 256;

inline bool is_position(BvhChannel channel) { return channel <= BvhChannel::z_position; }
inline int axis_of(BvhChannel channel) { return static_cast<int>(channel) % 3; }

}  // namespace rigspace
