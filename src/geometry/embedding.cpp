#include "rigspace/geometry/embedding.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/geometry/closest_point.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kRounding = 1e-12;  // of the diagonal: nearer nodes lie on the surface, up to rounding

Mat3 triangle_frame(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 edge = (b - a).normalized(), normal = (b - a).cross(c - a).normalized();
  Mat3 frame;
  frame << edge, normal.cross(edge), normal;
  return frame;
}

/// The surface with its points where they were and its triangles turned outward, in their old places.
TriMesh turned_outward(const TriMesh& surface) {
  Weld welded = weld(surface);
  const std::vector<Triangle> before = welded.mesh.triangles;
  orient_outward(welded.mesh);
  TriMesh result = surface;
  for (std::size_t t = 0; t < before.size(); ++t)
    if (welded.mesh.triangles[t] != before[t])
      std::swap(result.triangles[welded.triangle[t]][1], result.triangles[welded.triangle[t]][2]);
  return result;
}

double mean_edge(const TriMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) sum += (point(mesh.points, t[k]) - point(mesh.points, t[(k + 1) % 3])).norm();
  return mesh.triangles.empty() ? 0 : sum / (3.0 * mesh.triangle_count());
}

}  // namespace

Eigen::SparseMatrix<double> SurfaceBinding::matrix() const {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(9 * nodes.size());
  for (int i = 0; i < count(); ++i)
    for (int k = 0; k < 3; ++k)
      for (int axis = 0; axis < 3; ++axis) entries.emplace_back(3 * i + axis, 3 * corners[i][k] + axis, weights[i][k]);
  Eigen::SparseMatrix<double> B(3 * count(), 3 * surface_points);
  B.setFromTriplets(entries.begin(), entries.end());
  return B;
}

void SurfaceBinding::apply(In s, Vec& b) const {
  b.resize(3 * count());
  for (int i = 0; i < count(); ++i) {
    const Triangle& c = corners[i];
    b.segment<3>(3 * i) = weights[i][0] * s.segment<3>(3 * c[0]) + weights[i][1] * s.segment<3>(3 * c[1]) +
                          weights[i][2] * s.segment<3>(3 * c[2]);
  }
}

void SurfaceBinding::evaluate(In s, Vec& b) const {
  apply(s, b);
  for (int i = 0; i < count(); ++i) {
    if (offsets[i].isZero(0)) continue;
    const Triangle& c = corners[i];
    b.segment<3>(3 * i) += triangle_frame(point(s, c[0]), point(s, c[1]), point(s, c[2])) * offsets[i];
  }
}

void SurfaceBinding::add_transposed(In g, Vec& g_s) const {
  for (int i = 0; i < count(); ++i)
    for (int k = 0; k < 3; ++k) g_s.segment<3>(3 * corners[i][k]) += weights[i][k] * g.segment<3>(3 * i);
}

SurfaceBinding bind_boundary(const TetMesh& body, const TriMesh& surface, const BindingOptions& options) {
  SurfaceBinding binding;
  binding.surface_points = surface.point_count();
  const TriMesh boundary = boundary_surface(body, &binding.nodes);
  const int count = binding.count();
  if (count == 0) return binding;
  if (surface.triangles.empty())
    throw Error({.element = "surface", .problem = "has no triangles", .remedy = "there is nothing to bind a body to"});
  const TriangleTree skin(turned_outward(surface));
  const Vec normals = vertex_normals(boundary);
  const double diagonal = bounding_box(surface.points).diagonal(), reach = mean_edge(boundary);
  const double tolerance = options.tolerance > 0 ? options.tolerance : 1e-6 * diagonal;
  binding.corners.resize(count);
  binding.weights.resize(count);
  binding.offsets.assign(count, Vec3::Zero());
  binding.off_surface.assign(count, 0);
  parallel_ranges(count, 64, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Vec3 x = point(boundary.points, i), normal = point(normals, i);
      SurfacePoint any = skin.closest(x);
      SurfacePoint place = skin.closest(x, any.distance + reach, [&](int t) { return skin.normal(t).dot(normal) > 0; });
      const bool agrees = place.triangle >= 0;
      if (!agrees) place = any;
      binding.corners[i] = skin.mesh().triangles[place.triangle];
      binding.weights[i] = place.barycentric;
      binding.off_surface[i] = !agrees || place.distance > tolerance;
      if (place.distance <= kRounding * diagonal || skin.normal(place.triangle).isZero(0)) continue;
      const Triangle& c = binding.corners[i];
      const Mat3 frame =
          triangle_frame(point(surface.points, c[0]), point(surface.points, c[1]), point(surface.points, c[2]));
      binding.offsets[i] = frame.transpose() * (x - place.position);
    }
  });
  return binding;
}

