#pragma once
// The cartoon man's 91 controls: 59 of his pose, within limits, and 32 of his build.

#include "assembly.h"

namespace rigspace::toon {

void add_rig(const puppet::Skeleton& skeleton, Assembly& assembly);

}  // namespace rigspace::toon
