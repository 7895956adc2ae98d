#pragma once
// The length of a scene's unit, guessed from the size of its character.

#include "rigspace/base/types.h"

namespace rigspace {

struct SceneUnit {
  double metres = 1;     ///< per unit
  bool guessed = false;  ///< the size is not that of a character in metres
  double size = 0;       ///< units: the largest side
};

/// A character whose largest side is from 0.2 to 10 units is in metres; any other is taken to be 1.7 m large. Without
/// points, or where they are all in one place, the unit is a metre. Points are flattened; sides are along x, y and z.
SceneUnit guess_metres_per_unit(In points);
/// The same from the largest side itself, as of a character in its own frame (anim/character_frame.h).
SceneUnit guess_metres_per_unit(double size);

}  // namespace rigspace
