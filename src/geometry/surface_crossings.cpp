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

namespace {

using NodePair = std::array<int, 2>;

template <class A, class B>
bool apart(const A& a, const B& b) {
  return ((a.low - b.high).array() > 0).any() || ((b.low - a.high).array() > 0).any();
}

/// No two vectors, one from each of two boxes, have a smaller product.
double least_cosine(const Bvh::Node& a, const Bvh::Node& b) {
  return a.low.cwiseProduct(b.low)
      .cwiseMin(a.low.cwiseProduct(b.high))
      .cwiseMin(a.high.cwiseProduct(b.low))
      .cwiseMin(a.high.cwiseProduct(b.high))
      .sum();
}

/// The pairs of children of two nodes, the larger one opened; of a node with itself each pair once. False for leaves.
template <class Push>
bool open(const Bvh& tree, const NodePair& pair, Push&& push) {
  const Bvh::Node &m = tree.nodes()[pair[0]], &n = tree.nodes()[pair[1]];
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

/// About 64 pairs of nodes under which all wanted pairs are, to be searched side by side.
template <class Wanted>
std::vector<NodePair> pairs_of_nodes(const Bvh& tree, const Wanted& wanted) {
  constexpr std::size_t kTasks = 64;
  std::vector<NodePair> tasks, next;
  if (tree.empty()) return tasks;
  tasks.push_back({0, 0});
  for (bool opened = true; opened && tasks.size() < kTasks;) {
    opened = false, next.clear();
    for (const NodePair& task : tasks) {
      const bool can = open(tree, task, [&](const NodePair& p) {
        if (wanted(p)) next.push_back(p);
      });
      if (!can) next.push_back(task);
      opened = opened || can;
    }
    tasks.swap(next);
  }
  return tasks;
}

/// Whether an edge of one passes through the other; edges that share a point with the other do not count.
bool triangles_cross(In points, const Triangle& s, const Triangle& t) {
  const auto passes = [&](const Triangle& edges, const Triangle& through) {
    const Vec3 p = point(points, through[0]), q = point(points, through[1]), r = point(points, through[2]);
    const auto shared = [&](int i) { return i == through[0] || i == through[1] || i == through[2]; };
    for (int k = 0; k < 3; ++k) {
      // In the order of the edge table: rounding is the same from both sides.
      const int i = std::min(edges[k], edges[(k + 1) % 3]), j = std::max(edges[k], edges[(k + 1) % 3]);
      if (shared(i) || shared(j)) continue;
      const Vec3 a = point(points, i), b = point(points, j);
      double where = 0;
      if (on_both_sides(a, b, p, q, r) && crosses(a, b, p, q, r, where)) return true;
    }
    return false;
  };
  return passes(s, t) || passes(t, s);
}

}  // namespace

SelfCrossingFinder::SelfCrossingFinder(const TriMesh& mesh)
    : triangles_(mesh.triangles), edges_(edge_table(mesh)), tree_(triangle_boxes(mesh)), normal_tree_(tree_) {}

std::vector<char> SelfCrossingFinder::find(In points, std::span<const char> wanted, double facing,
                                           std::span<const char> firm) {
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
  const auto stays = [&](int t, int beside) {
    return !firm.empty() && firm[static_cast<std::size_t>(t)] && !firm[static_cast<std::size_t>(beside)];
  };
  // Nodes are gone down in pairs. Parts of the surface whose normals all are nearly one, such as most of a node with
  // itself, are left out at once.
  const auto wanted_pair = [&](const NodePair& p) {
    const Bvh::Node &m = tree_.nodes()[p[0]], &n = tree_.nodes()[p[1]];
    return !apart(m, n) &&
           (facing >= 1 || least_cosine(normal_tree_.nodes()[p[0]], normal_tree_.nodes()[p[1]]) <= facing);
  };
  const std::vector<NodePair> tasks = pairs_of_nodes(tree_, wanted_pair);
  std::vector<std::vector<int>> crossing(tasks.size());
  parallel_ranges(static_cast<int>(tasks.size()), 1, [&](int begin, int end) {
    std::vector<NodePair> stack;
    for (int task = begin; task < end; ++task) {
      std::vector<int>& found = crossing[static_cast<std::size_t>(task)];
      stack.assign(1, tasks[static_cast<std::size_t>(task)]);
      while (!stack.empty()) {
        const NodePair pair = stack.back();
        stack.pop_back();
        const auto push = [&](const NodePair& p) {
          if (wanted_pair(p)) stack.push_back(p);
        };
        if (open(tree_, pair, push)) continue;
        const Bvh::Node &m = tree_.nodes()[pair[0]], &n = tree_.nodes()[pair[1]];
        for (int k = 0; k < m.count; ++k)
          for (int l = &m == &n ? k + 1 : 0; l < n.count; ++l) {
            const int t = tree_.items()[m.first + k], other = tree_.items()[n.first + l];
            if (apart(boxes_[t], boxes_[other]) || (facing < 1 && !(normals_[t].dot(normals_[other]) <= facing)) ||
                !triangles_cross(points, triangles_[t], triangles_[other]))
              continue;
            if (!stays(t, other)) found.push_back(t);
            if (!stays(other, t)) found.push_back(other);
          }
      }
    }
  });
  std::vector<char> found(triangles_.size(), 0);
  for (const auto& each : crossing)
    for (const int t : each) found[static_cast<std::size_t>(t)] = 1;
  return found;
}

}  // namespace rigspace
