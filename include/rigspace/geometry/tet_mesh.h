#pragma once
// Solids cut into tetrahedra: what they are made of, their surface, volumes, masses and shapes.

#include "rigspace/base/types.h"
#include "rigspace/geometry/tri_mesh.h"

#include <array>
#include <string_view>
#include <vector>

namespace rigspace {

using Tet = std::array<int, 4>;

/// The corners of the face opposite to corner k, counter-clockwise seen from outside.
inline constexpr int kTetFace[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

struct TetMesh {
  Vec points;             ///< flattened, scene units
  std::vector<Tet> tets;  ///< positive: (b - a) x (c - a) . (d - a) > 0

  int point_count() const { return static_cast<int>(points.size() / 3); }
  int tet_count() const { return static_cast<int>(tets.size()); }

  /// Throws Error if an index is out of range or a coordinate is not finite. `what` begins the sentence.
  void validate(std::string_view what) const;
};

/// Signed volume of a tetrahedron; positive as above.
double tet_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Angles between the faces, radians, at the edges 01 02 03 12 13 23. A flat tetrahedron has angles of 0 and pi.
std::array<double, 6> dihedral_angles(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// One per tetrahedron; negative where one is inverted.
Vec volumes(const TetMesh& mesh);
double volume(const TetMesh& mesh);

/// Mass of each point: a quarter of those of its tetrahedra, for `density` in mass per cubic scene unit. Points without
/// tetrahedra have none.
Vec lumped_masses(In points, std::span<const Tet> tets, double density);
Vec lumped_masses(const TetMesh& mesh, double density);

/// Of each tetrahedron, the one across the face opposite to corner k, or -1. Where a broken mesh has more than two
/// tetrahedra at a face, the first two are neighbours.
std::vector<std::array<int, 4>> tet_neighbours(const TetMesh& mesh);

/// The faces without a neighbour, outward, in the order of their tetrahedra.
std::vector<Triangle> boundary_triangles(const TetMesh& mesh);

/// The points of those, ascending.
std::vector<int> boundary_nodes(const TetMesh& mesh);

/// The boundary as a surface of its own; `nodes`, unless null, gets the number in `mesh` of each of its points.
TriMesh boundary_surface(const TetMesh& mesh, std::vector<int>* nodes = nullptr);

struct TetComponents {
  std::vector<int> of_tet;      ///< numbered in the order of their first tetrahedra
  std::vector<int> tets;        ///< how many each has
  std::vector<double> volumes;  ///< of each
};

/// Parts that share no points.
TetComponents connected_components(const TetMesh& mesh);

/// Of each point, those it shares an edge with, ascending: neighbours[start[i]] .. neighbours[start[i + 1]].
struct NodeAdjacency {
  std::vector<int> start, neighbours;
};
NodeAdjacency node_adjacency(const TetMesh& mesh);

struct TetQuality {
  double smallest_angle = 0, largest_angle = 0;  ///< of all dihedral angles, radians
  double first_percentile = 0;                   ///< of each tetrahedron's smallest angle: 1 % are below, radians
  double median = 0;                             ///< likewise
  double volume = 0, smallest_volume = 0;        ///< cubic scene units
  int inverted = 0;                              ///< tetrahedra of no or negative volume
};
TetQuality quality(const TetMesh& mesh);

/// What keeps a boundary from being a manifold: edges not shared by two triangles, points whose triangles form more
/// than one fan.
struct BoundaryDefects {
  std::vector<int> points;  ///< ascending: such points, and the ends of such edges
  int edges = 0;
};
BoundaryDefects boundary_defects(int point_count, std::span<const Triangle> triangles);

}  // namespace rigspace
