#pragma once
// Points of a rig as linear functions of few other points ("features") that joints, shapes and
// handles move.

#include "rigspace/rig/built_in_rig.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rigspace::bench {

/// Point i of the original rig is s_i = sum over (f, share) in rows[i] of share * y_f, where y are the points of `rig`.
struct MomentFeatures {
  std::string reason;                                     ///< why there are no features; empty: there are
  std::shared_ptr<const Rig> rig;                         ///< the features, with the controls of the original rig
  std::vector<std::vector<std::pair<int, double>>> rows;  ///< one per point; empty for points that are not needed
};

/// A point goes through deformers that are affine in their slots (shapes, clusters, lattices),
///   x' = a + sum_f c_f v_f,  v columns of transforms, points, or b_k e_a,
/// and then a linear skin or none:  x = sum_j w_j C_j x', C_j = T_j G_j. So the features are C_j 0, C_j e_a, C_j v_f.
/// Deformers have no flag for this form, so it is tested at the rest pose and four random ones. `needed`: a flag for
/// each point of the rig. With more than `most` features there is a reason instead.
MomentFeatures moment_features(const BuiltInRig& rig, const std::vector<char>& needed, int most);

}  // namespace rigspace::bench
