#pragma once
// Private to physics: reduces the deviation of flesh where it would penetrate limbs or props.

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/flesh.h"

#include <span>
#include <vector>

namespace rigspace {

/// The deviations of one part in a run.
struct Deviations {
  std::span<const double> times;  ///< s; at least one per column of `values`
  std::span<const int> controls;  ///< controls of the rig, one per row
  Mat values;                     ///< controls x times
  bool looped = false;
};

/// For each column the largest share, 0..1, of the deviation at which no point of the part's flesh is deeper in limbs
/// or props than in the animation by more than 0.35 % of the character's largest extent (the test allows 0.5 %). Limbs
/// are the triangles on which the part's bones have less than a tenth of the weight; a point is inside where their
/// winding number exceeds a half. Measured sixty times a second; before and after a contact the share changes smoothly
/// over a quarter of a second, so that flesh slows down at a limb instead of stopping at once. 1 where nothing touches.
Vec shares_beside_limbs(const Character& character, const KeyedMotion& key, const Part& part,
                        const Deviations& deviations);

}  // namespace rigspace
