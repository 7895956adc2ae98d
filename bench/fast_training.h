#pragma once
// What the fast rows of `bench fast` train, and how long that takes.

#include "rsp_scenes.h"

#include "rigspace/body/interior_response.h"
#include "rigspace/reduce/cubature_quality.h"
#include "rigspace/reduce/volumetric_skinning.h"

#include <optional>

namespace rigspace::bench {

struct FastTraining {
  std::vector<ExamplePose> examples;
  SkinnedInterior interior;
  BodyCubature cubature;
  LoadedResponse response;
  std::vector<LoadedPose> loaded;  ///< where the body hangs
  RigBody weights_only;            ///< as in the Thesis, without the response
  RigBody skinned, sampled;
  double balance_seconds = 0, shaking_seconds = 0, skinning_seconds = 0, cubature_seconds = 0;

  double seconds() const { return balance_seconds + shaking_seconds + skinning_seconds + cubature_seconds; }
};

struct FastTrainingOptions {
  std::vector<Vec> poses;            ///< all controls: in which it is shaken
  std::vector<Vec> hung;             ///< all controls: in which its balance under gravity is found; empty: in the same
  double amplitude = 0.08;           ///< see ShakeOptions
  double quality = kDefaultQuality;  ///< of the cubature, with_quality; the default is what `simulate` ships
};

/// In the papers' setting: the rest shape is that of the bind pose, the inside carried in absolute form, with its
/// response about the balance under gravity in each of the poses.
FastTraining train(const RspSetup& setup, const FastTrainingOptions& options);

struct FastScene;
/// Trained on the scene's own clip, with the defaults above.
FastTraining train_for(const FastScene& scene, const RspSetup& setup);

/// Other elements for what is trained: of another quality.
void train_elements(const RspSetup& setup, double quality, FastTraining& trained);

/// The least and the most of a body's inertia over the motions of its controls, where that of all nodes is 1.
struct InertiaRange {
  double lowest = 1, highest = 1;
};
struct InertiaReport {
  InertiaRange few;                     ///< of the masses that the few elements' nodes have
  InertiaRange weights;                 ///< of all nodes, with the inside by weights alone
  std::optional<InertiaRange> moments;  ///< of mass moments (mass_moments.h); none of rigs that do not have them
};
InertiaReport report_inertia(const RspSetup& setup, const FastTraining& trained);

}  // namespace rigspace::bench
