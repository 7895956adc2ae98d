#pragma once
// What turns and shapes the dragon: all joints and bones of a part by itself, 25 controls of the whole.

#include "assembly.h"
#include "dragon_parts.h"

namespace rigspace::dragon {

/// Groups: "place" (where the part sits, and how large it is), "pose", "shape" (length and girth of its bones). Wings
/// and legs come in pairs that mirror each other.
void add_part_rig(Kind kind, const puppet::Skeleton& skeleton, Assembly& assembly);

/// 25 controls, each for a row of joints.
void add_whole_rig(const puppet::Skeleton& skeleton, Assembly& assembly);

/// A moment of a part's clip, `phase` 0 to 1 of its cycle; `effort` scales it. Shifts no root.
void pose_part(Kind kind, const puppet::Skeleton& skeleton, double phase, double effort, puppet::Pose& pose);

/// A part by itself: one loop, Breathe, Flap, Nod, Wag or Step.
std::vector<Animation> part_clips(Kind kind, const puppet::Skeleton& skeleton);
/// The whole: Fly and Walk.
std::vector<Animation> whole_clips(const puppet::Skeleton& skeleton);

}  // namespace rigspace::dragon
