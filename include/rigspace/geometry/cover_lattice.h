#pragma once
// A lattice of cubes that covers a body and follows its skeleton: bones run along edges of cells.

#include "rigspace/geometry/hex_lattice.h"
#include "rigspace/geometry/winding_number.h"

#include <span>

namespace rigspace {

/// A bone at rest, scene units.
struct BoneLine {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
};

struct CoverOptions {
  int cells = 350;  ///< that the volume of the body would fill; more are needed to cover its surface
  double cell = 0;  ///< edge of a cell, scene units; 0: from `cells`
  void validate() const;
};

/// A vertex that a bone carries.
struct HeldVertex {
  int vertex;
  int bone;
};

struct CoverLattice {
  HexLattice lattice;
  std::vector<HeldVertex> held;  ///< by vertex, ascending; each once
  double cell = 0;               ///< edge of the cubes before bones were followed, scene units
};

/// Cubes with a part of the surface or of the inside in them. For each bone the edges nearest to it, a path from its
/// start to its end, are drawn onto the bone; other vertices follow smoothly, those on the lattice's outside stay, so
/// that the lattice contains what the cubes did. Vertices that would take nine tenths of its volume from a corner of a
/// cell are given up: along a bone that runs askew to the cubes those where its path turns, so that edges cross over to
/// the next vertex on the bone. A bone without a vertex on it (one in a part thinner than two cells) holds the vertices
/// nearest to its ends, where these are. Throws Error if the surface has no inside.
CoverLattice cover_lattice(const TriMesh& surface, const WindingTree& winding, std::span<const BoneLine> bones,
                           const CoverOptions& options = {});

}  // namespace rigspace
