#pragma once
// Private to inverse: what an InverseModel consists of.

#include "relations.h"
#include "rigspace/apps/inverse/inverse_model.h"

#include <memory>

namespace rigspace {

struct InverseModel::Parts {
  const Character& character;
  std::vector<std::string> joints;  // of the character, or none: then points
  std::vector<int> points;
  FeatureRig features;
  PoseCoordinates coordinates;
  RootMotion root;
  FrameOrigin origin;
  bool heading;                      // asked for, and the root turns
  Vec x_rest;                        // features at rest, scene units
  double size = 1;                   // of these
  KernelRegression regression = {};  // from features about the origin, in sizes, to coordinates
  Relations relations = {};
  std::unique_ptr<LearnedJacobian> learned = {};
  std::unique_ptr<LocalRegression> local = {};
  Mat precision = {};           // C^-1 of the examples' coordinates
  double example_variance = 0;  // 99th percentile of the samples' leave-one-out variance
  int example_count = 0;

  Parts(const Character& whose, std::vector<std::string> joint_names, std::vector<int> point_list,
        std::vector<int> controls, FrameOrigin frame_origin, bool with_heading);
};

/// How many times the examples' variance a prediction may have before it counts as a guess.
inline constexpr double kGuess = 4;

}  // namespace rigspace
