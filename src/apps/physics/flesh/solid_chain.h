#pragma once
// Private to physics: which chains of joints have flesh on them, and the solid that it is.

#include "flesh_region.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace {

struct ChainShape {
  std::vector<int> controls;  ///< rx ry rz of its joints, ascending
  Vec motion;                 ///< how far these take each point of the surface, of the farthest
  double length = 0;          ///< scene units: from the root to the farthest skin
  double thickness = 0;       ///< scene units: 4 V / A of its skin, which is a tube's diameter
  double roundness =
      0;  ///< 4 pi S / P^2 of its section: 1 of a round one, 0.8 of an ellipse of one to two, less of ears
  std::string why_rods;  ///< why it has no solid by itself; empty: it has
};
/// `welded`: the surface's mesh, facing outward.
ChainShape chain_shape(const Character& character, const RiggedSurface& surface, const Weld& welded, const Part& part);

/// The volume that the chain's joints turn, held where they do not reach. Null if it has no inside.
std::shared_ptr<const Flesh> chain_flesh(const Character& character, const RiggedSurface& surface, const Part& part,
                                         const ChainShape& shape, const SoftenOptions& options);

/// Gives chains their solids, as options.chains has it, and says what each part became.
void fill_chains(const Character& character, std::vector<Part>& parts, const SoftenOptions& options,
                 std::vector<std::string>& notes);

}  // namespace rigspace
