#include "rigspace/geometry/collision_pairs.h"

#include "rigspace/base/parallel.h"

#include <algorithm>

namespace rigspace {
namespace {

constexpr int kFitChunk = 256;
constexpr std::size_t kTasks = 64;  // pairs of subtrees that are searched side by side

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

template <class A, class B>
bool apart(const A& a, const B& b, double reach) {
  for (int c = 0; c < 3; ++c)
    if (a.low[c] - b.high[c] > reach || b.low[c] - a.high[c] > reach) return true;
  return false;
}

using NodePair = std::array<int, 2>;

// The pairs of children of two nodes, the larger one opened; of a node with itself each pair once. False for leaves.
template <class Push>
bool open_pair(const Bvh& a, const Bvh& b, const NodePair& pair, Push&& push) {
  const Bvh::Node &m = a.nodes()[static_cast<std::size_t>(pair[0])], &n = b.nodes()[static_cast<std::size_t>(pair[1])];
  if (m.leaf() && n.leaf()) return false;
  if (&m == &n) {
    push({pair[0] + 1, pair[0] + 1}), push({pair[0] + 1, m.right}), push({m.right, m.right});
  } else if (n.leaf() || (!m.leaf() && (m.high - m.low).squaredNorm() >= (n.high - n.low).squaredNorm())) {
    push({pair[0] + 1, pair[1]}), push({m.right, pair[1]});
  } else {
    push({pair[0], pair[1] + 1}), push({pair[0], n.right});
  }
  return true;
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
  obstacle_layers_.fits = false;
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

void CollisionPairFinder::fit(Layers& layers, bool obstacle, In from, In to) {
  if (layers.fits && layers.from == from && layers.to == to) return;
  layers.from = from, layers.to = to, layers.fits = true;
  const auto fit_layer = [&](Layer& layer, int count, const auto& absent, const auto& points_of) {
    layer.boxes.resize(static_cast<std::size_t>(count));
    parallel_ranges(count, kFitChunk, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) layer.boxes[k] = absent(k) ? Box{} : swept_box(points_of(k), from, to);
    });
    if (layer.built)
      layer.tree.refit(layer.boxes);
    else
      layer.tree = Bvh(layer.boxes), layer.built = true;
  };
  const auto& points = obstacle ? obstacle_points_ : surface_points_;
  const auto& edges = obstacle ? obstacle_edges_ : edges_;
  const auto& triangles = obstacle ? obstacle_.triangles : triangles_;
  fit_layer(
      layers.points, static_cast<int>(points.size()), [&](int k) { return obstacle && absent_points_[points[k]]; },
      [&](int k) { return std::array{points[k]}; });
  fit_layer(
      layers.edges, static_cast<int>(edges.size()), [&](int k) { return obstacle && absent_edges_[k]; },
      [&](int k) { return edges[k]; });
  fit_layer(
      layers.triangles, static_cast<int>(triangles.size()), [&](int k) { return obstacle && absent_triangles_[k]; },
      [&](int k) { return triangles[k]; });
}

// Both trees are gone down together. visit(i, j, pairs) for elements whose boxes come near; of a layer with itself each
// pair of elements once.
template <class Visit>
void CollisionPairFinder::meet(const Layer& a, const Layer& b, double reach, Found& pairs, Visit&& visit) const {
  if (a.tree.empty() || b.tree.empty()) return;
  const auto near = [&](const NodePair& p) {
    return !apart(a.tree.nodes()[static_cast<std::size_t>(p[0])], b.tree.nodes()[static_cast<std::size_t>(p[1])],
                  reach);
  };
  // Tasks in a fixed order, so that pairs come in the same order on any number of threads.
  std::vector<NodePair> tasks = {{0, 0}}, next;
  for (bool opened = true; opened && tasks.size() < kTasks;) {
    opened = false, next.clear();
    for (const NodePair& task : tasks) {
      const bool can = open_pair(a.tree, b.tree, task, [&](const NodePair& p) {
        if (near(p)) next.push_back(p);
      });
      if (!can) next.push_back(task);
      opened = opened || can;
    }
    tasks.swap(next);
  }
  std::vector<Found> found(tasks.size());
  parallel_ranges(static_cast<int>(tasks.size()), 1, [&](int begin, int end) {
    std::vector<NodePair> stack;
    for (int task = begin; task < end; ++task) {
      stack.assign(1, tasks[task]);
      while (!stack.empty()) {
        const NodePair pair = stack.back();
        stack.pop_back();
        const auto push = [&](const NodePair& p) {
          if (near(p)) stack.push_back(p);
        };
        if (open_pair(a.tree, b.tree, pair, push)) continue;
        const Bvh::Node &m = a.tree.nodes()[pair[0]], &n = b.tree.nodes()[pair[1]];
        for (int k = 0; k < m.count; ++k)
          for (int l = &m == &n ? k + 1 : 0; l < n.count; ++l) {
            const int i = a.tree.items()[m.first + k], j = b.tree.items()[n.first + l];
            if (!apart(a.boxes[i], b.boxes[j], reach)) visit(i, j, found[task]);
          }
      }
    }
  });
  for (const Found& each : found) pairs.insert(pairs.end(), each.begin(), each.end());
}

void CollisionPairFinder::find(const SurfaceMotion& m, double reach, std::vector<CollisionPair>& pairs) {
  fit(surface_layers_, false, m.from, m.to);
  fit(obstacle_layers_, true, m.obstacle_from, m.obstacle_to);
  pairs.clear();
  const Layers &own = surface_layers_, &other = obstacle_layers_;
  const int shift = points_;
  if (self_) {
    meet(own.points, own.triangles, reach, pairs, [&](int k, int t, Found& out) {
      const int i = surface_points_[k];
      const Triangle& c = triangles_[t];
      if (c[0] != i && c[1] != i && c[2] != i) out.push_back({PairKind::point_triangle, {i, c[0], c[1], c[2]}});
    });
    meet(own.edges, own.edges, reach, pairs, [&](int e, int o, Found& out) {
      const auto [a, b] = edges_[std::min(e, o)];
      const auto [c, d] = edges_[std::max(e, o)];
      if (a != c && a != d && b != c && b != d) out.push_back({PairKind::edge_edge, {a, b, c, d}});
    });
  }
  meet(own.points, other.triangles, reach, pairs, [&](int k, int t, Found& out) {
    const Triangle& c = obstacle_.triangles[t];
    out.push_back({PairKind::point_triangle, {surface_points_[k], c[0] + shift, c[1] + shift, c[2] + shift}});
  });
  meet(other.points, own.triangles, reach, pairs, [&](int k, int t, Found& out) {
    const Triangle& c = triangles_[t];
    out.push_back({PairKind::point_triangle, {obstacle_points_[k] + shift, c[0], c[1], c[2]}});
  });
  meet(own.edges, other.edges, reach, pairs, [&](int e, int o, Found& out) {
    const auto [a, b] = edges_[e];
    const auto [c, d] = obstacle_edges_[o];
    out.push_back({PairKind::edge_edge, {a, b, c + shift, d + shift}});
  });
}

}  // namespace rigspace
