#pragma once
// Skin weights from a mesh that moves: bones' motions are given, and the weights that follow the mesh best are found
// (the weight step of Le and Deng, Smooth Skinning Decomposition with Rigid Bones, 2012).

#include "rigspace/base/types.h"
#include "rigspace/rig/deformer.h"

#include <span>
#include <vector>

namespace rigspace {

struct MotionWeightOptions {
  int keep = 4;         ///< influences of a point at most
  int candidates = 12;  ///< joints that a point is fitted to: those that carry it best alone
  double drop_below = 1e-3;

  void validate() const;
};

struct MotionWeights {
  std::vector<std::vector<Influence>> influences;  ///< one list per point, joints ascending; positive, sum 1
  double rms = 0;                                  ///< distance from the examples, scene units
};

/// Per point  min sum_t |sum_j w_j C_j(t) X - x(t)|^2,  w >= 0, sum w = 1, and again with the largest `keep` alone.
/// motions[t][j] takes the rest shape to frame t: world_j * inverse_bind_j. frames[t]: all points, flattened. Throws
/// Error if sizes differ or there is no frame.
MotionWeights motion_weights(In rest, std::span<const std::vector<Affine>> motions, std::span<const Vec> frames,
                             const MotionWeightOptions& options = {});

}  // namespace rigspace
