#pragma once
// More motions of the hound than its clips, to see how learning goes on with more examples.

#include "rigspace/anim/character.h"

namespace rigspace {

/// A clip of `make_character("hound")` on the same 218 controls: a gait of some strength, sitting, bowing, and every
/// part on its own way, drawn by the seed. Seconds, 30 keys each.
Animation make_hound_motion(const Character& hound, unsigned seed, double duration);

}  // namespace rigspace
