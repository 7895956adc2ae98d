#include "rigspace/geometry/collision_pairs.h"

#include "rigspace/base/parallel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#if defined(__AVX__)
#include <immintrin.h>
#endif

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
Box box_of(const std::array<int, N>& points, const std::vector<Box>& swept) {
  Box box = swept[static_cast<std::size_t>(points[0])];
  for (std::size_t k = 1; k < N; ++k) {
    const Box& other = swept[static_cast<std::size_t>(points[k])];
    box.low = box.low.cwiseMin(other.low), box.high = box.high.cwiseMax(other.high);
  }
  return box;
}

// Whether a plane across the line between the middles of both halves, points 0 .. First - 1 and the others, keeps all
// their boxes more than `reach` apart. Of a smooth sheet this rules out most neighbours, which have boxes that overlap.
template <int First>
bool parted(const std::array<const Box*, 4>& boxes, double reach) {
  Vec3 twice[4], first = Vec3::Zero(), second = Vec3::Zero();
  for (int k = 0; k < 4; ++k) twice[k] = boxes[k]->low + boxes[k]->high, (k < First ? first : second) += twice[k];
  const Vec3 n = first / First - second / (4 - First), size = n.cwiseAbs();
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (int k = 0; k < 4; ++k) {
    const double at = n.dot(twice[k]), half = size.dot(boxes[k]->high - boxes[k]->low);
    if (k < First)
      least = std::min(least, at - half);
    else
      most = std::max(most, at + half);
  }
  const double gap = least - most;
  return gap > 0 && gap * gap > 4 * reach * reach * n.squaredNorm();
}

Vec3 mean_motion(In from, In to) {
  Vec3 sum = Vec3::Zero();
  const Eigen::Index count = from.size() / 3;
  for (int i = 0; i < count; ++i) sum += point(to, i) - point(from, i);
  return count > 0 ? Vec3(sum / static_cast<double>(count)) : sum;
}

// All axes at once and without a branch: which axis parts two boxes cannot be foretold.
template <class A, class B>
bool apart(const A& a, const B& b, double reach) {
#if defined(__AVX__)
  const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
  const auto load = [&](const Vec3& from) { return _mm256_maskload_pd(from.data(), three); };
  const __m256d far = _mm256_max_pd(_mm256_sub_pd(load(a.low), load(b.high)), _mm256_sub_pd(load(b.low), load(a.high)));
  return (_mm256_movemask_pd(_mm256_cmp_pd(far, _mm256_set1_pd(reach), _CMP_GT_OQ)) & 7) != 0;
#else
  return ((a.low - b.high).cwiseMax(b.low - a.high).array() > reach).any();
#endif
}

// Which of a leaf's boxes are no farther than `reach` from box k of another: bits.
template <class Leaf>
unsigned near_in_leaf(const Leaf& a, int k, const Leaf& b, float reach) {
#if defined(__AVX__)
  __m256 far = _mm256_set1_ps(-std::numeric_limits<float>::infinity());
  for (int c = 0; c < 3; ++c) {
    far = _mm256_max_ps(far, _mm256_sub_ps(_mm256_set1_ps(a.low[c][k]), _mm256_load_ps(b.high[c])));
    far = _mm256_max_ps(far, _mm256_sub_ps(_mm256_load_ps(b.low[c]), _mm256_set1_ps(a.high[c][k])));
  }
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(far, _mm256_set1_ps(reach), _CMP_LE_OQ)));
#else
  unsigned near = 0;
  for (int l = 0; l < 8; ++l) {
    float far = -std::numeric_limits<float>::infinity();
    for (int c = 0; c < 3; ++c) far = std::max({far, a.low[c][k] - b.high[c][l], b.low[c][l] - a.high[c][k]});
    near |= (far <= reach ? 1u : 0u) << l;
  }
  return near;
#endif
}

float rounded_up(double x) {
  const auto near = static_cast<float>(x);
  return std::isfinite(near) ? near + std::max(1e-35f, 3e-7f * std::abs(near)) : near;
}

using NodePair = std::array<int, 2>;

