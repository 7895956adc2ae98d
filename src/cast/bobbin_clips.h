#pragma once
// Bobbin's motion. Tail and ears are left unkeyed: they are for physics, or for the animator.

#include "puppet.h"

namespace rigspace::bobbin {

/// Walk (one cycle; the root travels along +Z), Hop, Idle.
std::vector<Animation> clips(const puppet::Skeleton& skeleton);

}  // namespace rigspace::bobbin
