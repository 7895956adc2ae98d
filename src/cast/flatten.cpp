#include "flatten.h"

#include "rigspace/base/parallel.h"
#include "rigspace/optimize/sparse_system.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

struct PanelTriangle {
  std::array<int, 3> points;      // of the panel
  FlatCorners own;                // laid into the plane by itself
  std::array<double, 3> weights;  // of edge k, from corner k to the next: cotangent of the corner opposite to it
};

PanelTriangle laid_flat(const Vec3& a, const Vec3& b, const Vec3& c) {
  PanelTriangle t;
  const Vec3 u = (b - a).normalized(), n = u.cross(c - a);
  const double height = n.norm(), along = u.dot(c - a);
  t.own = {Vec2(0, 0), Vec2((b - a).norm(), 0), Vec2(along, height)};
  for (int k = 0; k < 3; ++k) {
    const Vec2 p = t.own[k] - t.own[(k + 2) % 3], q = t.own[(k + 1) % 3] - t.own[(k + 2) % 3];
    const double cross = std::abs(p.x() * q.y() - p.y() * q.x());
    t.weights[k] = std::clamp(p.dot(q) / std::max(cross, 1e-300), 0.05, 20.0);
  }
  return t;
}

/// The rotation nearest to the map from a triangle's own plane to its present place.
Mat2 nearest_rotation(const PanelTriangle& t, const Mat& places) {
  double cosine = 0, sine = 0;
  for (int k = 0; k < 3; ++k) {
    const Vec2 from = t.own[(k + 1) % 3] - t.own[k];
    const Vec2 to = (places.row(t.points[(k + 1) % 3]) - places.row(t.points[k])).transpose();
    cosine += t.weights[k] * from.dot(to);
    sine += t.weights[k] * (from.x() * to.y() - from.y() * to.x());
  }
  const double size = std::hypot(cosine, sine);
  Mat2 R = Mat2::Identity();
  if (size > 0) R << cosine / size, -sine / size, sine / size, cosine / size;
  return R;
}

void flatten_panel(std::span<const PanelTriangle> triangles, int rounds, Mat& places) {
  const int count = static_cast<int>(places.rows());
  SparseSystem system(count, 1);
  system.clear();
  for (const PanelTriangle& t : triangles)
    for (int k = 0; k < 3; ++k) {
      const std::array ends{t.points[k], t.points[(k + 1) % 3]};
      const double w = t.weights[k];
      const std::array block{w, -w, -w, w};
      system.add_coordinates(ends, block.data());
    }
  system.finish();
  // A panel may be of several parts, each free to shift: a shift far below what matters holds them.
  if (!system.factor(1e-9)) return;
  Vec change, residual;
  for (int round = 0; round < rounds; ++round) {
    Mat b = Mat::Zero(count, 2);
    for (const PanelTriangle& t : triangles) {
      const Mat2 R = nearest_rotation(t, places);
      for (int k = 0; k < 3; ++k) {
        const Vec2 edge = t.weights[k] * (R * (t.own[(k + 1) % 3] - t.own[k]));
        b.row(t.points[(k + 1) % 3]) += edge.transpose();
        b.row(t.points[k]) -= edge.transpose();
      }
    }
    for (int axis = 0; axis < 2; ++axis) {
      system.multiply(places.col(axis), residual);
      residual = b.col(axis) - residual;
      system.solve(residual, change);
      places.col(axis) += change;
    }
  }
}

}  // namespace

std::vector<FlatCorners> flatten_panels(const TriMesh& sheet, const std::vector<int>& panel,
                                        const std::function<Vec2(int panel, const Vec3&)>& guess, int rounds) {
  std::vector<FlatCorners> result(sheet.triangle_count());
  const int panels = panel.empty() ? 0 : 1 + *std::max_element(panel.begin(), panel.end());
  for (int p = 0; p < panels; ++p) {
    std::map<int, int> number;
    std::vector<PanelTriangle> triangles;
    std::vector<int> of;
    for (int t = 0; t < sheet.triangle_count(); ++t) {
      if (panel[t] != p) continue;
      const Triangle& v = sheet.triangles[t];
      PanelTriangle own = laid_flat(point(sheet.points, v[0]), point(sheet.points, v[1]), point(sheet.points, v[2]));
      for (int k = 0; k < 3; ++k)
        own.points[k] = number.try_emplace(v[k], static_cast<int>(number.size())).first->second;
      triangles.push_back(own);
      of.push_back(t);
    }
    Mat places(static_cast<Eigen::Index>(number.size()), 2);
    for (const auto& [v, at] : number) places.row(at) = guess(p, point(sheet.points, v)).transpose();
    flatten_panel(triangles, rounds, places);
    for (std::size_t k = 0; k < of.size(); ++k)
      for (int c = 0; c < 3; ++c) result[of[k]][c] = places.row(triangles[k].points[c]).transpose();
  }
  return result;
}

}  // namespace rigspace
