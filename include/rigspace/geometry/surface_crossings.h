#pragma once
// Where surfaces pass through themselves or each other: edges that cross triangles.

#include "rigspace/geometry/tri_mesh.h"

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

/// Non-zero for triangles that take part in a crossing of the mesh with itself.
std::vector<char> self_crossing_triangles(const TriMesh& mesh);
/// The same, of triangles alone whose boxes meet this one; 0 for all others.
std::vector<char> self_crossing_triangles(const TriMesh& mesh, const Box& near);

}  // namespace rigspace
