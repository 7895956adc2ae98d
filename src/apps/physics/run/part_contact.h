#pragma once
// Private to physics: what contact comes to once a part is finished: how deep it went, and what later parts feel of it.

#include "part_system.h"

#include <span>
#include <vector>

namespace rigspace {

/// PartReport::deepest of the parts of a system, from the motion as it is written: `run` has whole columns. Obstacles
/// of the system are those that it was simulated with.
void measure_depths(const KeyedMotion& key, PartSystem& system, const Run& run, std::span<PartReport> reports);

/// What a system feels of the parts that were simulated before it: the skin that these move and it does not, as they
/// move it. Skin nearer to its own than three thicknesses of contact at rest is left out, since it hangs together with
/// it. None where nothing is left. Refers to the motion of the keys; copies what was simulated.
std::vector<Obstacle> obstacles_from(const SoftMotion& earlier, const Character& character, const KeyedMotion& key,
                                     PartSystem& system);

}  // namespace rigspace
