#pragma once
// Shapes that bodies do not enter: half spaces, spheres, capsules, triangle meshes. Each has a place at the start of a
// step and one at its end; what moves them is given, and contact does not move them back (Thesis 3.5).

#include "rigspace/geometry/closest_point.h"

#include <limits>
#include <memory>
#include <string_view>
#include <variant>

namespace rigspace {

/// The nearest place on a surface.
struct Touch {
  bool found = false;
  double gap = std::numeric_limits<double>::infinity();  ///< m, negative inside
  Vec3 normal = Vec3::Zero();                            ///< unit, outward: the gradient of the gap
  Vec3 position = Vec3::Zero();
  int triangle = -1;  ///< of a mesh
  Vec3 barycentric = Vec3::Zero();
};

/// A triangle surface with an outside, also where it is open. Built once, refitted when its points move.
class SidedMesh {
 public:
  /// Equal points are welded, so that seams of a picture are none of the surface. Throws Error for a bad mesh.
  explicit SidedMesh(const TriMesh& mesh);

  /// Points in the order of the mesh as given.
  void move(In points);

  /// The nearest place within a distance, on triangles whose normals go along with `facing`, or on all if that is
  /// zero. The sign comes from the face, or the mean of the faces around an edge or point (Baerentzen and Aanaes 2005);
  /// beyond a rim, of the mesh or of the triangles that go along, everything is outside.
  Touch nearest(const Vec3& x, double within, const Vec3& facing) const;

  /// A place on a triangle, by another set of points in the order given.
  Vec3 place(In points, int triangle, const Vec3& barycentric) const;
  /// The largest distance, beyond a common shift, between the corners in two sets of points of the triangles in a box.
  double motion_in(const Box& box, In from, In to, const Vec3& common) const;
  int point_count() const { return static_cast<int>(weld_.size()); }

 private:
  struct Side {
    Vec3 normal;
    bool rim;
  };
  Side side_at(const SurfacePoint& at, const Vec3& facing) const;
  Side side_of_edge(int triangle, int opposite, const Vec3& facing) const;
  Side side_of_point(int point, const Vec3& facing) const;

  TriangleTree tree_;
  std::vector<int> weld_, first_;     // of each given point the welded one, and back
  std::vector<int> across_;           // of each half-edge the triangle beyond, or -1
  std::vector<int> fan_start_, fan_;  // of each point its triangles
  std::vector<char> open_;            // points at a rim
};

class Collider {
 public:
  /// The half space below a point on its boundary; the normal points out of it.
  static Collider plane(const Vec3& on, const Vec3& normal);
  static Collider sphere(const Vec3& center, double radius);
  static Collider capsule(const Vec3& a, const Vec3& b, double radius);
  static Collider mesh(const TriMesh& mesh);

  /// The rigid motions that take the shape as it was made to its places at the start and the end of a step.
  void place(const Affine& from, const Affine& to);
  /// The points of a mesh at the start and the end of a step.
  void place_points(In from, In to);
  bool is_mesh() const { return std::holds_alternative<Mesh>(shape_); }

  /// At the end of the step; `facing`: see SidedMesh, other shapes have no other side.
  Touch nearest(const Vec3& x, double within, const Vec3& facing = Vec3::Zero()) const;
  /// How far a place that was touched at the start of the step, or at the end of the one before, moves in it.
  Vec3 displacement(const Touch& touch) const;
  /// A bound on how far the part of the surface that is in a box at the end of the step moves during it, beyond a
  /// common shift, m.
  double motion_in(const Box& box, const Vec3& common = Vec3::Zero()) const;

 private:
  struct Plane {
    Vec3 on, normal;
  };
  struct Capsule {  // of a sphere both ends are one
    Vec3 a, b;
    double radius;
  };
  struct Mesh {
    SidedMesh surface;
    Vec made, from, to;
  };
  using Shape = std::variant<Plane, Capsule, Mesh>;
  explicit Collider(Shape shape) : shape_(std::move(shape)) {}

  Shape shape_;
  Affine from_ = identity_affine(), to_ = identity_affine();
};

}  // namespace rigspace
