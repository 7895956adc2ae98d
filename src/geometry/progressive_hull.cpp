#include "progressive_hull.h"

#include "rigspace/geometry/triangle_overlap.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <queue>

namespace rigspace {
namespace {

/// n.x >= d
struct HalfSpaceOut {
  Vec3 n;
  double d;
};

/// The point of the intersection of half-spaces nearest to x: on none, one, two or three of their planes. Few planes:
/// all choices are tried.
std::optional<Vec3> nearest_outside(const std::vector<HalfSpaceOut>& spaces, const Vec3& x, double slack) {
  std::optional<Vec3> best;
  double nearest = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Vec3& p) {
    const double distance = (p - x).squaredNorm();
    if (!(distance < nearest)) return;
    for (const HalfSpaceOut& h : spaces)
      if (h.n.dot(p) < h.d - slack) return;
    nearest = distance, best = p;
  };
  offer(x);
  if (best) return best;
  const std::size_t m = spaces.size();
  for (std::size_t i = 0; i < m; ++i) offer(x + (spaces[i].d - spaces[i].n.dot(x)) * spaces[i].n);
  if (best) return best;  // of more planes, the nearest cannot be nearer
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = i + 1; j < m; ++j) {
      const Vec3 &a = spaces[i].n, &b = spaces[j].n;
      const double c = a.dot(b), det = 1 - c * c;
      if (det < 1e-4) continue;
      const double ra = spaces[i].d - a.dot(x), rb = spaces[j].d - b.dot(x);
      offer(x + (ra - c * rb) / det * a + (rb - c * ra) / det * b);
    }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = i + 1; j < m; ++j)
      for (std::size_t k = j + 1; k < m; ++k) {
        const Vec3 bc = spaces[j].n.cross(spaces[k].n);
        const double det = spaces[i].n.dot(bc);
        if (std::abs(det) < 0.02) continue;
        offer((spaces[i].d * bc + spaces[j].d * spaces[k].n.cross(spaces[i].n) +
               spaces[k].d * spaces[i].n.cross(spaces[j].n)) /
              det);
      }
  return best;
}

class Hull {
 public:
  explicit Hull(const TriMesh& mesh)
      : triangles_(mesh.triangles), around_(mesh.point_count()), box_(triangles_.size()) {
    for (int v = 0; v < mesh.point_count(); ++v) points_.emplace_back(point(mesh.points, v));
    version_.assign(points_.size(), 0);
    size_ = bounding_box(mesh.points).diagonal();
    for (int t = 0; t < live(); ++t) {
      for (const int v : triangles_[t]) around_[v].push_back(t);
      box_[t] = box_of(corners(t));
    }
    faces_ = live();
    for (const Triangle& t : triangles_)
      for (int k = 0; k < 3; ++k)
        if (t[k] < t[(k + 1) % 3]) enqueue(t[k], t[(k + 1) % 3]);
  }

