#pragma once
// The lattice split into sheets. Where an edge between two filled points leaves the inside, the points belong to
// different sheets of flesh there. Each tetrahedron of the lattice then counts once for every sheet among its filled
// corners, and its other corners are *virtual*: copies of lattice points that belong to that sheet alone (the virtual
// nodes of Molino et al. 2004). What comes out is a simplicial complex of its own, in which sheets that are close in
// space do not touch.

#include "lattice_field.h"

#include <span>

namespace rigspace {

class SheetLattice {
 public:
  /// Keeps a reference. Changes the field where sheets must be kept apart: see resolve.
  explicit SheetLattice(LatticeField& field);

  struct Node {
    int vertex;   ///< of the lattice
    bool filled;  ///< its own flesh; otherwise outside of its sheet
  };
  const std::vector<Node>& nodes() const { return nodes_; }

  /// The node of a filled lattice point.
  int filled_node(int v) const { return base_[field_.active_index(v)]; }
  /// The node that lattice point v is for the sheet of its filled neighbour in a direction: the filled node itself
  /// where no gap is between them.
  int node_for(int v, int direction) const {
    const int k = field_.active_index(v);
    return base_[k] + class_[static_cast<std::size_t>(k) * kDirections + static_cast<std::size_t>(direction)];
  }
  bool joined(int v, int direction) const {
    const int u = field_.lattice().neighbour(v, direction);
    return u >= 0 && field_.filled(u) && !field_.blocked(v, direction);
  }

  /// Whether the neighbours joined to filled v hang together without it; where `sign` is given, one per node, those of
  /// positive sign.
  bool removable(int v, std::span<const std::int8_t> sign = {}) const;

  /// Lattice points that were given up so that sheets stay apart.
  int given_up() const { return given_up_; }

 private:
  void resolve();
  void unblock_shallow();
  void classify(int k);

  LatticeField& field_;
  std::vector<Node> nodes_;
  std::vector<int> base_;            // first node of an active point
  std::vector<std::uint8_t> class_;  // per active point and direction
  int given_up_ = 0;
};

}  // namespace rigspace
