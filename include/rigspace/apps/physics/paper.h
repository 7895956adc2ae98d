#pragma once
// Rig-space physics with the choices that the papers print, for comparisons (RSP 3, 4; Thesis 3, 4): one body for the
// whole character, without stress in the rest pose; gravity; implicit Euler; steps of 0.01 s (Thesis 7); at most 20
// iterations to a gradient of 0.001 (Thesis 3.2); BFGS, with its corrected update, for the block of the controls;
// strong Wolfe conditions; differences of 0.001 for black boxes (3.51); each solve starts from the last state. Printed
// equations that do not hold are replaced as docs/corrections.md lists.

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/body/rig_space_simulation.h"

namespace rigspace {

struct PaperOptions {
  double gradient = 0.001;    ///< norm over nodes (N) and controls (N m per unit of the control) at which a solve ends
  int iterations = 20;        ///< at most, a step
  double difference = 0.001;  ///< step of the differences of a black box, in the unit of each control (radians)
  double young = 5e4;         ///< Pa, where SimulationOptions::young is 0; the papers do not print theirs
  double cell = 0.03;         ///< edge of the lattice cubes that fill the body, as a share of its diagonal
};

/// One step, as the table of --report lists it.
struct PaperStep {
  double time = 0;  ///< s, at the end of the step
  int iterations = 0, halvings = 0;
  long rig_evaluations = 0;
  double gradient = 0;  ///< N: norm of the gradient at the end
  double residual = 0;  ///< the same relative to the sum of the norms of the energy terms' gradients
  bool converged = true;
  bool inverted = false;   ///< an element is inside out at the end that was not at the start
  bool recovered = false;  ///< the numbers were not finite: the body kept its controls from before the step
};

/// A run and the data of its body. Lengths in scene units.
struct PaperRun {
  SoftMotion motion;
  std::vector<PaperStep> steps;
  RigBody body;
  Vec masses;             ///< kg, per node
  std::vector<int> free;  ///< simulated controls of the rig, ascending
  Mat J;                  ///< d (skin nodes, flattened) / d (free controls), at the rest pose
  Mat controls;           ///< values of the free controls, a column for each time of `motion`
  Mat nodes;              ///< coordinates of all nodes, a column for each time of `motion`
};

/// Simulates the controls of all parts in one solve. PartSettings are not used. Throws Error, and Cancelled.
PaperRun run_paper(const Character& character, const Animation* clip, std::span<const Part> parts,
                   const SimulationOptions& options, const ProgressCallback& progress = {});

/// The rig with derivatives by central differences, the same step for all controls, as (3.51).
std::shared_ptr<const Rig> with_printed_differences(std::shared_ptr<const Rig> rig, double step);

}  // namespace rigspace
