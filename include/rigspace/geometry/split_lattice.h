#pragma once
// Lattices some of whose cells are split into eight, and these again: what carries a hierarchical basis.

#include "rigspace/geometry/hex_lattice.h"

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace rigspace {

/// A vertex that follows others:  x = sum of weight * x_other.
struct HangingVertex {
  int vertex;
  std::vector<std::pair<int, double>> others;  ///< none of them hangs; ascending
};

/// A split cell has a vertex more on each edge and face and one inside; where they are at rest the cell's trilinear map
/// does not change. Level 0 is the lattice given. A vertex of level l hangs on its parents, the corners of the edge,
/// face or cell of level l - 1 that it is the middle of, as long as a cell of level l - 1 around it is whole. All
/// others are free: then the trilinear functions of the free vertices of level l have their whole support in cells of
/// that level. Together with those of lower levels, which stay, they span what the values at the free vertices span:
///   x = sum_i q_i Phi_i,    q_i = x_i - the mean of x at its parents  (level 0: q_i = x_i).
/// Cells that meet in a vertex differ by one level at most.
class SplitLattice {
 public:
  struct Cell {
    std::array<int, 8> corners;
    int level = 0;
    int parent = -1, octant = 0;
    int first_child = -1;  ///< of eight in order; -1: a leaf
  };

  SplitLattice() = default;
  explicit SplitLattice(HexLattice whole);

  /// Splits a leaf, after those around it that must not be left two levels behind. Cells that are split stay as they
  /// are.
  void split(int cell);
  /// Splits all cells of this level around a vertex of that level: the functions of the next level whose middles lie
  /// nearest to it become free.
  void split_around(int vertex, int level);
  /// What `other`, made from the same lattice, has split is split here, too.
  void include(const SplitLattice& other);
  /// The cells that were split, in that order: splitting these again gives the same numbers to all cells and vertices.
  const std::vector<int>& splits() const { return splits_; }

  int cell_count() const { return static_cast<int>(cells_.size()); }
  int whole_count() const { return whole_; }  ///< cells of level 0, the first
  const Cell& cell(int k) const { return cells_[k]; }
  int vertex_count() const { return static_cast<int>(vertices_.size()); }
  /// Of a vertex; empty at level 0.
  std::span<const int> parents(int vertex) const;

  /// The leaf that holds the place u of a cell of level 0, and the place in it.
  HexPlace leaf_at(HexPlace place) const;
  std::vector<int> leaves() const;
  /// All vertices, with the leaves as cells.
  HexLattice leaf_lattice() const;
  /// Ascending by vertex.
  std::vector<HangingVertex> hanging() const;
  /// For each vertex of `part` its number here; -1 where it is missing. Both are made from the same lattice.
  std::vector<int> vertices_of(const SplitLattice& part) const;

 private:
  using Key = std::array<int, 8>;  // ascending, filled with -1
  int middle(const Key& key);
  int find(const Key& key) const;

  int whole_ = 0;
  std::vector<Cell> cells_;
  std::vector<Vec3> vertices_;
  std::vector<Key> parents_;                // of each vertex; all -1 at level 0
  std::vector<std::vector<int>> cells_at_;  // that have the vertex as a corner
  std::map<Key, int> middles_;
  std::vector<int> splits_;
};

}  // namespace rigspace
