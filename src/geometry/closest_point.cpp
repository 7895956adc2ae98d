#include "rigspace/geometry/closest_point.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// Parameter of the point of segment ab nearest to x.
double on_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const double length2 = ab.squaredNorm();
  return length2 > 0 ? std::clamp((x - a).dot(ab) / length2, 0.0, 1.0) : 0.0;
}

/// The best of the three edges, for triangles without area.
Vec3 closest_on_edges(const Vec3& x, const std::array<Vec3, 3>& corner) {
  Vec3 best = Vec3::UnitX();
  double nearest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    const double t = on_segment(x, corner[k], corner[next]);
    const double d = (x - (1 - t) * corner[k] - t * corner[next]).squaredNorm();
    if (d >= nearest) continue;
    nearest = d;
    best.setZero();
    best[k] = 1 - t, best[next] = t;
  }
  return best;
}

/// Whether a segment, as origin and reciprocal direction, meets a box grown by a little.
struct SegmentBoxTest {
  Vec3 origin, inverse;
  double slack;

  SegmentBoxTest(const Vec3& from, const Vec3& to)
      : origin(from), slack(1e-12 * (from.cwiseAbs().maxCoeff() + to.cwiseAbs().maxCoeff())) {
    for (int k = 0; k < 3; ++k) {
      const double d = to[k] - from[k];
      inverse[k] = d != 0 ? 1 / d : 1e300;  // parallel to the slab: inside it for all parameters, or for none
    }
  }
  bool operator()(const Bvh::Node& node) const {
    double begin = 0, end = 1;
    for (int k = 0; k < 3; ++k) {
      const double a = (node.low[k] - slack - origin[k]) * inverse[k];
      const double b = (node.high[k] + slack - origin[k]) * inverse[k];
      begin = std::max(begin, std::min(a, b));
      end = std::min(end, std::max(a, b));
    }
    return begin <= end;
  }
};

}  // namespace

// Regions of a triangle by the signs of the projections onto its edges (Ericson, Real-Time Collision Detection, 5.1.5).
Vec3 closest_barycentric(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ax = x - a;
  const double d1 = ab.dot(ax), d2 = ac.dot(ax);
  if (d1 <= 0 && d2 <= 0) return Vec3::UnitX();
  const Vec3 bx = x - b;
  const double d3 = ab.dot(bx), d4 = ac.dot(bx);
  if (d3 >= 0 && d4 <= d3) return Vec3::UnitY();
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3) return {1 - d1 / (d1 - d3), d1 / (d1 - d3), 0};
  const Vec3 cx = x - c;
  const double d5 = ab.dot(cx), d6 = ac.dot(cx);
  if (d6 >= 0 && d5 <= d6) return Vec3::UnitZ();
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0 && d2 > d6) return {1 - d2 / (d2 - d6), 0, d2 / (d2 - d6)};
  const double va = d3 * d6 - d5 * d4;
  const double along = (d4 - d3) + (d5 - d6);
  if (va <= 0 && d4 >= d3 && d5 >= d6 && along > 0) return {0, 1 - (d4 - d3) / along, (d4 - d3) / along};
  const double sum = va + vb + vc;
  if (!(sum > 0)) return closest_on_edges(x, {a, b, c});
  return {1 - vb / sum - vc / sum, vb / sum, vc / sum};
}

// Moeller and Trumbore 1997. The bounds of the barycentric coordinates are widened by rounding, so that nothing slips
// through an edge.
bool crosses(const Vec3& from, const Vec3& to, const Vec3& a, const Vec3& b, const Vec3& c, double& t) {
  constexpr double kRounding = 1e-12;
  const Vec3 d = to - from, ab = b - a, ac = c - a;
  const Vec3 across = d.cross(ac);
  const double determinant = ab.dot(across);
  if (determinant == 0) return false;
  const Vec3 from_a = from - a;
  const double u = from_a.dot(across) / determinant;
  if (!(u >= -kRounding && u <= 1 + kRounding)) return false;
  const Vec3 other = from_a.cross(ab);
  const double v = d.dot(other) / determinant;
  if (!(v >= -kRounding && u + v <= 1 + kRounding)) return false;
  t = ac.dot(other) / determinant;
  return t >= 0 && t <= 1;
}

std::vector<Box> triangle_boxes(const TriMesh& mesh) {
  std::vector<Box> boxes(mesh.triangles.size());
  for (std::size_t t = 0; t < boxes.size(); ++t)
    for (const int corner : mesh.triangles[t]) boxes[t].include(point(mesh.points, corner));
  return boxes;
}

TriangleTree::TriangleTree(const TriMesh& mesh) : mesh_(mesh), bvh_(triangle_boxes(mesh)) {}

void TriangleTree::refit(In points) {
  mesh_.points = points;
  bvh_.refit(triangle_boxes(mesh_));
}

std::array<Vec3, 3> TriangleTree::corners(int triangle) const {
  const Triangle& t = mesh_.triangles[triangle];
  return {point(mesh_.points, t[0]), point(mesh_.points, t[1]), point(mesh_.points, t[2])};
}

SurfacePoint TriangleTree::closest(const Vec3& x, double within) const { return closest(x, within, {}); }

SurfacePoint TriangleTree::closest(const Vec3& x, double within, const std::function<bool(int)>& wanted) const {
  SurfacePoint result;
  double best = within * within;
  result.triangle = bvh_.nearest(x, best, [&](int triangle) {
    if (wanted && !wanted(triangle)) return std::numeric_limits<double>::infinity();
    const auto [a, b, c] = corners(triangle);
    const Vec3 weights = closest_barycentric(x, a, b, c);
    const Vec3 position = weights[0] * a + weights[1] * b + weights[2] * c;
    const double squared = (x - position).squaredNorm();
    if (squared < best) result.barycentric = weights, result.position = position;
    return squared;
  });
  if (result.triangle >= 0) result.distance = std::sqrt(best);
  return result;
}

void TriangleTree::crossings(const Vec3& from, const Vec3& to, std::vector<double>& parameters) const {
  parameters.clear();
  bvh_.traverse(SegmentBoxTest(from, to), [&](int triangle) {
    const auto [a, b, c] = corners(triangle);
    double t = 0;
    if (crosses(from, to, a, b, c, t)) parameters.push_back(t);
  });
  std::sort(parameters.begin(), parameters.end());
}

bool TriangleTree::any_crossing(const Vec3& from, const Vec3& to) const {
  bool any = false;
  const SegmentBoxTest meets(from, to);
  bvh_.traverse([&](const Bvh::Node& node) { return !any && meets(node); },
                [&](int triangle) {
                  const auto [a, b, c] = corners(triangle);
                  double t = 0;
                  any = any || crosses(from, to, a, b, c, t);
                });
  return any;
}

Vec3 TriangleTree::normal(int triangle) const {
  const auto [a, b, c] = corners(triangle);
  const Vec3 twice_area = (b - a).cross(c - a);
  const double length = twice_area.norm();
  return length > 0 ? Vec3(twice_area / length) : Vec3(Vec3::Zero());
}

}  // namespace rigspace
