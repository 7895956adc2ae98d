#pragma once
// Private to physics: tuned settings are kept between runs.

#include "run/part_system.h"

#include <cstddef>
#include <vector>

namespace rigspace {

/// The key under which the tuned settings of a part are cached: bytes of all that they depend on. The key leaves out
/// amounts and obstacles: neither changes the tuned rates. Empty where nothing is cached: of chains and of the full
/// method on a built-in rig, without use_cache, with keyed settings, and with obstacles on a black box, whose Jacobians
/// are sampled where the contact leads.
std::vector<std::byte> tuning_key(PartSystem& system, const KeyedMotion& motion, const SimulationOptions& options,
                                  double character_size);

}  // namespace rigspace