// The pairs of children of two nodes, the larger one opened; of a node with itself each pair once. False for leaves.
template <class Layer, class Push>
bool open_pair(const Layer& a, const Layer& b, const NodePair& pair, Push&& push) {
  const bool ends_a = a.leaf_of[pair[0]] >= 0, ends_b = b.leaf_of[pair[1]] >= 0;
  if (ends_a && ends_b) return false;
  const Bvh::Node &m = a.tree.nodes()[static_cast<std::size_t>(pair[0])],
                  &n = b.tree.nodes()[static_cast<std::size_t>(pair[1])];
  if (&m == &n) {
    push({pair[0] + 1, pair[0] + 1}), push({pair[0] + 1, m.right}), push({m.right, m.right});
  } else if (ends_b || (!ends_a && (m.high - m.low).squaredNorm() >= (n.high - n.low).squaredNorm())) {
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

// The highest nodes with at most kLeaf items each, which are contiguous.
void CollisionPairFinder::Layer::find_leaves() {
  const auto nodes = tree.nodes();
  const int count = static_cast<int>(nodes.size());
  std::vector<int> items(nodes.size()), first(nodes.size());
  for (int i = count - 1; i >= 0; --i) {
    const Bvh::Node& node = nodes[static_cast<std::size_t>(i)];
    items[i] = node.leaf() ? node.count : items[i + 1] + items[node.right];
    first[i] = node.leaf() ? node.first : first[i + 1];
  }
  leaf_of.assign(nodes.size(), -1), leaves.clear();
  int next = 0;
  for (int i = 0; i < count; ++i) {
    if (first[i] < next || items[i] > kLeaf) continue;  // inside one found before; or too large
    leaf_of[i] = static_cast<int>(leaves.size());
    leaves.push_back({.first = first[i], .count = items[i]});
    next = first[i] + items[i];
  }
}

void CollisionPairFinder::Layer::fit() {
  if (built)
    tree.refit(boxes);
  else
    tree = Bvh(boxes), built = true, find_leaves();
  parallel_ranges(static_cast<int>(leaves.size()), kFitChunk, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Leaf& leaf = leaves[static_cast<std::size_t>(i)];
      for (int k = 0; k < kLeaf; ++k) {
        const Box box = k < leaf.count ? boxes[tree.items()[leaf.first + k]] : Box{};
        for (int c = 0; c < 3; ++c)
          leaf.low[c][k] = -rounded_up(-box.low[c]), leaf.high[c][k] = rounded_up(box.high[c]);
      }
    }
  });
}

// Boxes as seen from a frame that moves along with the surface in the mean: what all have in common makes none larger.
void CollisionPairFinder::fit(Layers& layers, bool obstacle, In from, In to, double margin) {
  if (layers.fits && layers.margin == margin && layers.shared == shared_ && layers.from == from && layers.to == to)
    return;
  layers.from = from, layers.to = to, layers.shared = shared_, layers.margin = margin, layers.fits = true;
  const int count = static_cast<int>(from.size() / 3);
  layers.swept.resize(static_cast<std::size_t>(count));
  parallel_ranges(count, kFitChunk, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Vec3 start = point(from, i), stop = point(to, i) - shared_;
      layers.swept[i] = {start.cwiseMin(stop).array() - margin, start.cwiseMax(stop).array() + margin};
    }
  });
  const auto fit_layer = [&](Layer& layer, int size, const auto& absent, const auto& points_of) {
    layer.boxes.resize(static_cast<std::size_t>(size));
    parallel_ranges(size, kFitChunk, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) layer.boxes[k] = absent(k) ? Box{} : box_of(points_of(k), layers.swept);
    });
    layer.fit();
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

