#pragma once
// Private to physics: a low-pass filter for oscillations that are too fast to be seen as motion.

#include "rigspace/base/types.h"

#include <span>

namespace rigspace {

/// Filters some rows of a deviation that is sampled every h seconds, if frequencies above 12 Hz have more than 0.8 % of
/// their energy (docs/default-look.md, "quick ripples"): each value becomes the mean under a triangle of 1/30 s to
/// each side, at most three times over. In a loop the last column equals the first. Returns the largest change of a
/// value, as a share of the largest value of its row; 0 where nothing is filtered.
double calm_ripples(Mat& deviation, std::span<const int> rows, double h, bool looped);

}  // namespace rigspace
