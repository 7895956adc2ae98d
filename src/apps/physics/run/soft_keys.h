#pragma once
// Private to physics: from deviations on the physics grid to keys of a clip.

#include "rigspace/anim/curve.h"
#include "rigspace/apps/physics/simulation.h"

#include <vector>

namespace rigspace {

/// Times of keys, s: `rate` a second from the motion's first time, and its last time.
std::vector<double> key_times(const SoftMotion& motion, double rate);

/// Row `row` of the deviations as a Catmull-Rom curve through the times of the grid.
Curve deviation_curve(const SoftMotion& motion, std::size_t row);

}  // namespace rigspace
