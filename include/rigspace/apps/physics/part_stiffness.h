#pragma once
// Rig-space materials (RSP 5) for parts that move controls of the rig: `belly_front=4` makes these controls four times
// as stiff as they are in a homogeneous part.

#include "rigspace/apps/physics/control_stiffness.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/parts/part.h"

#include <span>
#include <string>
#include <string_view>

namespace rigspace {

/// `pattern=S`: sets Part::stiffness to S for all controls of parts whose name, node or group matches the pattern.
/// Throws Error if none does, or if S is not positive.
void set_stiffness(const Character& character, std::span<Part> parts, std::string_view pattern_and_scale);

/// Gives the solid of a part (with_solid) the factors for Part::stiffness; nothing changes where there is neither. The
/// rates of the settings stay those of the homogeneous part: what scales above 1 touch swings faster than that.
ControlStiffness stiffen(const Character& character, Part& part, const SimulationOptions& options = {},
                         const ProgressCallback& progress = {});

}  // namespace rigspace
