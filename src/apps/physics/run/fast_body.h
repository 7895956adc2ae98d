#pragma once
// Private to physics: bodies of the animator's setting with their controls as only unknowns, and few elements (Thesis
// 4, and cubature beyond it). What is trained depends on shape and rig alone, not on settings.

#include "rigspace/reduce/body_cubature.h"
#include "rigspace/reduce/shaking.h"
#include "rigspace/reduce/volumetric_skinning.h"
#include "stepper.h"

#include <span>

namespace rigspace {

/// What training leaves: how the inside follows the skin, and which elements and masses stand for all.
struct Reduction {
  CarrierWeights interior;  ///< one per node; those of nodes that are not inside are not read
  BlockJacobian response;   ///< per node (interior_response.h)
  BodyCubature cubature;
  /// Of a black box, and of the points of the body: nothing that steps need ask again.
  std::shared_ptr<const std::vector<JacobianSample>> known;
};

struct ReductionOptions {
  std::span<const Vec> poses = {};  ///< to train at, all controls
  MaterialKind material = MaterialKind::stable_neo_hookean;
  double amplitude = 0.15;  ///< see ShakeOptions
  bool use_cache = false;   ///< from the cache, and into it
};

/// Throws Cancelled.
Reduction train_reduction(const SteppedBody& body, const ReductionOptions& options,
                          const ProgressCallback& progress = {});

/// A state of a run: all controls in the keyed pose, and as simulated.
struct Moment {
  Vec p_key, p;
};

/// How far the elastic forces on the controls of few elements are from those of all, r.m.s. over moments of a motion,
/// relative; forces in units of each control's typical change. What was trained need not hold for every motion.
double sampling_error(const SteppedBody& few, const SteppedBody& all, MaterialKind material,
                      std::span<const Moment> moments);

/// The body with the inside carried and the rig linear within a step; all nodes, or those that the cubature touches.
SteppedBody reduced(const SteppedBody& body, const Reduction& reduction, bool all_elements);

}  // namespace rigspace
