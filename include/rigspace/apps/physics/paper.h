#pragma once
// Rig-space physics with every choice as printed, for those who compare (RSP 3, 4; Thesis 3, 4): the whole body, rest
// shape and rest pose one, gravity, implicit Euler, steps of 0.01 s (Thesis 7), at most 20 iterations to a gradient of
// 0.001 (Thesis 3.2), BFGS for the block of the controls, strong Wolfe conditions, differences of 0.001 for black boxes
// (3.51), started from the present state. Printed equations that do not hold are replaced as
// docs/corrections.md lists.

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/body/rig_space_simulation.h"

namespace rigspace {

struct PaperOptions {
  double gradient = 0.001;  ///< N, and N m or N times metres per unit of a control: the norm over nodes and controls
  int iterations = 20;
  double difference = 0.001;  ///< of every control of a black box, in its own unit (radians)
  double young = 5e4;         ///< Pa, where SimulationOptions has none; no paper says theirs
  double cell = 0.03;         ///< of the diagonal: edge of the cubes that fill the body
};

/// One step, as reports list it.
struct PaperStep {
  double time = 0;  ///< s, at its end
  int iterations = 0, halvings = 0;
  long rig_evaluations = 0;
  double gradient = 0;  ///< N: the norm at its end
  double residual = 0;  ///< the same relative to the sum of the terms' norms
  bool converged = true;
};

/// A run with all that it was made of. Lengths in scene units.
struct PaperRun {
  SoftMotion motion;
  std::vector<PaperStep> steps;
  RigBody body;
  Vec masses;             ///< kg, per node
  std::vector<int> free;  ///< controls, ascending
  Mat J;                  ///< d (skin nodes, flattened) / d (free controls), at the rest pose
  Mat controls;           ///< free controls x moments, absolute
  Mat nodes;              ///< coordinates x moments
};

/// Free are the controls of the parts, all in one solve; settings of parts do not count. Throws Cancelled.
PaperRun run_paper(const Character& character, const Animation* clip, std::span<const Part> parts,
                   const SimulationOptions& options, const ProgressCallback& progress = {});

/// A rig whose derivatives are central differences with one step for all controls, as (3.51).
std::shared_ptr<const Rig> with_printed_differences(std::shared_ptr<const Rig> rig, double step);

}  // namespace rigspace
