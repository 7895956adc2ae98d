#include "rigspace/geometry/region_frames.h"
#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <limits>

namespace rigspace {
namespace {

/// For each point the nearest of `count` of them that are far from each other. Of points that are as far, or as near,
/// but for rounding the first counts: nodes of symmetric bodies are, and a turn of the scene must not choose others.
std::vector<int> regions(In y, int count) {
  constexpr double kSame = 1 - 1e-9;
  const int n = static_cast<int>(y.size() / 3);
  std::vector<int> nearest(n, 0);
  std::vector<double> distance(n, std::numeric_limits<double>::infinity());
  for (int k = 0, next = 0; k < count && n > 0; ++k) {
    for (int i = 0; i < n; ++i)
      if (const double d = (point(y, i) - point(y, next)).squaredNorm(); d < kSame * distance[i])
        distance[i] = d, nearest[i] = k;
    const double farthest = *std::max_element(distance.begin(), distance.end());
    if (farthest == 0) break;
    next = static_cast<int>(
        std::find_if(distance.begin(), distance.end(), [&](double d) { return d >= kSame * farthest; }) -
        distance.begin());
  }
  return nearest;
}

}  // namespace

RegionFrames::RegionFrames(Vec rest, int most) : rest_(std::move(rest)), still_(most == 0) {
  constexpr int kFewest = 12;  // points needed for a well-determined rotation
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
  const double least = 1e-12 * whole.norm();  // for regions of one place
  whole = nearest_rotation(whole);
  for (std::size_t f = 0; f < frames; ++f)
    turn_[f] = nearest_rotation(covariance_[f] + (0.05 * covariance_[f].norm() + least) * whole);
}

}  // namespace rigspace
