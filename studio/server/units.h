#pragma once
// Values as people see them: degrees for angles, everything else in its own unit.

#include "rigspace/rig/control.h"

#include <numbers>

namespace rigspace::studio {

inline constexpr double kDegrees = 180 / std::numbers::pi;  ///< of a radian

/// How many shown units are one of the rig's.
inline double shown_units(const Control& control) { return control.unit == Unit::angle ? kDegrees : 1; }

}  // namespace rigspace::studio
