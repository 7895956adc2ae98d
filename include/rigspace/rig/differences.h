#pragma once
// Derivatives of a rig that gives none: central differences with steps scaled to each control and to the rig's noise.

#include "rigspace/rig/rig.h"

namespace rigspace {

struct DifferenceOptions {
  double relative_step = 1e-5;  ///< of each control's `typical`, for a rig without noise
  double drop_below = 0;        ///< entries of J (scene units per typical change) below this are left out as zero

  void validate() const;
};

/// ds/dp by central differences (docs/corrections.md, "finite-difference step"). Where the
/// rig's traits state noise sigma, the step grows to typical * cbrt(sigma / size), the balance of noise and truncation.
/// One-sided at a limit. One call of evaluate_batch.
void difference_jacobian(const Rig&, Workspace&, In p, std::span<const int> free, BlockJacobian&,
                         const DifferenceOptions& = {});

/// Noise of the rig near p in scene units: the standard deviation of coordinates that is left after removing smooth
/// dependence on a tiny move along all controls, from a table of differences (Moré and Wild 2011). Zero if the rig is
/// exact to rounding. Costs nine evaluations.
double estimate_noise(const Rig&, Workspace&, In p);

}  // namespace rigspace
