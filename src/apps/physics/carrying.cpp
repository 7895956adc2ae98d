#include "carrying.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

PointWeights weights_around(const Vec3& x, In points, const std::vector<int>& used) {
  constexpr std::size_t kPoints = 16;
  std::vector<std::pair<double, int>> near;
  for (const int point : used)
    near.emplace_back((points.segment<3>(3 * static_cast<Eigen::Index>(point)) - x).squaredNorm(), point);
  const std::size_t count = std::min(kPoints, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
  near.resize(count);
  PointWeights weights;
  double sum = 0;
  for (const auto& [squared, point] : near) {
    weights.emplace_back(point, std::exp(-2 * squared / std::max(near.back().first, 1e-300)));
    sum += weights.back().second;
  }
  for (auto& [point, weight] : weights) weight /= sum;
  reproduce(weights, points, x);
  std::sort(weights.begin(), weights.end());
  return weights;
}

std::vector<int> used_points(const TriMesh& surface) {
  std::vector<int> used;
  for (const Triangle& triangle : surface.triangles) used.insert(used.end(), triangle.begin(), triangle.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

}  // namespace rigspace
