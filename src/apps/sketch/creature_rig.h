#pragma once
// Private to sketch: the parts of a creature as one character.

#include "rigspace/apps/sketch/individual.h"

namespace rigspace {

/// See Creature::character. Parts that are attached go with the bone of their carrier.
Character whole_creature(std::string name, std::span<const CreaturePart> database, std::span<const FittedPart> parts);

}  // namespace rigspace
