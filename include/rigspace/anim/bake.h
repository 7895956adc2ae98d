#pragma once
// From motion to keys: poses, stacks and other clips as linear keys at given times.

#include "rigspace/anim/layers.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// 0, 1/rate, 2/rate .. and `duration` itself, in seconds. A last frame that falls short of `duration` by less than a
/// millionth of a frame is moved there.
std::vector<double> frame_times(double duration, double rate);

/// Linear keys from poses: column k of P holds all control values at times[k]. Makes a track for each control in
/// `animated`, the four quaternion controls of a node together as one rotation whose signs do not jump.
Animation keys_from_poses(std::span<const Control> controls, std::span<const int> animated,
                          std::span<const double> times, const Mat& P);

/// What the stack gives at these times, as one absolute clip.
Animation bake(const LayerStack& stack, std::span<const double> times);

/// The same clip with linear keys at a rate, in 1/s, over its duration; tracks of steps are kept as they are, names and
/// extrapolation too. Throws Error if the rate is not positive.
Animation resample(const Animation& animation, double rate);

/// Flips quaternions x y z w so that each is on the same side as the one before: the same rotations, without jumps of
/// sign, so that components may be interpolated.
void make_signs_continuous(std::span<Vec4> quaternions);

}  // namespace rigspace
