#include "rigspace/geometry/region_frames.h"
#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <limits>

namespace rigspace {
namespace {

/// For each point the nearest of `count` of them that are far from each other.
std::vector<int> regions(In y, int count) {
  const int n = static_cast<int>(y.size() / 3);
  std::vector<int> nearest(n, 0);
  std::vector<double> distance(n, std::numeric_limits<double>::infinity());
  for (int k = 0, next = 0; k < count && n > 0; ++k) {
    for (int i = 0; i < n; ++i)
      if (const double d = (point(y, i) - point(y, next)).squaredNorm(); d < distance[i])
        distance[i] = d, nearest[i] = k;
    next = static_cast<int>(std::max_element(distance.begin(), distance.end()) - distance.begin());
    if (distance[next] == 0) break;
  }
  return nearest;
}

}  // namespace

RegionFrames::RegionFrames(Vec rest, int most) : rest_(std::move(rest)), still_(most == 0) {
  constexpr int kFewest = 12;  // points that tell a turn well
  const int frames = std::clamp(static_cast<int>(rest_.size() / 3) / kFewest, 1, std::max(1, most));
  region_ = regions(rest_, frames);
  turn_.assign(frames, Mat3::Identity());
  covariance_.resize(frames), center_.resize(frames), center_rest_.assign(frames, Vec3::Zero());
  count_.assign(frames, 0);
  for (std::size_t k = 0; k < region_.size(); ++k)
    center_rest_[region_[k]] += point(rest_, static_cast<int>(k)), count_[region_[k]] += 1;
  for (int f = 0; f < frames; ++f)
    if (count_[f] > 0) center_rest_[f] /= count_[f];
}

void RegionFrames::turn(In y) {
  if (still_) return;
  const std::size_t frames = turn_.size();
  for (std::size_t f = 0; f < frames; ++f) center_[f].setZero(), covariance_[f].setZero();
  const auto n = static_cast<int>(region_.size());
  for (int k = 0; k < n; ++k) center_[region_[k]] += point(y, k);
  for (std::size_t f = 0; f < frames; ++f)
    if (count_[f] > 0) center_[f] /= count_[f];
  for (int k = 0; k < n; ++k) {
    const int f = region_[k];
    covariance_[f].noalias() += (point(y, k) - center_[f]) * (point(rest_, k) - center_rest_[f]).transpose();
  }
  Mat3 whole = Mat3::Zero();
  for (const Mat3& each : covariance_) whole += each;
  whole = nearest_rotation(whole);
  for (std::size_t f = 0; f < frames; ++f)
    turn_[f] = nearest_rotation(covariance_[f] + (0.05 * covariance_[f].norm() + 1e-12) * whole);
}

}  // namespace rigspace