TetTree::TetTree(const TetMesh& mesh) : mesh_(mesh) {
  std::vector<Box> boxes(mesh_.tets.size());
  for (std::size_t t = 0; t < boxes.size(); ++t)
    for (const int corner : mesh_.tets[t]) boxes[t].include(point(mesh_.points, corner));
  bvh_ = Bvh(boxes);
}

Vec4 TetTree::barycentric(int tet, const Vec3& x) const {
  const Tet& t = mesh_.tets[tet];
  const Vec3 a = point(mesh_.points, t[0]);
  Mat3 edges;
  for (int k = 0; k < 3; ++k) edges.col(k) = point(mesh_.points, t[k + 1]) - a;
  if (edges.determinant() == 0) return Vec4::Constant(0.25);
  const Vec3 w = edges.inverse() * (x - a);
  return {1 - w.sum(), w[0], w[1], w[2]};
}

int TetTree::containing(const Vec3& x) const {
  int found = -1;
  bvh_.traverse([&](const Bvh::Node& node) { return squared_distance(x, node.low, node.high) == 0; },
                [&](int tet) {
                  if ((found < 0 || tet < found) && barycentric(tet, x).minCoeff() >= 0) found = tet;
                });
  return found;
}

int TetTree::nearest(const Vec3& x) const {
  const int inside = containing(x);
  if (inside >= 0) return inside;
  double best = std::numeric_limits<double>::infinity();
  return bvh_.nearest(x, best, [&](int tet) {
    double squared = std::numeric_limits<double>::infinity();
    for (const auto& face : kTetFace) {
      const Vec3 a = point(mesh_.points, mesh_.tets[tet][face[0]]), b = point(mesh_.points, mesh_.tets[tet][face[1]]);
      const Vec3 c = point(mesh_.points, mesh_.tets[tet][face[2]]);
      const Vec3 w = closest_barycentric(x, a, b, c);
      squared = std::min(squared, (x - w[0] * a - w[1] * b - w[2] * c).squaredNorm());
    }
    return squared;
  });
}

void TetEmbedding::evaluate(In body, Vec& x) const {
  x.resize(3 * count());
  for (int i = 0; i < count(); ++i) {
    x.segment<3>(3 * i).setZero();
    for (int k = 0; k < 4; ++k) x.segment<3>(3 * i) += weights[i][k] * body.segment<3>(3 * corners[i][k]);
  }
}

TetEmbedding embed(const TetMesh& body, In points) {
  const int count = static_cast<int>(points.size() / 3);
  TetEmbedding result;
  if (count == 0) return result;
  if (body.tets.empty())
    throw Error({.element = "body", .problem = "has no tetrahedra", .remedy = "there is nothing to embed points in"});
  const TetTree tree(body);
  result.corners.resize(count);
  result.weights.resize(count);
  result.outside.assign(count, 0);
  parallel_ranges(count, 64, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Vec3 x = point(points, i);
      const int tet = tree.nearest(x);
      result.corners[i] = body.tets[tet];
      result.weights[i] = tree.barycentric(tet, x);
      result.outside[i] = result.weights[i].minCoeff() < 0;
    }
  });
  return result;
}

}  // namespace rigspace
