#include "rigspace/geometry/tri_mesh.h"

#include "rigspace/base/error.h"

#include <cmath>
#include <string>

namespace rigspace {

void TriMesh::validate(std::string_view what) const {
  if (points.size() % 3 != 0) {
    throw Error({.element = std::string(what),
                 .problem = "has " + std::to_string(points.size()) + " coordinates",
                 .remedy = "expected three per point"});
  }
  for (int i = 0; i < point_count(); ++i) {
    if (!point(points, i).allFinite()) {
      throw Error({.element = std::string(what),
                   .problem = "has a coordinate that is not finite at point " + std::to_string(i),
                   .remedy = "expected finite numbers"});
    }
  }
  for (int t = 0; t < triangle_count(); ++t) {
    for (const int corner : triangles[t]) {
      if (corner >= 0 && corner < point_count()) continue;
      throw Error({.element = std::string(what),
                   .value = std::to_string(corner),
                   .problem = "has triangle " + std::to_string(t) + " at point " + std::to_string(corner),
                   .remedy = "there are " + std::to_string(point_count()) + " points, counted from 0"});
    }
  }
}

Box bounding_box(In points) {
  Box box;
  for (Eigen::Index i = 0; i + 2 < points.size(); i += 3) box.include(points.segment<3>(i));
  return box;
}

void vertex_normals(In points, std::span<const Triangle> triangles, Vec& normals) {
  normals.resize(points.size());
  normals.setZero();
  for (const Triangle& t : triangles) {
    const Vec3 a = point(points, t[0]), b = point(points, t[1]), c = point(points, t[2]);
    const Vec3 twice_area = (b - a).cross(c - a);
    for (const int corner : t) point(normals, corner) += twice_area;
  }
  for (Eigen::Index i = 0; i + 2 < normals.size(); i += 3) {
    const double length = normals.segment<3>(i).norm();
    if (length > 0) normals.segment<3>(i) /= length;
  }
}

Vec vertex_normals(const TriMesh& mesh) {
  Vec normals;
  vertex_normals(mesh.points, mesh.triangles, normals);
  return normals;
}

double area(const TriMesh& mesh) {
  double twice_area = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = point(mesh.points, t[0]), b = point(mesh.points, t[1]), c = point(mesh.points, t[2]);
    twice_area += (b - a).cross(c - a).norm();
  }
  return 0.5 * twice_area;
}

// Gauss: V = 1/6 sum a . (b x c), about a point near the mesh, so that little cancels.
double signed_volume(const TriMesh& mesh) {
  if (mesh.points.size() == 0) return 0;
  const Vec3 middle = bounding_box(mesh.points).center();
  double six_volumes = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = point(mesh.points, t[0]) - middle, b = point(mesh.points, t[1]) - middle;
    const Vec3 c = point(mesh.points, t[2]) - middle;
    six_volumes += a.dot(b.cross(c));
  }
  return six_volumes / 6;
}

}  // namespace rigspace