// Both places and motions may be shifted alike without a change of any distance: by as much of the shared motion as the
// surface has made, which between two places that hold is linear.
bool CollisionPairFinder::holds(In x, In obstacle) const {
  const Layers &own = surface_layers_, &other = obstacle_layers_;
  if (own.from.size() != x.size() || other.from.size() != obstacle.size()) return false;
  const double length2 = shared_.squaredNorm();
  const double made = length2 > 0 ? std::clamp(mean_motion(own.from, x).dot(shared_) / length2, 0.0, 1.0) : 0.0;
  const Vec3 shift = made * shared_;
  const auto within = [&](const Layers& layers, In at) {
    for (std::size_t i = 0; i < layers.swept.size(); ++i) {
      const Vec3 p = point(at, static_cast<int>(i)) - shift;
      if (!((p.array() >= layers.swept[i].low.array()).all() && (p.array() <= layers.swept[i].high.array()).all()))
        return false;
    }
    return true;
  };
  return within(own, x) && within(other, obstacle);
}

bool CollisionPairFinder::covers(const SurfaceMotion& m) const {
  return surface_layers_.fits && obstacle_layers_.fits && holds(m.from, m.obstacle_from) &&
         ((m.from == m.to && m.obstacle_from == m.obstacle_to) || holds(m.to, m.obstacle_to));
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
      const bool can = open_pair(a, b, task, [&](const NodePair& p) {
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
        if (open_pair(a, b, pair, push)) continue;
        const Leaf &m = a.leaves[a.leaf_of[pair[0]]], &n = b.leaves[b.leaf_of[pair[1]]];
        for (int k = 0; k < m.count; ++k) {
          unsigned near_k = near_in_leaf(m, k, n, rounded_up(reach));
          if (&m == &n) near_k &= ~0u << (k + 1);
          for (; near_k != 0; near_k &= near_k - 1)
            visit(a.tree.items()[m.first + k], b.tree.items()[n.first + std::countr_zero(near_k)], found[task]);
        }
      }
    }
  });
  for (const Found& each : found) pairs.insert(pairs.end(), each.begin(), each.end());
}

void CollisionPairFinder::find(const SurfaceMotion& m, double reach, std::vector<CollisionPair>& pairs, double margin) {
  shared_ = mean_motion(m.from, m.to);
  fit(surface_layers_, false, m.from, m.to, margin);
  fit(obstacle_layers_, true, m.obstacle_from, m.obstacle_to, margin);
  pairs.clear();
  const Layers &own = surface_layers_, &other = obstacle_layers_;
  const auto box = [&](int i) {
    return i < points_ ? &own.swept[static_cast<std::size_t>(i)] : &other.swept[static_cast<std::size_t>(i - points_)];
  };
  const auto add_point = [&](int i, const Triangle& t, int shift, Found& out) {
    const std::array<int, 4> p = {i, t[0] + shift, t[1] + shift, t[2] + shift};
    if (!parted<1>({box(p[0]), box(p[1]), box(p[2]), box(p[3])}, reach)) out.push_back({PairKind::point_triangle, p});
  };
  const auto add_edges = [&](const std::array<int, 2>& a, const std::array<int, 2>& b, int shift, Found& out) {
    const std::array<int, 4> p = {a[0], a[1], b[0] + shift, b[1] + shift};
    if (!parted<2>({box(p[0]), box(p[1]), box(p[2]), box(p[3])}, reach)) out.push_back({PairKind::edge_edge, p});
  };
  const int shift = points_;
  if (self_) {
    meet(own.points, own.triangles, reach, pairs, [&](int k, int t, Found& out) {
      const int i = surface_points_[k];
      const Triangle& c = triangles_[t];
      if (c[0] != i && c[1] != i && c[2] != i) add_point(i, c, 0, out);
    });
    meet(own.edges, own.edges, reach, pairs, [&](int e, int o, Found& out) {
      const auto &a = edges_[std::min(e, o)], &b = edges_[std::max(e, o)];
      if (a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1]) add_edges(a, b, 0, out);
    });
  }
  meet(own.points, other.triangles, reach, pairs,
       [&](int k, int t, Found& out) { add_point(surface_points_[k], obstacle_.triangles[t], shift, out); });
  meet(other.points, own.triangles, reach, pairs,
       [&](int k, int t, Found& out) { add_point(obstacle_points_[k] + shift, triangles_[t], 0, out); });
  meet(own.edges, other.edges, reach, pairs,
       [&](int e, int o, Found& out) { add_edges(edges_[e], obstacle_edges_[o], shift, out); });
}

}  // namespace rigspace
