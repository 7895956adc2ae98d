#pragma once
// Private to physics: which chains of joints are thick enough to be simulated as solids, and the solids.

#include "flesh_region.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace {

struct ChainShape {
  std::vector<int> controls;  ///< rx ry rz of its joints, ascending
  Vec motion;                 ///< motion_of these controls
  double length = 0;          ///< scene units: from the root joint to the farthest point of the skin
  double thickness = 0;       ///< scene units: 4 volume / area of its skin; the diameter, for a tube
  /// 4 pi S / P^2 of its section with area S and perimeter P: 1 for a circle, 0.8 for an ellipse with axes 1 : 2, less
  /// for ears.
  double roundness = 0;
  std::string why_rods;  ///< why ChainForm::automatic simulates it as rods; empty: as a solid
};
/// `welded`: the welded mesh of the surface, with triangles facing outward.
ChainShape chain_shape(const Character& character, const RiggedSurface& surface, const Weld& welded, const Part& part);

/// The volume that the chain's joints move; nodes that they do not move are held. Null if it has no interior node.
std::shared_ptr<const Flesh> chain_flesh(const Character& character, const RiggedSurface& surface, const Part& part,
                                         const ChainShape& shape, const SoftenOptions& options);

/// Makes the solids of chains according to options.chains, and adds a note for each part: a solid, or rods and why.
void fill_chains(const Character& character, std::vector<Part>& parts, const SoftenOptions& options,
                 std::vector<std::string>& notes);

}  // namespace rigspace
