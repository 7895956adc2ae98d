#pragma once
// Quantities known at a few keyed poses, blended for any other pose.

#include "rigspace/rig/rig.h"

#include <span>
#include <vector>

namespace rigspace {

/// Weights of known poses, summing to one, by how near their keyed controls come to those of a pose:
///   w = 1/K + G (p - mean),   G = (A^T A + lambda)^-1 A^T S,   A the scaled and centred poses,
/// least squares with a little ridge: exact at the poses up to the ridge; deviations that the poses do not span change
/// no weight.
class PoseBlend {
 public:
  PoseBlend() = default;
  /// `poses`: all controls each. `scale`: how far a unit of each control deforms the shape; 0: it does not count.
  PoseBlend(std::span<const Vec> poses, In scale);

  int count() const { return static_cast<int>(G_.rows()); }
  void weights(In p, Vec& w) const;

 private:
  Mat G_;
  Vec mean_;
};

/// How far a unit of each control takes points of a rig, root mean square, beside moving them as one rigid piece; 0 for
/// the free controls.
Vec deforming_scale(const Rig& rig, std::span<const int> free);

}  // namespace rigspace
