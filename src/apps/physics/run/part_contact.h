#pragma once
// Private to physics: contact of finished parts: how deep they penetrate, and the obstacles that they are for later
// parts.

#include "part_system.h"

#include <span>
#include <vector>

namespace rigspace {

/// Sets PartReport::deepest of the parts of a system, measured on the final deviations in `run` against
/// PartSystem::obstacles.
void measure_depths(const KeyedMotion& key, PartSystem& system, const Run& run, std::span<PartReport> reports);

/// An obstacle made of the skin that the earlier parts move and this system does not, moving as simulated. Skin that is
/// at rest nearer to the system's own than three contact thicknesses is left out, since the two are connected. Empty if
/// no skin is left. Refers to `key`; copies `earlier`.
std::vector<Obstacle> obstacles_from(const SoftMotion& earlier, const Character& character, const KeyedMotion& key,
                                     PartSystem& system);

}  // namespace rigspace
