#pragma once
// Private to physics: reduces the deviation of parts whose skin touches the ground.

#include "limb_guard.h"

namespace rigspace {

/// The share, 0..1, of a part's deviation at which its skin that touches the ground moves by at most 1.6 % of the
/// character's largest extent (the test allows 2 %). On the ground are the points in the lowest 3 % of the height at
/// the start of the clip. One share for the whole clip, since a tail that lies on the ground would otherwise slip in
/// jerks. 1 where the character has no floor (rigspace/parts/footing.h), for sheets, where nothing of the part is so
/// low, and for a chain that hangs down and alone is so low.
double share_on_ground(const Character& character, const KeyedMotion& key, const Part& part,
                       const Deviations& deviations);

}  // namespace rigspace
