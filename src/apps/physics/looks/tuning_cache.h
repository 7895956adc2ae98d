#pragma once
// Private to physics: looks that were found are kept between runs.

#include "run/part_system.h"

#include <cstddef>
#include <vector>

namespace rigspace {

/// All that looks depend on which are found for a part, as bytes for the cache; empty where they are not kept: of
/// chains and of the full method on a rig of our own, where nothing is recalled, with keyed looks, and with obstacles
/// on a black box. Neither amounts nor obstacles have a say in looks; a black box is asked for Jacobians where these
/// lead.
std::vector<std::byte> looks_content(PartSystem& system, const KeyedMotion& motion, const SimulationOptions& options,
                                     double character_size);

}  // namespace rigspace
