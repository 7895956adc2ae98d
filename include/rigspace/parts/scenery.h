#pragma once
// Floors, pedestals, skies: pieces of a file that are no part of its character.

#include "rigspace/anim/character.h"

#include <vector>

namespace rigspace {

/// Indices of the pieces that stand still while others move, and hang on no bone that holds other pieces, where
///  - joints hold the skin of others, and none holds this piece; or
///  - it lies whole beneath what moves, is wider than half of that, and does not carry it: a floor, a pedestal; or
///  - it encloses what moves: a sky, a room; or
///  - its name, or its material's, says floor, ground, sky and the like.
/// None where no clip moves anything.
std::vector<int> scenery_of(const Character& character);

/// The same character, which measures as if its scenery were not there: points keep their indices, controls, bones and
/// clips stay; the scenery's points lie in one place inside the character and go along with its largest bone, without
/// triangles, and no bone counts as holding them. The same object where there is no scenery, or the rig is no built-in
/// one.
Character without_scenery(Character character);

}  // namespace rigspace
