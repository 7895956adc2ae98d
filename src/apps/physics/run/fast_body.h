#pragma once
// Private to physics: bodies that follow an animation, reduced to their controls as only unknowns (Thesis 4) and to few
// elements (cubature). Training depends on shape, rig and material, not on PartSettings.

#include "rigspace/reduce/body_cubature.h"
#include "rigspace/reduce/shaking.h"
#include "rigspace/reduce/volumetric_skinning.h"
#include "stepper.h"

#include <span>

namespace rigspace {

/// The result of training.
struct Reduction {
  CarrierWeights interior;  ///< carriers of interior nodes, one list per node; lists of other nodes are not read
  BlockJacobian response;   ///< displacement of interior nodes per free control (interior_response.h)
  Mat shapes;               ///< of the inside, in the frame of the rest pose (inside_shapes.h): a column each
  Vec shapes_typical;       ///< of each shape: an ordinary amount
  BodyCubature cubature;    ///< the elements and masses that are evaluated
  /// For a black box: Jacobians of the points of the body, sampled in training, from which steps predict theirs.
  std::shared_ptr<const std::vector<JacobianSample>> known;
  std::shared_ptr<const TrainedRange> trained;  ///< the deviations of the shakes; null: not known
};

struct ReductionOptions {
  std::span<const Vec> poses = {};  ///< poses to train at, all controls
  MaterialKind material = MaterialKind::stable_neo_hookean;
  double amplitude = 0.15;  ///< see ShakeOptions
  double quality = 0.5;     ///< see SimulationOptions
  bool use_cache = false;   ///< reads the result from the cache and writes it there
};

/// Throws Cancelled.
Reduction train_reduction(const SteppedBody& body, const ReductionOptions& options,
                          const ProgressCallback& progress = {});

/// All numbers of a reduction, for the keys of what follows from it.
std::vector<std::byte> content_of(const Reduction& reduction);

/// A state of a run: all controls in the keyed pose, and as simulated.
struct Moment {
  Vec p_key, p;
};

/// Relative r.m.s. error, over the states `moments`, of the elastic forces on the controls by the sampled elements
/// against those by all. Forces are multiplied by each control's typical change. This checks the training on a motion
/// that it was not trained on.
double sampling_error(const SteppedBody& few, const SteppedBody& all, MaterialKind material,
                      std::span<const Moment> moments);

/// The body with interior nodes carried by the skin and the rig linear within a step; with all nodes and elements, or
/// with those of the cubature; with the shapes of its inside beside the controls.
SteppedBody reduced(const SteppedBody& body, const Reduction& reduction, bool all_elements);
/// What `reduced` with sampled elements does to the settings of a body (PartSystem::settings): its factors and the
/// stiffness of its reach limit. `nodes`: of the body before.
void sample_settings(const Reduction& reduction, int nodes, SteppedBody& settings);

}  // namespace rigspace
