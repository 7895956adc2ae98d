#pragma once
// A character as something that others run into.

#include "rigspace/anim/character.h"
#include "rigspace/energy/obstacle.h"

#include <string>

namespace rigspace {

/// A character's surface along one of its clips (none: at rest), for ever: loops go on, others stay at their end.
Obstacle obstacle_of(Character character, const std::string& clip);

}  // namespace rigspace
