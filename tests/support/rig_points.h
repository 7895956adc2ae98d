#pragma once
// All points of a rig in a pose, for tests that need no workspace of their own.

#include "rigspace/rig/rig.h"

namespace rigspace::testing {

/// s(p), flattened, in the rig's units; p: all controls.
inline Vec points_at(const Rig& rig, In p) {
  Vec s(3 * rig.point_count());
  rig.evaluate(*rig.make_workspace(), p, s);
  return s;
}

}  // namespace rigspace::testing
