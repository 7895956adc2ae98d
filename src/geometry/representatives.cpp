#include "rigspace/geometry/representatives.h"

#include <algorithm>
#include <limits>

namespace rigspace {
namespace {

constexpr int kClusterRounds = 8;
constexpr double kFarAway = std::numeric_limits<double>::infinity();

/// A third of the area of its triangles, for each point.
std::vector<double> areas_around_points(const TriMesh& mesh) {
  std::vector<double> areas(static_cast<std::size_t>(mesh.point_count()), 0);
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = point(mesh.points, t[0]), b = point(mesh.points, t[1]), c = point(mesh.points, t[2]);
    for (const int i : t) areas[static_cast<std::size_t>(i)] += (b - a).cross(c - a).norm() / 6;
  }
  return areas;
}

}  // namespace

std::vector<Representative> representatives(const TriMesh& mesh, int count) {
  const std::vector<double> areas = areas_around_points(mesh);
  std::vector<int> used;
  for (int i = 0; i < mesh.point_count(); ++i)
    if (areas[static_cast<std::size_t>(i)] > 0) used.push_back(i);
  // Large meshes: every n-th point serves to find the clusters, and takes the area of those that it skips.
  const std::size_t stride = std::max<std::size_t>(1, used.size() / 20000);
  std::vector<int> some;
  std::vector<double> weight;
  for (std::size_t k = 0; k < used.size(); ++k) {
    if (k % stride == 0) some.push_back(used[k]), weight.push_back(0);
    weight.back() += areas[static_cast<std::size_t>(used[k])];
  }
  const std::size_t n = some.size(), clusters = std::min<std::size_t>(n, static_cast<std::size_t>(std::max(0, count)));
  if (clusters == 0) return {};
  // Farthest points first: each next centre is the point farthest from all before.
  std::vector<Vec3> centres{point(mesh.points, some[0])};
  std::vector<double> distance(n, kFarAway);
  std::vector<int> cluster(n, 0);
  while (centres.size() < clusters) {
    std::size_t farthest = 0;
    for (std::size_t k = 0; k < n; ++k) {
      distance[k] = std::min(distance[k], (point(mesh.points, some[k]) - centres.back()).squaredNorm());
      if (distance[k] > distance[farthest]) farthest = k;
    }
    if (distance[farthest] <= 0) break;
    centres.push_back(point(mesh.points, some[farthest]));
  }
  std::vector<double> area(centres.size());
  for (int round = 0; round <= kClusterRounds; ++round) {
    for (std::size_t k = 0; k < n; ++k) {
      double best = kFarAway;
      for (std::size_t c = 0; c < centres.size(); ++c)
        if (const double d = (point(mesh.points, some[k]) - centres[c]).squaredNorm(); d < best)
          best = d, cluster[k] = static_cast<int>(c);
      distance[k] = best;
    }
    std::vector<Vec3> sums(centres.size(), Vec3::Zero());
    std::fill(area.begin(), area.end(), 0);
    for (std::size_t k = 0; k < n; ++k)
      sums[cluster[k]] += weight[k] * point(mesh.points, some[k]), area[cluster[k]] += weight[k];
    if (round == kClusterRounds) break;  // centres stay where distances were measured
    for (std::size_t c = 0; c < centres.size(); ++c)
      if (area[c] > 0) centres[c] = sums[c] / area[c];
  }
  std::vector<int> nearest(centres.size(), -1);
  for (std::size_t k = 0; k < n; ++k)
    if (int& best = nearest[cluster[k]]; best < 0 || distance[k] < distance[static_cast<std::size_t>(best)])
      best = static_cast<int>(k);
  std::vector<Representative> result;
  for (std::size_t c = 0; c < centres.size(); ++c)
    if (nearest[c] >= 0) result.push_back({some[static_cast<std::size_t>(nearest[c])], area[c]});
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.point < b.point; });
  return result;
}

}  // namespace rigspace
