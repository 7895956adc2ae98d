#include "rigspace/geometry/surface_crossings.h"

#include "rigspace/base/parallel.h"
#include "rigspace/geometry/closest_point.h"

#include <algorithm>

namespace rigspace {
namespace {

// Whether a and b lie on different sides of the triangle's plane, both beyond rounding: in flat cloth all edges lie in
// the planes of all triangles.
bool on_both_sides(const Vec3& a, const Vec3& b, const Vec3& p, const Vec3& q, const Vec3& r) {
  const Vec3 n = (q - p).cross(r - p);
  const double at_a = n.dot(a - p), at_b = n.dot(b - p);
  if ((at_a > 0) == (at_b > 0)) return false;  // most pairs whose boxes meet
  const double beyond = 1e-12 * n.norm() * ((a - p).norm() + (b - a).norm() + p.norm());
  return (at_a > beyond && at_b < -beyond) || (at_a < -beyond && at_b > beyond);
}

}  // namespace

std::vector<Crossing> edge_crossings(In points, std::span<const std::array<int, 2>> edges, const TriMesh& mesh,
                                     bool same) {
  constexpr int kChunk = 64;
  const std::vector<Box> boxes = triangle_boxes(mesh);
  const Bvh tree(boxes);
  const int count = static_cast<int>(edges.size());
  std::vector<std::vector<Crossing>> chunks(static_cast<std::size_t>((count + kChunk - 1) / kChunk));
  parallel_ranges(count, kChunk, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) {
      const auto [i, j] = edges[static_cast<std::size_t>(e)];
      const Vec3 a = point(points, i), b = point(points, j), low = a.cwiseMin(b), high = a.cwiseMax(b);
      const auto enter = [&](const Bvh::Node& n) {
        return !((n.low - high).array() > 0).any() && !((low - n.high).array() > 0).any();
      };
      tree.traverse(enter, [&](int t) {
        const Triangle& c = mesh.triangles[static_cast<std::size_t>(t)];
        if (same)
          for (const int k : c)
            if (k == i || k == j) return;
        const Vec3 p = point(mesh.points, c[0]), q = point(mesh.points, c[1]), r = point(mesh.points, c[2]);
        double where = 0;
        if (on_both_sides(a, b, p, q, r) && crosses(a, b, p, q, r, where))
          chunks[static_cast<std::size_t>(begin / kChunk)].push_back({e, t});
      });
    }
  });
  std::vector<Crossing> all;
  for (const auto& chunk : chunks) all.insert(all.end(), chunk.begin(), chunk.end());
  return all;
}

SurfaceCrossings count_edge_crossings(const TriMesh& surface, const TriMesh& other) {
  const EdgeTable edges = edge_table(surface), others = edge_table(other);
  SurfaceCrossings found;
  found.own = static_cast<int>(edge_crossings(surface.points, edges.edges, surface, true).size());
  if (other.triangles.empty()) return found;
  found.other = static_cast<int>(edge_crossings(surface.points, edges.edges, other, false).size() +
                                 edge_crossings(other.points, others.edges, surface, false).size());
  return found;
}

SelfCrossingFinder::SelfCrossingFinder(const TriMesh& mesh)
    : triangles_(mesh.triangles), edges_(edge_table(mesh)), tree_(triangle_boxes(mesh)), normal_tree_(tree_) {}

std::vector<char> SelfCrossingFinder::find(In points, std::span<const char> wanted, double facing,
                                           std::span<const char> firm) {
  constexpr int kChunk = 64;
  boxes_.assign(triangles_.size(), {}), normal_boxes_.assign(triangles_.size(), {});
  normals_.resize(triangles_.size());
  const auto unwanted = [&](int t) { return !wanted.empty() && !wanted[static_cast<std::size_t>(t)]; };
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    if (unwanted(static_cast<int>(t))) continue;  // an empty box, which meets nothing
    const Vec3 a = point(points, triangles_[t][0]), b = point(points, triangles_[t][1]),
               c = point(points, triangles_[t][2]);
    boxes_[t].low = a.cwiseMin(b).cwiseMin(c), boxes_[t].high = a.cwiseMax(b).cwiseMax(c);
    normals_[t] = (b - a).cross(c - a).normalized();
    normal_boxes_[t].low = normal_boxes_[t].high = normals_[t];
  }
  tree_.refit(boxes_), normal_tree_.refit(normal_boxes_);
  // Of the normals beneath a node the least cosine with n is at least that with a corner of their box: parts of the
  // surface that bend little, such as all triangles around an edge, are left out at once.
  const auto least_cosine = [&](const Vec3& n, const Bvh::Node& node) {
    return n.cwiseProduct(node.low).cwiseMin(n.cwiseProduct(node.high)).sum();
  };
  const auto stays = [&](int t, int beside) {
    return !firm.empty() && firm[static_cast<std::size_t>(t)] && !firm[static_cast<std::size_t>(beside)];
  };
  const int count = edges_.count();
  std::vector<std::vector<int>> chunks(static_cast<std::size_t>((count + kChunk - 1) / kChunk));
  parallel_ranges(count, kChunk, [&](int begin, int end) {
    std::vector<int>& crossing = chunks[static_cast<std::size_t>(begin / kChunk)];
    for (int e = begin; e < end; ++e) {
      const auto uses = edges_.uses(e);
      if (std::all_of(uses.begin(), uses.end(), [&](int half_edge) { return unwanted(half_edge / 3); })) continue;
      const auto [i, j] = edges_.edges[static_cast<std::size_t>(e)];
      const Vec3 a = point(points, i), b = point(points, j), low = a.cwiseMin(b), high = a.cwiseMax(b);
      const auto enter = [&](const auto& n) {
        return !((n.low - high).array() > 0).any() && !((low - n.high).array() > 0).any();
      };
      const auto enter_node = [&](const Bvh::Node& n) {
        if (!enter(n)) return false;
        if (facing >= 1) return true;
        const Bvh::Node& turned = normal_tree_.nodes()[static_cast<std::size_t>(&n - tree_.nodes().data())];
        return std::any_of(uses.begin(), uses.end(), [&](int half_edge) {
          return !unwanted(half_edge / 3) &&
                 least_cosine(normals_[static_cast<std::size_t>(half_edge / 3)], turned) <= facing;
        });
      };
      tree_.traverse(enter_node, [&](int t) {
        const auto at = static_cast<std::size_t>(t);
        const Triangle& c = triangles_[at];
        if (unwanted(t) || !enter(boxes_[at])) return;
        for (const int k : c)
          if (k == i || k == j) return;
        const auto faces = [&](int half_edge) {
          return !unwanted(half_edge / 3) &&
                 (facing >= 1 || normals_[static_cast<std::size_t>(half_edge / 3)].dot(normals_[at]) <= facing);
        };
        if (std::none_of(uses.begin(), uses.end(), faces)) return;
        const Vec3 p = point(points, c[0]), q = point(points, c[1]), r = point(points, c[2]);
        double where = 0;
        if (!on_both_sides(a, b, p, q, r) || !crosses(a, b, p, q, r, where)) return;
        for (const int half_edge : uses) {
          if (!faces(half_edge)) continue;
          const int other = half_edge / 3;
          if (!stays(t, other)) crossing.push_back(t);
          if (!stays(other, t)) crossing.push_back(other);
        }
      });
    }
  });
  std::vector<char> found(triangles_.size(), 0);
  for (const auto& chunk : chunks)
    for (const int t : chunk) found[static_cast<std::size_t>(t)] = 1;
  return found;
}

}  // namespace rigspace
