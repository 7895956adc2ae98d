#pragma once

#include "rigspace/anim/animation.h"

namespace rigspace {

/// The rate, in 1/s, at which most keys of a clip stand, over all of its tracks: whole, or one of film's (24000/1001,
/// 30000/1001 ..), where it is within a ten-thousandth of one. Where times were rounded to milliseconds, so that the
/// spacing is uneven, the whole rate within 2 %, or film's if a clip of more than 5 s is nearer to that. 30 where keys
/// are sparse (fewer than 12 a second) or absent.
double key_rate(const Animation& animation);

}  // namespace rigspace
