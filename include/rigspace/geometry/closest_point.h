#pragma once
// Distances and crossings between points, segments and triangles.

#include "rigspace/geometry/bvh.h"
#include "rigspace/geometry/tri_mesh.h"

#include <functional>
#include <limits>
#include <vector>

namespace rigspace {

/// Barycentric coordinates, none negative, of the point of triangle abc nearest to x. Triangles without area are their
/// longest edge.
Vec3 closest_barycentric(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c);

/// Where the segment from `from` to `to` crosses triangle abc: 0 at `from`, 1 at `to`. Crossings through an edge count
/// for both of its triangles. False where there is none, or the triangle is seen edge-on.
bool crosses(const Vec3& from, const Vec3& to, const Vec3& a, const Vec3& b, const Vec3& c, double& t);

struct SurfacePoint {
  int triangle = -1;  ///< -1: nothing within the distance
  Vec3 barycentric = Vec3::Zero();
  Vec3 position = Vec3::Zero();
  double distance = std::numeric_limits<double>::infinity();
};

/// Queries of a triangle mesh. Holds copies of what it needs; const calls from any number of threads.
class TriangleTree {
 public:
  TriangleTree() = default;
  explicit TriangleTree(const TriMesh& mesh);

  /// The same triangles with their points elsewhere.
  void refit(In points);

  SurfacePoint closest(const Vec3& x, double within = std::numeric_limits<double>::infinity()) const;

  /// The nearest point on a triangle for which `wanted` returns true.
  SurfacePoint closest(const Vec3& x, double within, const std::function<bool(int triangle)>& wanted) const;

  /// All crossings of a segment, ascending, as parameters from 0 to 1. Crossings through shared edges come repeatedly.
  void crossings(const Vec3& from, const Vec3& to, std::vector<double>& parameters) const;
  bool any_crossing(const Vec3& from, const Vec3& to) const;

  /// Unit normal; zero for a triangle without area.
  Vec3 normal(int triangle) const;
  const TriMesh& mesh() const { return mesh_; }
  const Bvh& bvh() const { return bvh_; }

 private:
  std::array<Vec3, 3> corners(int triangle) const;

  TriMesh mesh_;
  Bvh bvh_;
};

/// The box of each triangle.
std::vector<Box> triangle_boxes(const TriMesh& mesh);

}  // namespace rigspace
