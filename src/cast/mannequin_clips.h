#pragma once
// What the mannequin does: the motions of Thesis table 6.1, one for trousers, and a cartwheel.

#include "puppet.h"

namespace rigspace::mannequin {

std::vector<Animation> clips(const puppet::Skeleton& skeleton);

}  // namespace rigspace::mannequin
