#pragma once
// A dense motion with keys at given times only: those that an animator set in the motion that it was made from.

#include "rigspace/anim/animation.h"

#include <span>
#include <vector>

namespace rigspace {

/// All times at which a clip has keys, ascending, seconds.
std::vector<double> key_times(const Animation& clip);

/// The clip with cubic keys at these times, within its duration, first and last frame among them; values as the clip has
/// them there, slopes by least squares over the frames (the keys of its densest track). Constant tracks keep one key.
Animation with_keys_at(const Animation& clip, std::span<const double> times);

}  // namespace rigspace
