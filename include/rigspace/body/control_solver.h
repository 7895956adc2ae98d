#pragma once
// Points of a rig brought to targets by its free controls alone, without a body: a prior keeps controls near a pose,
// limits hold, far targets are led there in steps. For a body that resists, see rig_space_simulation.h.

#include "rigspace/base/progress.h"
#include "rigspace/body/control_mapping.h"
#include "rigspace/energy/pull.h"
#include "rigspace/energy/rods.h"
#include "rigspace/optimize/newton.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct ControlSolverOptions {
  std::vector<int> points;     ///< of the rig; targets come in this order
  std::vector<int> free;       ///< controls, ascending
  double prior = 1e-4;         ///< of a control that is a typical change away, beside a target missed by the size
  bool keep_limits = true;     ///< free controls stay within their limits
  double longest_step = 0.15;  ///< share of the size: a target farther away is led there in steps
  double reach = 0.01;         ///< share of the size: a target this near is reached
  double strengthening = 100;  ///< factor by which pulls may be strengthened that end short of their targets; 1: none
  double tolerance = 1e-8;     ///< see NewtonOptions::gradient_tolerance
  int max_iterations = 100;    ///< of a solve

  void validate() const;
};

/// Minimises  sum_k |x_k(p) - t_k|^2 / (2 size^2) + prior/2 sum_c ((p_c - prior_c) / typical_c)^2  over the free
/// controls.
class ControlSolver {
 public:
  /// In the pose p, all controls, which is the prior too. Throws Error for points or controls that are not there.
  ControlSolver(std::shared_ptr<const Rig> rig, In p, const ControlSolverOptions& options);
  ~ControlSolver();
  ControlSolver(const ControlSolver&) = delete;
  ControlSolver& operator=(const ControlSolver&) = delete;

  /// All controls: where the keyed ones are, and what the prior holds the free ones to. The pose stays.
  void set_prior(In p);
  /// Starts the next solve from this pose, all controls.
  void restart(In p);

  /// A further energy of the chosen points, in units of the pulls' (a target missed by the size costs 1/2). Referred
  /// to.
  void add(std::string name, const Energy& energy, double weight = 1);

  /// From the last pose. Throws Cancelled, and Error if a target is not finite.
  Summary solve(std::span<const Vec3> targets, const ProgressCallback& progress = {});

  const Vec& controls() const { return p_; }  ///< all
  Vec3 position(int k) const;                 ///< of chosen point k, scene units
  bool reached(int k) const;                  ///< within options().reach of the last target
  double size() const { return size_; }       ///< of the rig at rest, scene units: diagonal of its box

 private:
  bool settle(const ProgressCallback& progress);

  ControlSolverOptions options_;
  double size_;
  ControlMapping mapping_;
  Vec p_, x_;
  std::unique_ptr<Pulls> pulls_;
  std::unique_ptr<CoordinatePrior> prior_;
  Objective objective_;
  Newton newton_;
  NewtonWorkspace workspace_;
  Summary summary_;
};

}  // namespace rigspace
