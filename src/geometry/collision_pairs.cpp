#include "rigspace/geometry/collision_pairs.h"

#include "rigspace/base/parallel.h"

#include <algorithm>

namespace rigspace {
namespace {

constexpr int kPairChunk = 64;

std::vector<int> used_points(std::span<const Triangle> triangles) {
  std::vector<int> used;
  for (const Triangle& t : triangles) used.insert(used.end(), t.begin(), t.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

template <std::size_t N>
Box swept_box(const std::array<int, N>& points, In from, In to) {
  Box box;
  for (const int i : points) box.include(point(from, i)), box.include(point(to, i));
  return box;
}

bool apart(const Box& box, const Bvh::Node& node, double reach) {
  return ((box.low - node.high).array() > reach).any() || ((node.low - box.high).array() > reach).any();
}
bool apart(const Box& a, const Box& b, double reach) {
  return ((a.low - b.high).array() > reach).any() || ((b.low - a.high).array() > reach).any();
}

}  // namespace

CollisionPairFinder::CollisionPairFinder(const TriMesh& surface, const TriMesh& obstacle, bool self)
    : points_(surface.point_count()),
      self_(self),
      triangles_(surface.triangles),
      edges_(edge_table(surface).edges),
      obstacle_edges_(edge_table(obstacle).edges),
      obstacle_(obstacle),
      surface_points_(used_points(surface.triangles)),
      obstacle_points_(used_points(obstacle.triangles)) {
  set_absent({});
}

void CollisionPairFinder::set_absent(std::span<const char> triangles) {
  if (!absent_points_.empty() && std::equal(triangles.begin(), triangles.end(), given_.begin(), given_.end())) return;
  given_.assign(triangles.begin(), triangles.end());
  absent_triangles_.assign(triangles.begin(), triangles.end());
  absent_triangles_.resize(obstacle_.triangles.size(), 0);
  absent_points_.assign(static_cast<std::size_t>(obstacle_.point_count()), 1);
  absent_edges_.assign(obstacle_edges_.size(), 1);
  for (std::size_t t = 0; t < obstacle_.triangles.size(); ++t) {
    if (absent_triangles_[t]) continue;
    const Triangle& corners = obstacle_.triangles[t];
    for (int k = 0; k < 3; ++k) {
      absent_points_[static_cast<std::size_t>(corners[k])] = 0;
      const int a = corners[k], b = corners[(k + 1) % 3];
      const std::array<int, 2> edge = {std::min(a, b), std::max(a, b)};
      const auto found = std::lower_bound(obstacle_edges_.begin(), obstacle_edges_.end(), edge);
      if (found != obstacle_edges_.end() && *found == edge) absent_edges_[found - obstacle_edges_.begin()] = 0;
    }
  }
}

void CollisionPairFinder::fit(Layer& layer, std::span<const Triangle> triangles,
                              std::span<const std::array<int, 2>> edges, In from, In to) {
  layer.triangle_boxes.resize(triangles.size());
  layer.edge_boxes.resize(edges.size());
  parallel_ranges(static_cast<int>(triangles.size()), 256, [&](int begin, int end) {
    for (int t = begin; t < end; ++t) layer.triangle_boxes[t] = swept_box(triangles[t], from, to);
  });
  parallel_ranges(static_cast<int>(edges.size()), 256, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) layer.edge_boxes[e] = swept_box(edges[e], from, to);
  });
  if (layer.built) {
    parallel_ranges(2, 1, [&](int begin, int) {
      if (begin == 0)
        layer.triangles.refit(layer.triangle_boxes);
      else
        layer.edges.refit(layer.edge_boxes);
    });
    return;
  }
  layer.triangles = Bvh(layer.triangle_boxes);
  layer.edges = Bvh(layer.edge_boxes);
  layer.built = true;
}

void CollisionPairFinder::find(const SurfaceMotion& m, double reach, std::vector<CollisionPair>& pairs) {
  fit(surface_layer_, triangles_, edges_, m.from, m.to);
  fit(obstacle_layer_, obstacle_.triangles, obstacle_edges_, m.obstacle_from, m.obstacle_to);
  const int surface_points = static_cast<int>(surface_points_.size());
  const int obstacle_points = static_cast<int>(obstacle_points_.size()), edges = static_cast<int>(edges_.size());
  const int count = surface_points + obstacle_points + edges;
  std::vector<std::vector<CollisionPair>> chunks(static_cast<std::size_t>((count + kPairChunk - 1) / kPairChunk));

  const auto point_against = [&](int i, const Box& box, const Layer& layer, std::span<const Triangle> triangles,
                                 int shift, std::vector<CollisionPair>& out) {
    layer.triangles.traverse([&](const Bvh::Node& node) { return !apart(box, node, reach); },
                             [&](int t) {
                               if (apart(box, layer.triangle_boxes[t], reach)) return;
                               if (shift > 0 && absent_triangles_[t]) return;
                               const Triangle& c = triangles[t];
                               if (shift == 0 && (c[0] == i || c[1] == i || c[2] == i)) return;
                               out.push_back({PairKind::point_triangle, {i, c[0] + shift, c[1] + shift, c[2] + shift}});
                             });
  };
  const auto edge_against = [&](int e, const Layer& layer, std::span<const std::array<int, 2>> others, int shift,
                                std::vector<CollisionPair>& out) {
    const Box& box = surface_layer_.edge_boxes[e];
    const auto [a, b] = edges_[e];
    layer.edges.traverse([&](const Bvh::Node& node) { return !apart(box, node, reach); },
                         [&](int o) {
                           if (shift == 0 && o <= e) return;
                           if (apart(box, layer.edge_boxes[o], reach)) return;
                           if (shift > 0 && absent_edges_[o]) return;
                           const auto [c, d] = others[o];
                           if (shift == 0 && (a == c || a == d || b == c || b == d)) return;
                           out.push_back({PairKind::edge_edge, {a, b, c + shift, d + shift}});
                         });
  };
  parallel_ranges(count, kPairChunk, [&](int begin, int end) {
    std::vector<CollisionPair>& out = chunks[static_cast<std::size_t>(begin / kPairChunk)];
    for (int k = begin; k < end; ++k) {
      if (k < surface_points) {
        const int i = surface_points_[k];
        const Box box = swept_box(std::array{i}, m.from, m.to);
        if (self_) point_against(i, box, surface_layer_, triangles_, 0, out);
        point_against(i, box, obstacle_layer_, obstacle_.triangles, points_, out);
      } else if (k < surface_points + obstacle_points) {
        const int i = obstacle_points_[k - surface_points];
        if (absent_points_[i]) continue;
        const Box box = swept_box(std::array{i}, m.obstacle_from, m.obstacle_to);
        point_against(i + points_, box, surface_layer_, triangles_, 0, out);
      } else {
        const int e = k - surface_points - obstacle_points;
        if (self_) edge_against(e, surface_layer_, edges_, 0, out);
        edge_against(e, obstacle_layer_, obstacle_edges_, points_, out);
      }
    }
  });
  pairs.clear();
  for (const auto& chunk : chunks) pairs.insert(pairs.end(), chunk.begin(), chunk.end());
}

}  // namespace rigspace
