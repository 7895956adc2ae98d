#pragma once
// What the fast rows of `bench fast` train, and how long that takes.

#include "rsp_scenes.h"

#include "rigspace/apps/physics/body_cubature.h"
#include "rigspace/apps/physics/volumetric_skinning.h"

namespace rigspace::bench {

struct FastTraining {
  std::vector<ExamplePose> examples;
  SkinnedInterior interior;
  BodyCubature cubature;
  RigBody skinned, sampled;
  double shaking_seconds = 0, skinning_seconds = 0, cubature_seconds = 0;

  double seconds() const { return shaking_seconds + skinning_seconds + cubature_seconds; }
};

struct FastTrainingOptions {
  std::vector<Vec> poses;   ///< all controls
  double amplitude = 0.08;  ///< see ShakeOptions
  double tolerance = 0.03;  ///< of the cubature
  int most = 1000;          ///< elements of it
};

/// In the papers' setting: the rest shape is that of the bind pose, the inside carried in absolute form. (The response
/// of the inside, taken at rest, does not help there: under gravity and in keyed poses bodies are far from rest.)
FastTraining train(const RspSetup& setup, const FastTrainingOptions& options);

}  // namespace rigspace::bench
