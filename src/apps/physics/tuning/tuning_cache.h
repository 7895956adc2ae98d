#pragma once
// Private to physics: the key under which tuned settings are cached between runs.

#include "run/part_system.h"

#include <cstddef>
#include <vector>

namespace rigspace {

/// The bytes of all inputs that the tuned settings of a system depend on. Obstacles are left out, since they do not
/// change the tuned rates; so are amounts, except on a black box, whose Jacobians are sampled along the resulting
/// motion. Empty, so that nothing is cached: without use_cache, with keyed settings, for chains as rods, for the full
/// method on a built-in rig, and for collisions on a black box.
std::vector<std::byte> tuning_key(PartSystem& system, const KeyedMotion& motion, const SimulationOptions& options,
                                  double character_size);

}  // namespace rigspace
