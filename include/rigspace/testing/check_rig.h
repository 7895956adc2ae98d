#pragma once
// Checks a rig, yours or ours, against the laws that everything above it relies on.

#include "rigspace/rig/rig.h"
#include "rigspace/testing/laws.h"

#include <cstdint>

namespace rigspace::testing {

struct CheckRigOptions {
  int poses = 3;      ///< random poses besides the rest pose
  double spread = 1;  ///< of the poses, in each control's typical change
  double tolerance =
      1e-6;  ///< of Jacobians against differences, relative to the largest entry; raise it for noisy rigs
  std::uint32_t seed = 1;
  bool require_motion = true;  ///< a rig that no control moves breaks the law
};

/// At the rest pose and at random ones, a little inside all limits: evaluate repeats itself to the bit and is finite; a
/// batch equals single evaluations; the Jacobian equals differences, and has no entries outside its columns; a subset
/// of free controls gives those columns; pull is the transpose; restricted agrees at its points, with its own Jacobian.
LawReport check_rig(const Rig& rig, const CheckRigOptions& options = {});

/// A pose within limits: rest + spread * typical * uniform(-1, 1); keyed orientations of random direction.
Vec random_pose(const Rig& rig, double spread, std::uint32_t seed);

}  // namespace rigspace::testing
