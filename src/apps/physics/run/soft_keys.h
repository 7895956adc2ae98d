#pragma once
// Private to physics: deviations on the physics grid as keys of a clip.

#include "rigspace/anim/curve.h"
#include "rigspace/apps/physics/simulation.h"

#include <vector>

namespace rigspace {

/// s: from the motion's first time to its last, both included, `rate` a second.
std::vector<double> key_times(const SoftMotion& motion, double rate);

/// A deviation between the grid's times.
Curve deviation_curve(const SoftMotion& motion, std::size_t row);

}  // namespace rigspace
