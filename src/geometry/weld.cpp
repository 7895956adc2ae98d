#include "rigspace/geometry/tri_mesh.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace rigspace {
namespace {

using Cell = Eigen::Matrix<std::int64_t, 3, 1>;

/// Kept points in a hash table of grid cells, open only by chains of indices: two arrays, no nodes.
class PointGrid {
 public:
  PointGrid(const Vec& points, Vec3 origin, double cell)
      : points_(points), origin_(origin), cell_(cell), next_(points.size() / 3, -1) {
    const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(next_.size(), 16));
    head_.assign(buckets, -1);
    mask_ = buckets - 1;
  }

  /// The first kept point within `radius`, at most half a cell, or -1.
  int find(const Vec3& x, double radius) const {
    const Cell low = cell_of(x.array() - radius), high = cell_of(x.array() + radius);
    int found = -1;
    for (std::int64_t k = low[2]; k <= high[2]; ++k) {
      for (std::int64_t j = low[1]; j <= high[1]; ++j) {
        for (std::int64_t i = low[0]; i <= high[0]; ++i) {
          for (int other = head_[bucket(Cell(i, j, k))]; other >= 0; other = next_[other]) {
            const bool near = (point(points_, other) - x).squaredNorm() <= radius * radius;
            if (near && (found < 0 || other < found)) found = other;
          }
        }
      }
    }
    return found;
  }

  void insert(int i) {
    int& head = head_[bucket(cell_of(point(points_, i)))];
    next_[i] = head;
    head = i;
  }

 private:
  Cell cell_of(const Vec3& x) const { return ((x - origin_) / cell_).array().floor().cast<std::int64_t>(); }
  std::size_t bucket(const Cell& c) const {
    std::uint64_t hash = 0;
    for (int k = 0; k < 3; ++k)
      hash = (hash ^ static_cast<std::uint64_t>(c[k])) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
    return hash & mask_;
  }

  const Vec& points_;
  Vec3 origin_;
  double cell_;
  std::size_t mask_;
  std::vector<int> head_, next_;
};

}  // namespace

Weld weld(const TriMesh& mesh, double relative_tolerance) {
  assert(relative_tolerance >= 0);
  Weld result;
  const int count = mesh.point_count();
  const Box box = bounding_box(mesh.points);
  const double diagonal = box.diagonal(), radius = relative_tolerance * diagonal;
  // A cell much larger than the tolerance lets most points look at one cell only; much smaller than the spacing of the
  // points, at few of them.
  const double spacing = diagonal / std::cbrt(std::max(count, 1));
  const double cell = diagonal > 0 ? std::max(2 * radius, 0.01 * spacing) : 1;
  PointGrid grid(mesh.points, count > 0 ? box.low : Vec3(Vec3::Zero()), cell);
  std::vector<int> kept;
  result.point.resize(count);
  for (int i = 0; i < count; ++i) {
    const int first = grid.find(point(mesh.points, i), radius);
    if (first >= 0) {
      result.point[i] = result.point[first];
      continue;
    }
    grid.insert(i);
    result.point[i] = static_cast<int>(kept.size());
    kept.push_back(i);
  }
  result.mesh.points.resize(3 * kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k)
    point(result.mesh.points, static_cast<int>(k)) = point(mesh.points, kept[k]);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    Triangle corners = mesh.triangles[t];
    for (int& corner : corners) corner = result.point[corner];
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
    result.mesh.triangles.push_back(corners);
    result.triangle.push_back(t);
  }
  return result;
}

}  // namespace rigspace
