#pragma once
// Which controls a drawing may turn, and how far.

#include "rigspace/anim/character.h"
#include "rigspace/apps/sketch/automatic.h"

#include <span>
#include <vector>

namespace rigspace {

struct SketchControlOptions {
  std::vector<int> free;  ///< ascending; empty: all that move the curves, but for those below
  bool scales = false;    ///< scales of joints too: limbs of other lengths
  bool stretch = false;   ///< translations of joints below the root too
  bool shapes = false;    ///< morphs and other plain numbers too; without a skeleton they always count
  bool keep_limits = true;
  /// Joints without limits of their own get those of bodies: angles within 100 degrees of rest, knees and elbows bend
  /// one way and hardly sideways, scales stay between 0.3 and 3 times those of rest (Thesis figure 7.1: unbounded ones
  /// turn limbs inside out).
  bool body_limits = true;
};

struct SketchControls {
  std::vector<int> free;    ///< ascending
  Vec lower, upper;         ///< of each free control; infinite where there is no bound
  Vec unit;                 ///< of each: a large change, by which priors are scaled: 1 rad, the size, the range
  std::vector<int> hinges;  ///< bones that were found to be knees or elbows
};

/// `extended`: the rig with the points of the curves; `points`: those, ascending. `p`: the pose, which bounds contain.
SketchControls sketch_controls(const Character& character, const Rig& extended, std::span<const int> points, In p,
                               const SketchControlOptions& options = {});

}  // namespace rigspace
