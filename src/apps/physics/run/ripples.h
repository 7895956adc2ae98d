#pragma once
// Private to physics: what is too quick to be seen as motion.

#include "rigspace/base/types.h"

#include <span>

namespace rigspace {

/// Takes ripples above 12 Hz out of some rows of a deviation that is sampled every h seconds, where they hold more than
/// 0.8 % of its energy (docs/default-settings.md, "quick ripples"): by means under a triangle of 1/30 s to each side.
/// A loop's last column is its first again.
void calm_ripples(Mat& deviation, std::span<const int> rows, double h, bool looped);

}  // namespace rigspace
