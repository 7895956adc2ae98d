#pragma once
// Private to physics: how runs on black boxes evaluate few poses. A rig in another process keeps the poses that it has
// evaluated (Traits::remembers_poses): a run that evaluates the same moments again costs nothing, other moments do.

#include "fast_body.h"
#include "part_system.h"

#include <cstddef>
#include <vector>

namespace rigspace {

/// The moments of a run: start + k h, k = 0 .. steps.
struct RunGrid {
  double start = 0, h = 0;
  int steps = 1;
};
RunGrid run_grid(const KeyedMotion& motion, const SimulationOptions& options);

/// How many moments before and after a run have a part in it.
int moments_around(const KeyedMotion& motion, const SimulationOptions& options, const RunGrid& grid);

/// The moment of a run through all of a clip that is nearest to a time, s.
double nearest_moment(const KeyedMotion& motion, double step, double time);

/// Asks a rig in another process for the artist's pose at all moments of a run and a second around it, all points, in
/// few batches: all parts and passes will find them. Other rigs remember nothing, and are not asked. Throws Cancelled.
void ask_keyed_poses(const Character& character, const KeyedMotion& motion, const SimulationOptions& options,
                     const ProgressCallback& progress);

/// The step with which rates are tuned, s: at least 1/48, of a black box a multiple of the run's own.
double coarse_step(const KeyedMotion& motion, const SimulationOptions& options);

/// Moments of a run at which Jacobians are asked for: some a second, at most so many, where controls are away from the
/// animation; beside those whose keyed pose is known. `free`: the controls of its rows.
std::vector<Moment> moments_to_learn(const Run& run, const KeyedMotion& motion, std::span<const int> free,
                                     std::span<const JacobianSample> known);

}  // namespace rigspace
