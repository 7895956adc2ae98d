#include "coarsen.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace rigspace {
namespace {

Vec3 onto_level(const ScalarField& solid, Vec3 p) {
  for (int round = 0; round < 4; ++round) {
    const Vec3 g = gradient(solid, p, 1e-4);
    if (g.squaredNorm() < 1e-6) break;
    p -= solid(p) / g.squaredNorm() * g;
  }
  return p;
}

class Coarsener {
 public:
  Coarsener(const TriMesh& mesh, const ScalarField& solid, const ScalarField& spacing)
      : solid_(solid),
        spacing_(spacing),
        triangles_(mesh.triangles),
        around_(mesh.point_count()),
        count_(mesh.point_count()) {
    for (int v = 0; v < mesh.point_count(); ++v) points_.emplace_back(point(mesh.points, v));
    for (int t = 0; t < mesh.triangle_count(); ++t) {
      for (const int v : triangles_[t]) around_[v].push_back(t);
    }
    for (const Triangle& t : triangles_) {
      for (int k = 0; k < 3; ++k) enqueue(t[k], t[(k + 1) % 3]);
    }
  }

  void run(int target) {
    while (count_ > target && !queue_.empty()) {
      const auto [length, a, b] = *queue_.begin();
      queue_.erase(queue_.begin());
      collapse(a, b);
    }
  }

  TriMesh mesh() const {
    std::vector<int> number(points_.size(), -1);
    TriMesh result;
    std::vector<double> flat;
    for (std::size_t v = 0; v < points_.size(); ++v) {
      if (around_[v].empty()) continue;
      number[v] = static_cast<int>(flat.size() / 3);
      flat.insert(flat.end(), points_[v].begin(), points_[v].end());
    }
    result.points = Eigen::Map<const Vec>(flat.data(), static_cast<Eigen::Index>(flat.size()));
    for (const Triangle& t : triangles_) {
      if (t[0] >= 0) result.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
    }
    return result;
  }

 private:
  // Squared, and against what it may be there.
  double length(int a, int b) const {
    const double squared = (points_[a] - points_[b]).squaredNorm();
    if (!spacing_) return squared;
    const double may_be = spacing_(0.5 * (points_[a] + points_[b]));
    return squared / (may_be * may_be);
  }
  void enqueue(int a, int b) {
    if (a > b) std::swap(a, b);
    queue_.emplace(length(a, b), a, b);
  }
  void dequeue(int a, int b) {
    if (a > b) std::swap(a, b);
    queue_.erase({length(a, b), a, b});
  }

  std::vector<int> neighbours(int v) const {
    std::vector<int> result;
    for (const int t : around_[v]) {
      for (const int u : triangles_[t]) {
        if (u != v) result.push_back(u);
      }
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  // The triangles at v, but for those at `other`, stay upright and of fair shape with v at x.
  bool stays_fair(int v, int other, const Vec3& x) const {
    for (const int t : around_[v]) {
      const Triangle& corners = triangles_[t];
      if (std::find(corners.begin(), corners.end(), other) != corners.end()) continue;
      std::array<Vec3, 3> before, after;
      for (int k = 0; k < 3; ++k) {
        before[k] = points_[corners[k]];
        after[k] = corners[k] == v ? x : before[k];
      }
      const Vec3 old_normal = (before[1] - before[0]).cross(before[2] - before[0]);
      const Vec3 normal = (after[1] - after[0]).cross(after[2] - after[0]);
      const double edges = (after[1] - after[0]).squaredNorm() + (after[2] - after[1]).squaredNorm() +
                           (after[0] - after[2]).squaredNorm();
      if (normal.dot(old_normal) < 0.4 * normal.norm() * old_normal.norm()) return false;
      if (3.46 * normal.norm() < 0.4 * edges) return false;  // 1 if equilateral
    }
    return true;
  }

  void collapse(int a, int b) {
    const std::vector<int> near_a = neighbours(a), near_b = neighbours(b);
    std::vector<int> common;
    std::set_intersection(near_a.begin(), near_a.end(), near_b.begin(), near_b.end(), std::back_inserter(common));
    // The link condition: two triangles at the edge, and no other way round.
    if (common.size() != 2 || near_a.size() + near_b.size() < 9) return;
    for (const int u : common) {
      if (neighbours(u).size() < 4) return;
    }
    const Vec3 x = onto_level(solid_, 0.5 * (points_[a] + points_[b]));
    if (!stays_fair(a, b, x) || !stays_fair(b, a, x)) return;

    for (const int u : near_a) dequeue(a, u);
    for (const int u : near_b) dequeue(b, u);
    for (const int t : around_[b]) {
      Triangle& corners = triangles_[t];
      if (std::find(corners.begin(), corners.end(), a) != corners.end()) {
        for (const int v : corners) {
          if (v != b) std::erase(around_[v], t);
        }
        corners = {-1, -1, -1};
      } else {
        std::replace(corners.begin(), corners.end(), b, a);
        around_[a].push_back(t);
      }
    }
    around_[b].clear();
    points_[a] = x;
    --count_;
    // Edges nearby that were refused get another chance.
    for (const int u : neighbours(a)) {
      for (const int w : neighbours(u)) enqueue(u, w);
    }
  }

  const ScalarField& solid_;
  const ScalarField& spacing_;
  std::vector<Vec3> points_;
  std::vector<Triangle> triangles_;  // -1: gone
  std::vector<std::vector<int>> around_;
  std::set<std::tuple<double, int, int>> queue_;
  int count_;
};

}  // namespace

TriMesh coarsened(const TriMesh& mesh, const ScalarField& solid, int points, const ScalarField& spacing) {
  Coarsener coarsener(mesh, solid, spacing);
  coarsener.run(points);
  return coarsener.mesh();
}

TriMesh surface_of(const ScalarField& solid, const PolygoniseOptions& grid, int points) {
  TriMesh surface = polygonise(solid, grid);
  return points > 0 ? coarsened(surface, solid, points) : surface;
}

}  // namespace rigspace
