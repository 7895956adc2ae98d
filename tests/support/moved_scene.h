#pragma once
// The same character elsewhere: below a further root that turns, shifts and scales it, or with its points and triangles
// in another order.

#include "rigspace/anim/character.h"
#include "rigspace/io/gltf.h"

#include <cstdint>
#include <vector>

namespace rigspace::testing {

/// x -> scale * turn about the vertical * x + shift.
struct Placement {
  double turn = 0;            ///< radians about +y
  Vec3 shift = Vec3::Zero();  ///< scene units of the moved scene
  double scale = 1;
  std::uint64_t shuffle = 0;  ///< unless 0: the seed of the new order

  Mat3 rotation() const;
};

/// The character with all roots of its scene below a node with this placement.
Character moved(const GltfFile& file, const Placement& placement);

/// The points of each piece, and its triangles and their corners, in another order. All deformers must be linear skins
/// or blend shapes. `to[i]`: the new number of point i.
Character shuffled(const Character& character, std::uint64_t seed, std::vector<int>& to);

}  // namespace rigspace::testing
