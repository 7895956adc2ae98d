#pragma once
// Peanut's motion. Belly, trunk, tail and ears are left unkeyed: they are for physics, or for the animator.

#include "puppet.h"

namespace rigspace::peanut {

/// Walk (one cycle; the root travels along +Z), Dance, Workout: all loop.
std::vector<Animation> clips(const puppet::Skeleton& skeleton);

}  // namespace rigspace::peanut
