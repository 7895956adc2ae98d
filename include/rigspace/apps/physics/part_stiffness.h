#pragma once
// Rig-space materials (RSP 5) for parts that move controls of the rig: `belly_front=4` makes those controls four times
// as stiff as the homogeneous part has them.

#include "rigspace/apps/physics/control_stiffness.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/parts/part.h"

#include <span>
#include <string>
#include <string_view>

namespace rigspace {

/// `pattern=S` on controls, their nodes or their groups: Part::stiffness of all that match. Throws Error if that is no
/// control of a part, or S is not positive.
void set_stiffness(const Character& character, std::span<Part> parts, std::string_view pattern_and_scale);

/// Gives the solid of a part (with_solid) the factors for Part::stiffness; nothing changes where there is neither. The
/// rates of the settings stay those of the homogeneous part: what scales above 1 touch swings faster than that.
ControlStiffness stiffen(const Character& character, Part& part, const SimulationOptions& options = {});

}  // namespace rigspace
