#pragma once
// Private to physics: how runs on black boxes evaluate few poses. A rig in another process remembers the poses that it
// has evaluated (Traits::remembers_poses): a pose at a time that was evaluated before costs nothing, so all runs
// through a clip use the same grid of times.

#include "fast_body.h"
#include "part_system.h"

#include <cstddef>
#include <vector>

namespace rigspace {

/// Of one run: more than two hours at the default step. A longer clip has keys at wrong times.
constexpr double kMostSteps = 1e6;

/// The times of a run: start + k h, k = 0 .. steps; s.
struct RunGrid {
  double start = 0, h = 0;
  int steps = 1;
};
RunGrid run_grid(const KeyedMotion& motion, const SimulationOptions& options);

/// The number of grid times before and after a run at which its loads evaluate the animation.
int moments_around(const KeyedMotion& motion, const SimulationOptions& options, const RunGrid& grid);

/// The grid time, in a run through the whole clip, that is nearest to `time`, s.
double nearest_moment(const KeyedMotion& motion, double step, double time);

/// Evaluates all points in the artist's poses at all grid times of a run and half a second around it, in batches, so
/// that all parts and passes find them in the rig's memory. Does nothing for rigs that do not remember poses. Throws
/// Cancelled.
void evaluate_keyed_poses(const Character& character, const KeyedMotion& motion, const SimulationOptions& options,
                          const ProgressCallback& progress);

/// The step with which rates are tuned, s: at least 1/48; for a black box a multiple of the run's step that divides the
/// run.
double coarse_step(const KeyedMotion& motion, const SimulationOptions& options);

/// The states of a run at which Jacobians are sampled: 15 a second, at most 120, where controls deviate from the
/// animation; keyed poses that `known` has already are left out. `free`: the controls of the rows of run.deviation.
std::vector<Moment> moments_to_learn(const Run& run, const KeyedMotion& motion, std::span<const int> free,
                                     std::span<const JacobianSample> known);

}  // namespace rigspace
