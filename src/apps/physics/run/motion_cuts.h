#pragma once
// Private to physics: jumps within a clip, which are no motion: a root that is put back, a key that flips a tail.

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/rig/control.h"

#include <span>
#include <vector>

namespace rigspace {

/// A stretch of a clip, s, within which a control jumps.
struct Cut {
  double from = 0, to = 0;
};

/// In order of time, without overlap, over one turn. A control jumps while it changes faster than 1800 degrees, or six
/// times the scene's size, a second, six times as fast as in four fifths of the clip, and for at most 0.12 s: wheels,
/// spins and dashes are none.
std::vector<Cut> motion_cuts(const KeyedMotion& motion, std::span<const Control> controls);

}  // namespace rigspace
