#pragma once
// Lattices of hexahedral cells with a trilinear map in each: what bodies are embedded in. The cells may be of any shape
// that the map does not fold.

#include "rigspace/geometry/bvh.h"
#include "rigspace/geometry/tri_mesh.h"

#include <Eigen/SparseCore>

#include <array>
#include <string_view>
#include <vector>

namespace rigspace {

using Vec8 = Eigen::Matrix<double, 8, 1>;
using Mat83 = Eigen::Matrix<double, 8, 3>;

/// Corner c of a cell lies at u = (c & 1, c >> 1 & 1, c >> 2 & 1) of the unit cube.
struct HexLattice {
  std::vector<Vec3> vertices;             ///< at rest, scene units
  std::vector<std::array<int, 8>> cells;  ///< of vertices

  int vertex_count() const { return static_cast<int>(vertices.size()); }
  int cell_count() const { return static_cast<int>(cells.size()); }
  /// All vertices, flattened.
  Vec points() const;
  /// dx/du of a cell.
  Mat3 jacobian(int cell, const Vec3& u) const;
  Vec3 position(int cell, const Vec3& u) const;

  /// Throws Error if a cell names a vertex that is not there, a coordinate is not finite or a cell is folded: the
  /// determinant of dx/du is not positive at a corner. `what` begins the sentence.
  void validate(std::string_view what) const;
};

/// phi_c(u), which sum to one, and their derivatives by u.
Vec8 trilinear(const Vec3& u);
Mat83 trilinear_gradient(const Vec3& u);

/// The smallest determinant of dx/du over the corners of a cell. Positive at all corners of the cells that we make.
double least_corner_volume(const HexLattice& lattice, int cell);

/// Edges along which two corners of a cell meet, each once, the smaller vertex first; ascending.
std::vector<std::array<int, 2>> lattice_edges(const HexLattice& lattice);
/// 1 for vertices of a face that only one cell has.
std::vector<char> boundary_vertices(const HexLattice& lattice);

struct HexPlace {
  int cell = -1;  ///< -1: in none
  Vec3 u = Vec3::Zero();
};

/// Places in a lattice. Refers to it; const calls from any number of threads.
class HexTree {
 public:
  explicit HexTree(const HexLattice& lattice);
  /// The cell that holds x, to a millionth of its size, and where in it.
  HexPlace find(const Vec3& x) const;

 private:
  bool invert(int cell, const Vec3& x, Vec3& u) const;

  const HexLattice* lattice_;
  Bvh bvh_;
};

/// Points that follow a lattice:  x_i = sum_c weights_i[c] y[corners_i[c]].
struct HexEmbedding {
  std::vector<std::array<int, 8>> corners;
  std::vector<Vec8> weights;

  int count() const { return static_cast<int>(corners.size()); }
  void evaluate(In y, Vec& x) const;
  Vec3 evaluate(In y, int i) const;
  /// Adds E^T g.
  void add_transposed(In g, Vec& g_y) const;
  HexEmbedding restricted(std::span<const int> points) const;
};

/// Throws Error, with the number of points and the place of the first, if some lie outside. `what` begins the sentence.
HexEmbedding embed(const HexLattice& lattice, In points, std::string_view what);

}  // namespace rigspace
