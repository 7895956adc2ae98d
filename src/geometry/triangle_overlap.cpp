#include "rigspace/geometry/triangle_overlap.h"

#include "rigspace/base/parallel.h"
#include "rigspace/geometry/bvh.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/exact_orientation.h"

#include <algorithm>
#include <utility>

namespace rigspace {
namespace {

bool within(const Vec3& x, const Vec3& a, const Vec3& b) {
  return (x.array() >= a.cwiseMin(b).array()).all() && (x.array() <= a.cwiseMax(b).array()).all();
}

bool spans_overlap(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
  return (p.cwiseMin(q).array() <= a.cwiseMax(b).array()).all() &&
         (a.cwiseMin(b).array() <= p.cwiseMax(q).array()).all();
}

/// Segments pq and ab have a common point.
bool segments_meet(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
  if (!spans_overlap(p, q, a, b) || orientation(p, q, a, b) != 0) return false;
  for (int dropped = 0; dropped < 3; ++dropped) {
    const int sa = planar_orientation(p, q, a, dropped), sb = planar_orientation(p, q, b, dropped);
    const int sp = planar_orientation(a, b, p, dropped), sq = planar_orientation(a, b, q, dropped);
    if (sa == 0 && sb == 0 && sp == 0 && sq == 0) continue;  // seen edge-on, or all on one line
    // The four points lie in a plane that this projection shows one to one.
    if (sa * sb > 0 || sp * sq > 0) return false;
    if (sa * sb < 0 && sp * sq < 0) return true;
    return (sa == 0 && within(a, p, q)) || (sb == 0 && within(b, p, q)) || (sp == 0 && within(p, a, b)) ||
           (sq == 0 && within(q, a, b));
  }
  return true;  // on one line, where the spans overlap
}

/// The coordinate to drop so that the triangle keeps an area; -1 if it has none.
int facing_axis(const Corners& t) {
  for (int dropped = 0; dropped < 3; ++dropped)
    if (planar_orientation(t[0], t[1], t[2], dropped) != 0) return dropped;
  return -1;
}

/// x, a point of the triangle's plane, lies in the triangle.
bool contains(const Corners& t, int dropped, const Vec3& x) {
  int low = 0, high = 0;
  for (int k = 0; k < 3; ++k) {
    const int side = planar_orientation(t[k], t[(k + 1) % 3], x, dropped);
    low = std::min(low, side), high = std::max(high, side);
  }
  return low == 0 || high == 0;
}

Overlap edge_against(const Vec3& p, const Vec3& q, const Corners& t) {
  const int sp = orientation(t[0], t[1], t[2], p), sq = orientation(t[0], t[1], t[2], q);
  if (sp * sq > 0) return Overlap::none;
  if (sp * sq < 0) {
    int low = 0, high = 0;
    for (int k = 0; k < 3; ++k) {
      const int side = orientation(p, q, t[k], t[(k + 1) % 3]);
      low = std::min(low, side), high = std::max(high, side);
    }
    return low == 0 || high == 0 ? Overlap::cross : Overlap::none;
  }
  const int dropped = facing_axis(t);
  if (dropped >= 0) {
    if (sp == 0 && contains(t, dropped, p)) return Overlap::touch;
    if (sq == 0 && contains(t, dropped, q)) return Overlap::touch;
    if (sp != 0 || sq != 0) return Overlap::none;
  }
  for (int k = 0; k < 3; ++k)
    if (segments_meet(p, q, t[k], t[(k + 1) % 3])) return Overlap::touch;
  return Overlap::none;
}

/// Beyond the edge from corner 0 to corner 1, which both have.
Overlap folded(const Corners& a, const Corners& b) {
  if (orientation(a[0], a[1], a[2], b[2]) != 0) return Overlap::none;
  const int dropped = facing_axis(a);
  if (dropped < 0) return Overlap::none;
  const int own = planar_orientation(a[0], a[1], a[2], dropped);
  return own == planar_orientation(a[0], a[1], b[2], dropped) ? Overlap::touch : Overlap::none;
}

/// Both triangles' corners, shared ones first; returns how many are.
int shared_first(Triangle& a, Triangle& b) {
  int shared = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = shared; j < 3; ++j)
      if (a[i] == b[j]) {
        std::swap(a[shared], a[i]);
        std::swap(b[shared++], b[j]);
        break;
      }
  return shared;
}

Corners corners_of(const TriMesh& mesh, const Triangle& t) {
  return {point(mesh.points, t[0]), point(mesh.points, t[1]), point(mesh.points, t[2])};
}

constexpr int kChunk = 256;  // triangles

/// Calls judge(t, u) for all pairs whose boxes meet, u of the tree; collects what it says in the order of t.
template <class Judge>
Crossings collect(std::span<const Box> boxes, std::span<const Box> tree_boxes, Judge&& judge) {
  const Bvh tree(tree_boxes);
  const int count = static_cast<int>(boxes.size());
  std::vector<Crossings> chunks((count + kChunk - 1) / kChunk);
  parallel_ranges(count, kChunk, [&](int begin, int end) {
    Crossings& own = chunks[begin / kChunk];
    for (int t = begin; t < end; ++t) {
      const Box& box = boxes[t];
      const auto apart = [&](const Vec3& low, const Vec3& high) {
        return (low.array() > box.high.array()).any() || (high.array() < box.low.array()).any();
      };
      tree.traverse([&](const Bvh::Node& node) { return !apart(node.low, node.high); },
                    [&](int u) {
                      if (apart(tree_boxes[u].low, tree_boxes[u].high)) return;
                      const Overlap found = judge(t, u);
                      if (found == Overlap::cross) own.pairs.push_back({t, u});
                      if (found == Overlap::touch) ++own.touching;
                    });
    }
  });
  Crossings all;
  for (const Crossings& chunk : chunks) {
    all.touching += chunk.touching;
    all.pairs.insert(all.pairs.end(), chunk.pairs.begin(), chunk.pairs.end());
  }
  std::sort(all.pairs.begin(), all.pairs.end());
  return all;
}

}  // namespace

// With one shared corner v the common points are a convex set that contains v; where it is more than v it ends, seen
// from v, on the opposite edge of one of the triangles. So those two edges decide.
Overlap triangle_overlap(const Corners& a, const Corners& b, int shared) {
  if (shared == 3) return Overlap::touch;
  if (shared == 2) return folded(a, b);
  Overlap found = Overlap::none;
  for (int k = shared; k < (shared == 0 ? 3 : 2); ++k) {
    const int next = (k + 1) % 3;
    found = std::max({found, edge_against(a[k], a[next], b), edge_against(b[k], b[next], a)});
    if (found == Overlap::cross) break;
  }
  return found;
}

Crossings count_crossings(const TriMesh& a, const TriMesh& b) {
  return collect(triangle_boxes(a), triangle_boxes(b), [&](int t, int u) {
    return triangle_overlap(corners_of(a, a.triangles[t]), corners_of(b, b.triangles[u]));
  });
}

Crossings self_crossings(const TriMesh& mesh) {
  const std::vector<Box> boxes = triangle_boxes(mesh);
  return collect(boxes, boxes, [&](int t, int u) {
    if (u <= t) return Overlap::none;
    Triangle a = mesh.triangles[t], b = mesh.triangles[u];
    const int shared = shared_first(a, b);
    return triangle_overlap(corners_of(mesh, a), corners_of(mesh, b), shared);
  });
}

}  // namespace rigspace
