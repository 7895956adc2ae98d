#pragma once
// Private to physics: points of a rig as linear functions of few others, which joints, shapes and handles move.

#include "rigspace/rig/built_in_rig.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rigspace {

/// s_i = sum of share * y_f over rows[i], y the points of `rig`, which has the same controls.
struct MomentFeatures {
  std::string reason;  ///< why there are none
  std::shared_ptr<const Rig> rig;
  std::vector<std::vector<std::pair<int, double>>> rows;  ///< of the points needed; of others empty
};

/// A point goes through deformers that are affine in their slots (shapes, clusters, lattices),
///   x' = a + sum_f c_f v_f,  v columns of transforms, points, or b_k e_a,
/// and then a linear skin or none:  x = sum_j w_j C_j x', C_j = T_j G_j. So the features are C_j 0, C_j e_a, C_j v_f.
/// That it is so is tested at poses, since deformers do not tell.
MomentFeatures moment_features(const BuiltInRig& rig, const std::vector<char>& needed, int most);

}  // namespace rigspace
