#pragma once
// Private to physics: poses that a body is trained at.

#include "rigspace/anim/character.h"

#include <vector>

namespace rigspace {

/// The rest pose, and seven spread evenly over all clips. `step`: s; for a black box poses are those of the grid of a
/// later run.
std::vector<Vec> training_poses(const Character& character, double step);

}  // namespace rigspace
