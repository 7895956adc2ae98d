#pragma once
// What the cartoon man does: Walk and Run, both on the spot that his root carries along.

#include "puppet.h"

namespace rigspace::toon {

std::vector<Animation> clips(const puppet::Skeleton& skeleton);

}  // namespace rigspace::toon
