#pragma once
// Measures a result against its input on the skin of both, and lists what exceeds the bounds of a first result.

#include "rigspace/anim/character.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// Measurements of a clip and of its simulated version `<clip>_soft`. Lengths are shares of the character's height, its
/// largest extent at the clip's start.
struct ClipCheck {
  std::string clip;
  bool loops = false;          ///< decided from the original clip (decide_play)
  double duration = 0;         ///< s
  double typical = 0;          ///< over time the median of the largest deviation of a point
  double largest = 0;          ///< the largest deviation of a point at any time
  double feet = 0;             ///< the largest deviation of the points that are lowest at the start
  double seam = 0;             ///< of a loop: deviation at its end against its start; of others: the larger of the two
  double step = 0;             ///< the largest change of a deviation within a frame of 1/30 s
  double fast_share = 0;       ///< of the point that moves most: the share of its energy above 12 Hz, 0..1
  double original_change = 0;  ///< how far the original clip of the result is from that of the input
  std::vector<std::string> problems;  ///< one phrase each; empty: the clip passes
};

/// Compares every clip of `original` with `<clip>_soft` in `result`. Clips without that or without duration are left
/// out. Throws Error if the two do not have the same points.
std::vector<ClipCheck> check_result(const Character& original, const Character& result);

}  // namespace rigspace
