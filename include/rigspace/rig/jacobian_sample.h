#pragma once
// The Jacobian of a rig at one pose, with the points there.

#include "rigspace/rig/jacobian.h"

namespace rigspace {

/// A Jacobian that was evaluated before, for reuse (RigPredictor::set_samples).
struct JacobianSample {
  Vec p_key, p;     ///< all controls: of the keyed pose, and where J is
  Vec s_key, s;     ///< all points of the rig at p_key and at p
  BlockJacobian J;  ///< ds/dp at p, by the free controls
};

}  // namespace rigspace
