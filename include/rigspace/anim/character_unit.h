#pragma once
// The length of the unit of a character's scene, guessed from its size, else from the pace of its walk.

#include "rigspace/anim/character.h"
#include "rigspace/geometry/scene_unit.h"

namespace rigspace {

struct CharacterUnit : SceneUnit {
  bool by_pace = false;  ///< guessed from the period of its strides, since the size is not that of a character in metres
};

/// guess_metres_per_unit of the surface at rest. Where that is a guess and the character has a walk that loops, its
/// pace decides: legs swing like pendulums, and people and animals of all sizes walk near f = 1.75 sqrt(g / l) / 2 pi
/// strides a second on legs of length l, so that the period of the walk gives l in metres; half of the height, in
/// units, is about as long. Without a walk a jog (factor 2.6), a run (2.9), a trot (3) or a gallop (4) does the same;
/// a clip of several strides counts by one of them. A unit that is common (m, dm, inch, cm, mm) is taken where that is within a factor of 1.6.
CharacterUnit guess_unit(const Character& character);

}  // namespace rigspace
