#include "rigspace/geometry/nearby_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

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

namespace {

/// One of those that lie at the same place: where a file has a vertex several times, along seams of its texture and
/// sharp edges, sixteen points would be but a few places, and no place beside them a sum of theirs.
std::vector<int> one_a_place(std::vector<int> used, In points) {
  std::set<std::array<double, 3>> places;
  std::erase_if(used, [&](int i) {
    const Vec3 x = points.segment<3>(3 * static_cast<Eigen::Index>(i));
    return !places.insert({x.x(), x.y(), x.z()}).second;
  });
  return used;
}

}  // namespace

std::vector<int> points_to_choose(const TriMesh& surface, const TetMesh& body) {
  constexpr std::size_t kFarMore = 16;
  const std::vector<int> used = one_a_place(used_points(surface), surface.points);
  const TriMesh boundary = boundary_surface(body);
  if (used.size() <= kFarMore * static_cast<std::size_t>(boundary.point_count())) return used;
  double edges = 0;
  for (const Triangle& t : boundary.triangles)
    for (int k = 0; k < 3; ++k) edges += (point(boundary.points, t[k]) - point(boundary.points, t[(k + 1) % 3])).norm();
  const double spacing = 0.5 * edges / (3.0 * boundary.triangle_count());
  const Vec normals = vertex_normals(surface);
  // The first point in each cube of that edge that faces each way.
  std::set<std::array<int, 4>> taken;
  std::vector<int> chosen;
  for (const int i : used) {
    const Vec3 x = point(surface.points, i) / spacing, n = point(normals, i);
    const std::array<int, 4> place{static_cast<int>(std::floor(x.x())), static_cast<int>(std::floor(x.y())),
                                   static_cast<int>(std::floor(x.z())),
                                   (n.x() > 0) + 2 * (n.y() > 0) + 4 * (n.z() > 0)};
    if (taken.insert(place).second) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace rigspace
