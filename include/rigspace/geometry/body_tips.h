#pragma once
// Where the limbs of a body end, and lines through their middle: landmarks of a shape that has no joints.

#include "rigspace/geometry/solid_voxels.h"

#include <array>
#include <vector>

namespace rigspace {

/// The end of a limb.
struct BodyTip {
  /// Shares of the length, from the tip inwards, at which `middle` stands.
  static constexpr std::array<double, 4> kShares = {0.2, 0.4, 0.6, 0.8};

  Vec3 position = Vec3::Zero();
  double length = 0;             ///< from the tip to where the limb joins another one, through the body, scene units
  double from_middle = 0;        ///< from the middle of the body, through the body
  std::array<Vec3, 4> middle{};  ///< the middle of the limb's cross-sections
};

struct BodyTips {
  std::vector<BodyTip> tips;   ///< the longest limb first
  Vec3 middle = Vec3::Zero();  ///< of the voxels
  Mat between;                 ///< shortest ways through the body between tips, scene units
};

/// Tips are maxima of the length of the shortest way from the middle of the body, d. Going down from a maximum, its
/// limb ends where the voxels with larger d meet those of another maximum; limbs shorter than `least`, a share of the
/// largest d, are bumps and left out (persistence of maxima).
BodyTips find_body_tips(const SolidVoxels& voxels, double least = 0.12);

}  // namespace rigspace
