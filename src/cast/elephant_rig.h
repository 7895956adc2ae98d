#pragma once
// Peanut with joints in place of deformers, for drawing (Thesis table 5.1: elephant, 132 controls).

#include "assembly.h"

namespace rigspace::peanut {

/// 117 angles and shifts, 15 lengths of bones, all within limits but for the pelvis.
void add_drawn_rig(const puppet::Skeleton& skeleton, Assembly& assembly);

}  // namespace rigspace::peanut
