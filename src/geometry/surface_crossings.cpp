#include "rigspace/geometry/surface_crossings.h"

#include "rigspace/base/parallel.h"
#include "rigspace/geometry/closest_point.h"

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

std::vector<char> self_crossing_triangles(const TriMesh& mesh) {
  std::vector<char> crossing(mesh.triangles.size(), 0);
  const EdgeTable edges = edge_table(mesh);
  for (const auto& [edge, triangle] : edge_crossings(mesh.points, edges.edges, mesh, true)) {
    crossing[static_cast<std::size_t>(triangle)] = 1;
    for (const int half_edge : edges.uses(edge)) crossing[static_cast<std::size_t>(half_edge / 3)] = 1;
  }
  return crossing;
}

std::vector<char> self_crossing_triangles(const TriMesh& mesh, const Box& near) {
  TriMesh part{mesh.points, {}};
  std::vector<std::size_t> number;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    Box box;
    for (const int i : mesh.triangles[t]) box.include(point(mesh.points, i));
    if ((box.low.array() > near.high.array()).any() || (box.high.array() < near.low.array()).any()) continue;
    part.triangles.push_back(mesh.triangles[t]), number.push_back(t);
  }
  const std::vector<char> crossing = self_crossing_triangles(part);
  std::vector<char> result(mesh.triangles.size(), 0);
  for (std::size_t k = 0; k < crossing.size(); ++k) result[number[k]] = crossing[k];
  return result;
}

}  // namespace rigspace
