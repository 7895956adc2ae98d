#pragma once
// Regions of a body, and the rotation of each from the rest pose.

#include "rigspace/base/types.h"

#include <vector>

namespace rigspace {

class RegionFrames {
 public:
  RegionFrames() = default;
  /// Points at rest, flattened; at most so many regions, each of a dozen points and more. 0: nothing ever turns.
  RegionFrames(Vec rest, int most);

  /// The same points in another pose: the rotation of each region is the one nearest to the sum of
  /// (y - center)(y_rest - center_rest)^T, held a little by that of the whole where a region is flat or small.
  void turn(In y);
  /// From the rest pose to that of the last `turn`, of the region of point k.
  const Mat3& of(Eigen::Index k) const { return turn_[region_[k]]; }

 private:
  Vec rest_;
  bool still_ = true;
  std::vector<int> region_;  // per point
  std::vector<Mat3> turn_, covariance_;
  std::vector<Vec3> center_, center_rest_;
  std::vector<double> count_;
};

}  // namespace rigspace
