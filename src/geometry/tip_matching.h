#pragma once
// Private to geometry: which tip of one body is which of another.

#include "rigspace/geometry/body_tips.h"

#include <utility>
#include <vector>

namespace rigspace {

/// What matching compares: tips in a frame with the floor at 0, the body's middle above it, and the body's size as
/// unit.
struct PlacedTips {
  std::vector<Vec3> position;
  Vec length, from_middle;
  Mat between;
};
/// `low`: height of the floor; `size`: scene units; `facing`: turns the body first.
PlacedTips placed_tips(const BodyTips& tips, const Mat3& facing, double low, double size);

struct TipMatch {
  std::vector<std::pair<int, int>> pairs;
  double cost = 0;
};
/// The pairs of least cost: differences of places, of lengths, of ways between tips; left on right costs most, and a
/// tip without a partner its length. A beam search, the longest limb first.
TipMatch match_tips(const PlacedTips& a, const PlacedTips& b);

}  // namespace rigspace
