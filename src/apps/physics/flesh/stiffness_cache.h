#pragma once
// Private to physics: cached fits of control_stiffness.

#include "rigspace/apps/physics/control_stiffness.h"

namespace rigspace {

/// control_stiffness with its default options, from the cache where the same body was fitted to the same scales
/// (ControlStiffness::from_cache), and into it. The key holds the rig's Jacobian at rest, on which alone
/// a fit depends.
ControlStiffness cached_stiffness(const ControlledBody& body, std::span<const double> scales,
                                  const ProgressCallback& progress = {});

}  // namespace rigspace
