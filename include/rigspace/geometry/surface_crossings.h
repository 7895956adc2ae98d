#pragma once
// Where surfaces pass through themselves or each other: edges that cross triangles.

#include "rigspace/geometry/bvh.h"
#include "rigspace/geometry/tri_mesh.h"

#include <span>
#include <vector>

namespace rigspace {

/// An edge of one surface that passes through a triangle of another (or the same).
struct Crossing {
  int edge = 0;      ///< into the edge list given
  int triangle = 0;  ///< of the mesh crossed
};

/// All edges that cross a triangle of the mesh, ascending. Edges are pairs of points of `points`. With `same`, the
/// points are those of the mesh, and an edge is not held against triangles that it shares a point with.
std::vector<Crossing> edge_crossings(In points, std::span<const std::array<int, 2>> edges, const TriMesh& mesh,
                                     bool same);

/// Of a surface with itself and with another: edges of either through triangles of the other.
struct SurfaceCrossings {
  int own = 0;    ///< edges of the surface through its own triangles
  int other = 0;  ///< edges of one through triangles of the other

  int total() const { return own + other; }
};
SurfaceCrossings count_edge_crossings(const TriMesh& surface, const TriMesh& other);

/// Where a moving surface passes through itself. Its tree is built once and refitted.
class SelfCrossingFinder {
 public:
  SelfCrossingFinder() = default;
  explicit SelfCrossingFinder(const TriMesh& mesh);

  /// Non-zero for triangles that cross another one, both `wanted` (non-zero entries; empty: all), whose normals have a
  /// cosine of at most `facing`: 1 finds all crossings, less than 0 only those of parts that face each other, as an arm
  /// pressed into the chest, not a layer that lies half sunk in another. Of a `firm` triangle and one that is not only
  /// the latter is found.
  std::vector<char> find(In points, std::span<const char> wanted = {}, double facing = 1,
                         std::span<const char> firm = {});

  const EdgeTable& edges() const { return edges_; }

 private:
  std::vector<Triangle> triangles_;
  EdgeTable edges_;
  Bvh tree_, normal_tree_;  // of triangles, and in the same nodes of their normals
  std::vector<Box> boxes_, normal_boxes_;
  std::vector<Vec3> normals_;
};

}  // namespace rigspace
