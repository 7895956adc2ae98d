#pragma once
// The Jacobian of a rig at one pose, with the points there.

#include "rigspace/rig/jacobian.h"

namespace rigspace {

/// A Jacobian that was paid for before (RigPredictor::set_samples).
struct JacobianSample {
  Vec p_key, p;     ///< all controls
  Vec s_key, s;     ///< all points of the rig there
  BlockJacobian J;  ///< ds/dp at p, by the free controls
};

}  // namespace rigspace
