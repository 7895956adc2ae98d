#pragma once
// The sumo wrestler's motion. Belly, chest, cheeks and hair are left to physics.

#include "puppet.h"

namespace rigspace::sumo {

/// Stomp (shiko: a leg goes up and stamps on the ground) and HeadShake; both end as they began.
std::vector<Animation> clips(const puppet::Skeleton& skeleton);

}  // namespace rigspace::sumo
