#pragma once
// How often a surface goes around a point: the generalised winding number (Jacobson et al. 2013), by a tree of
// expansions (Barill et al. 2018). Of a closed surface that faces outward it is 1 inside and 0 outside; of one with
// holes it runs smoothly between, and the level 1/2 closes the holes.

#include "rigspace/geometry/bvh.h"
#include "rigspace/geometry/tri_mesh.h"

#include <vector>

namespace rigspace {

/// Solid angle of a triangle seen from x, divided by that of the sphere: positive where x is behind the triangle.
double solid_angle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c);

class WindingTree {
 public:
  WindingTree() = default;
  explicit WindingTree(const TriMesh& mesh);

  /// Within about 0.03 of the exact sum, and usually 0.01. Const calls from any number of threads.
  double operator()(const Vec3& x) const;
  /// The sum over all triangles.
  double exact(const Vec3& x) const;

 private:
  /// The triangles under a node as a dipole at `center` and its first moment.
  struct Expansion {
    Vec3 center = Vec3::Zero();
    Vec3 dipole = Vec3::Zero();  ///< sum of area times normal
    Mat3 moment = Mat3::Zero();  ///< sum of area (centroid - center) normal^T
    double radius2 = 0;          ///< squared distance from the centre beyond which the expansion holds
  };
  double at_triangle(int triangle, const Vec3& x) const;

  TriMesh mesh_;
  Bvh bvh_;
  std::vector<Expansion> expansions_;
};

}  // namespace rigspace