  void run(int target, const ProgressCallback& progress) {
    const int first = faces_;
    int steps = 0;
    while (faces_ > target && !queue_.empty()) {
      const Candidate next = queue_.top();
      queue_.pop();
      if (next.version != version_[next.a] + version_[next.b]) continue;
      collapse(next);
      if (++steps % 256 == 0)
        report(progress, "making the cage coarse", static_cast<double>(first - faces_) / std::max(first - target, 1));
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
    for (const Triangle& t : triangles_)
      if (t[0] >= 0) result.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
    return result;
  }

 private:
  struct Candidate {
    double cost;
    int a, b, version;
    Vec3 x;
    bool operator<(const Candidate& other) const {
      return std::tie(cost, a, b) > std::tie(other.cost, other.a, other.b);
    }
  };

  int live() const { return static_cast<int>(triangles_.size()); }
  Corners corners(int t) const {
    return {points_[triangles_[t][0]], points_[triangles_[t][1]], points_[triangles_[t][2]]};
  }
  static Box box_of(const Corners& c) {
    Box box;
    for (const Vec3& x : c) box.include(x);
    return box;
  }
  static bool apart(const Box& a, const Box& b) {
    return (a.low.array() > b.high.array()).any() || (b.low.array() > a.high.array()).any();
  }

  std::vector<int> neighbours(int v) const {
    std::vector<int> result;
    for (const int t : around_[v])
      for (const int u : triangles_[t])
        if (u != v) result.push_back(u);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }
  std::vector<int> ring(int a, int b) const {
    std::vector<int> result = around_[a];
    result.insert(result.end(), around_[b].begin(), around_[b].end());
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  /// The place of least squared distance from the planes around, near the middle of the edge, moved outside of them;
  /// the volume that it adds is the cost, with a little for the edge's length.
  void enqueue(int a, int b) {
    const Vec3 middle = 0.5 * (points_[a] + points_[b]);
    const double length = (points_[a] - points_[b]).norm();
    std::vector<HalfSpaceOut> spaces;
    std::vector<double> area;
    Mat3 A = Mat3::Zero();
    Vec3 right = Vec3::Zero();
    double total = 0;
    for (const int t : ring(a, b)) {
      const Corners c = corners(t);
      const Vec3 cross = (c[1] - c[0]).cross(c[2] - c[0]);
      const double twice = cross.norm();
      if (!(twice > 0)) return;
      const Vec3 n = cross / twice;
      spaces.push_back({n, n.dot(c[0])});
      area.push_back(0.5 * twice);
      total += area.back();
      A += area.back() * n * n.transpose();
      right += area.back() * n.dot(c[0] - middle) * n;
    }
    A += 0.05 * total * Mat3::Identity();
    const Vec3 wanted = middle + A.inverse() * right;
    const auto x = nearest_outside(spaces, wanted, 1e-12 * size_);
    if (!x || (*x - middle).norm() > 2 * length) return;
    double volume = 0;
    for (std::size_t k = 0; k < spaces.size(); ++k) volume += area[k] * (spaces[k].n.dot(*x) - spaces[k].d) / 3;
    queue_.push({volume + 0.01 * length * length * length, a, b, version_[a] + version_[b], *x});
  }

  /// Triangles at v but for those at `other`, with v at x: upright, not slivers.
  bool stays_fair(int v, int other, const Vec3& x, std::vector<Triangle>& after) const {
    for (const int t : around_[v]) {
      const Triangle& corner = triangles_[t];
      if (std::find(corner.begin(), corner.end(), other) != corner.end()) continue;
      Corners c = corners(t);
      const Vec3 before = (c[1] - c[0]).cross(c[2] - c[0]);
      for (int k = 0; k < 3; ++k)
        if (corner[k] == v) c[k] = x;
      const Vec3 normal = (c[1] - c[0]).cross(c[2] - c[0]);
      const double edges = (c[1] - c[0]).squaredNorm() + (c[2] - c[1]).squaredNorm() + (c[0] - c[2]).squaredNorm();
      if (normal.dot(before) < 0.2 * normal.norm() * before.norm()) return false;
      if (3.46 * normal.norm() < 0.15 * edges) return false;  // 1 if equilateral
      after.push_back(corner);
    }
    return true;
  }

  /// Whether new faces, with a and b at x, cross others or each other.
  bool crosses(const Candidate& candidate, const std::vector<Triangle>& after, const std::vector<int>& gone) const {
    const auto at = [&](const Triangle& t, bool moved) {
      Corners c;
      for (int k = 0; k < 3; ++k)
        c[k] = moved && (t[k] == candidate.a || t[k] == candidate.b) ? candidate.x : points_[t[k]];
      return c;
    };
    const auto same = [&](int u, int v) {
      const auto one = [&](int w) { return w == candidate.b ? candidate.a : w; };
      return one(u) == one(v);
    };
    const auto overlap = [&](const Triangle& s, const Corners& cs, const Triangle& t, const Corners& ct) {
      Corners first = cs, second = ct;  // shared corners to the front
      std::array<int, 3> ns = s, nt = t;
      int shared = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = shared; j < 3; ++j)
          if (same(ns[i], nt[j]) && i >= shared) {
            std::swap(ns[i], ns[shared]), std::swap(first[i], first[shared]);
            std::swap(nt[j], nt[shared]), std::swap(second[j], second[shared]);
            ++shared;
            break;
          }
      return shared < 3 && triangle_overlap(first, second, shared) == Overlap::cross;
    };
    std::vector<Corners> placed;
    for (const Triangle& t : after) placed.push_back(at(t, true));
    for (std::size_t i = 0; i < after.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        if (overlap(after[i], placed[i], after[j], placed[j])) return true;
      const Box box = box_of(placed[i]);
      for (int t = 0; t < live(); ++t) {
        if (triangles_[t][0] < 0 || apart(box, box_[t]) || std::binary_search(gone.begin(), gone.end(), t)) continue;
        if (overlap(after[i], placed[i], triangles_[t], at(triangles_[t], false))) return true;
      }
    }
    return false;
  }

  void collapse(const Candidate& candidate) {
    const auto [cost, a, b, version, x] = candidate;
    const std::vector<int> near_a = neighbours(a), near_b = neighbours(b);
    std::vector<int> common;
    std::set_intersection(near_a.begin(), near_a.end(), near_b.begin(), near_b.end(), std::back_inserter(common));
    // The link condition: two triangles at the edge, and no other way round.
    if (common.size() != 2 || near_a.size() + near_b.size() < 9 || near_a.size() + near_b.size() > 16) return;
    for (const int u : common)
      if (around_[u].size() < 4) return;
    std::vector<Triangle> after;
    if (!stays_fair(a, b, x, after) || !stays_fair(b, a, x, after)) return;
    const std::vector<int> gone = ring(a, b);
    if (crosses(candidate, after, gone)) return;
    points_[a] = x;
    for (const int t : std::vector<int>(around_[b])) {
      Triangle& corner = triangles_[t];
      if (std::find(corner.begin(), corner.end(), a) != corner.end()) {
        for (const int u : corner) std::erase(around_[u], t);
        corner = {-1, -1, -1};
        --faces_;
        continue;
      }
      std::replace(corner.begin(), corner.end(), b, a);
      around_[a].push_back(t);
    }
    around_[b].clear();
    ++version_[b];
    for (const int t : around_[a]) box_[t] = box_of(corners(t));
    // All edges of the neighbours have other planes around them now.
    std::vector<int> touched = neighbours(a);
    touched.push_back(a);
    for (const int v : touched) version_[v] += 1;
    std::vector<std::pair<int, int>> edges;
    for (const int v : touched)
      for (const int u : neighbours(v)) edges.emplace_back(std::min(u, v), std::max(u, v));
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const auto& [u, v] : edges) enqueue(u, v);
  }

  std::vector<Vec3> points_;
  std::vector<Triangle> triangles_;
  std::vector<std::vector<int>> around_;
  std::vector<Box> box_;
  std::vector<int> version_;
  std::priority_queue<Candidate> queue_;
  double size_ = 1;
  int faces_ = 0;
};

}  // namespace

TriMesh progressive_hull(const TriMesh& mesh, int faces, const ProgressCallback& progress) {
  Hull hull(mesh);
  hull.run(faces, progress);
  return hull.mesh();
}

}  // namespace rigspace
