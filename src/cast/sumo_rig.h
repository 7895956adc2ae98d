#pragma once
// The sumo wrestler's secondary rig: 58 handles under the skin, three controls each.

#include "assembly.h"

namespace rigspace::sumo {

/// Handles of belly (26), chest (12), cheeks (8) and hair (12) in each of the skins, and IK.
void add_rig(std::span<const flesh::Flesh> skins, RigPlan& plan);

}  // namespace rigspace::sumo
