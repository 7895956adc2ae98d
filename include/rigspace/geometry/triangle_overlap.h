#pragma once
// Whether triangles meet, decided exactly: the judge of "no intersections", independent of all distances, tolerances
// and collision tests that a solver uses.

#include "rigspace/geometry/tri_mesh.h"

#include <array>
#include <vector>

namespace rigspace {

enum class Overlap {
  none,   ///< no common point but shared corners and shared edges
  touch,  ///< common points, and no edge passes from one side to the other: a corner on a face, faces on each other
  cross,  ///< an edge of one, its ends strictly on either side of the other's plane, meets the other (border included)
};

using Corners = std::array<Vec3, 3>;

/// The first `shared` corners of both triangles are the same ones of a mesh (not merely equal places); those, and the
/// edge between two of them, are not common points. Triangles without area are their edges. Exact for finite doubles.
Overlap triangle_overlap(const Corners& a, const Corners& b, int shared = 0);

struct Crossings {
  int touching = 0;                       ///< pairs with Overlap::touch
  std::vector<std::array<int, 2>> pairs;  ///< triangles with Overlap::cross, ascending

  int crossing() const { return static_cast<int>(pairs.size()); }
};

/// All pairs of a triangle of `a` and one of `b`.
Crossings count_crossings(const TriMesh& a, const TriMesh& b);
/// All pairs of triangles of one mesh, the smaller first; corners with the same number are shared. Weld first where a
/// file repeats points.
Crossings self_crossings(const TriMesh& mesh);

}  // namespace rigspace
