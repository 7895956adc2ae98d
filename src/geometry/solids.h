#pragma once
// What a surface encloses: its parts, which of them have an inside, and whether a point is in one.

#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/stuffing.h"
#include "rigspace/geometry/winding_number.h"

#include <vector>

namespace rigspace {

class Solids {
 public:
  explicit Solids(const TriMesh& surface);

  const std::vector<SkinPart>& parts() const { return parts_; }
  const std::vector<int>& part_of_triangle() const { return part_of_triangle_; }
  int flipped_triangles() const { return flipped_; }

  /// All triangles of parts with an inside, facing outward.
  const TriangleTree& skin() const { return skin_; }
  Box box() const { return box_; }  ///< of those

  /// Whether a winding number of some part, around x, exceeds 1/2. From any number of threads.
  bool inside(const Vec3& x) const;

  /// True where inside(x) may change without a triangle nearby: within the box of a part with holes.
  bool near_hole(const Vec3& x) const;

 private:
  struct Solid {
    WindingTree winding;
    Box box;
    bool closed;
  };
  void find_solids(const TriMesh& mesh, const Components& components);
  void add_solid(const TriMesh& mesh, bool closed);

  std::vector<SkinPart> parts_;
  std::vector<int> part_of_triangle_;
  std::vector<Solid> solids_;
  Bvh boxes_;
  TriangleTree skin_;
  Box box_;
  int flipped_ = 0;
};

}  // namespace rigspace
