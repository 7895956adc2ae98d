#pragma once
// A character as an obstacle of other bodies.

#include "rigspace/anim/character.h"
#include "rigspace/energy/obstacle.h"

#include <string>

namespace rigspace {

/// The character's surface, moved by one of its clips (empty name: at rest). A clip that loops repeats, any other stays
/// at its last pose. The obstacle owns the character.
Obstacle obstacle_of(Character character, const std::string& clip);

}  // namespace rigspace
