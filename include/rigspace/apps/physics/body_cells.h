#pragma once
// The solids of parts as pictures show them: the outer edges of their tetrahedra, following the rig.

#include "rigspace/anim/character.h"
#include "rigspace/parts/part.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// Not to be used by two threads at a time.
class BodyCells {
 public:
  /// `parts`: as soften or with_solid return them, of this character, which is referred to. Parts without a solid, such
  /// as chains of rods, have no cells.
  BodyCells(const Character& character, std::span<const Part> parts);
  ~BodyCells();

  int node_count() const;
  const std::vector<std::array<int, 2>>& edges() const;  ///< of faces that belong to one tetrahedron
  /// Scene positions of the nodes in the pose p, flattened: nodes on the skin are tied to its points, all others
  /// follow the bones that hold them.
  void place(In p, Vec& x);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// Of each point of the rig the factor on the stiffness (RSP 5) of the element of a part's solid that is nearest at
/// rest; 0 for points that no part with a solid moves.
Vec stiffness_on_skin(const Character& character, std::span<const Part> parts);

}  // namespace rigspace
