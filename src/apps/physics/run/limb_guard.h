#pragma once
// Private to physics: flesh gives way to limbs and props that the artist put against it.

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/flesh.h"

#include <span>
#include <vector>

namespace rigspace {

/// What a run gave one part, not yet in the clip.
struct Deviations {
  std::span<const double> times;  ///< s; may be more than there are columns
  std::span<const int> controls;  ///< of the rig
  Mat values;                     ///< controls x times
  bool looped = false;
};

/// For each column the share, 0..1, of the deviation for which no point of the part's flesh is deeper in limbs or props
/// than in the animation by more than 0.35 % of the character's largest extent (the test allows 0.5 %). Limbs are the
/// triangles that the part's bones hold by less than a tenth, their inside is where they wind around a point. Measured
/// sixty times a second; between, and to both sides of a touch, the share runs smoothly over a quarter of a second, so
/// that flesh is stopped by a limb and not switched off by it. All ones where nothing touches.
Vec shares_beside_limbs(const Character& character, const KeyedMotion& key, const Part& part,
                        const Deviations& deviations);

}  // namespace rigspace
