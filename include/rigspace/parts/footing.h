#pragma once
// Whether a character stands or lies on a floor in a clip, by evidence: a fish has none, whatever the clip is called.

#include "rigspace/anim/keyed_motion.h"

#include <string>

namespace rigspace {

struct Footing {
  bool stands = true;
  std::string why;  ///< the rule that decided, after "stands, since" or "has no floor, since"
};

/// Decides by the first of these that applies:
///  1. the clip's name contains swim, fly, hover or float: no floor;
///  2. other clips' names do, and none contains walk, run or crawl; and the character has no joints that are called
///     legs, or its lowest point is more than 6 % of its height from y = 0 at the start of the clip: no floor;
///  3. its lowest point is near y = 0 at rest: files put their floor there;
///  4. it has joints that are called legs: it stands (the origin may be at the hips);
///  5. it is held up: in three of four moments of the clip the lowest point is at one height, within 1 % of the
///     character's, and at the start the mean of its points is above the convex hull of those in the lowest 3 %;
///  6. no floor.
Footing footing_of(const Character& character, const KeyedMotion& motion);

}  // namespace rigspace
