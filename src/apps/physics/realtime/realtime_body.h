#pragma once
// Private to physics: a body stepped on a time grid along a motion of which only the past is known. The physics is that
// of Stepper, with a bounded amount of work a step and without allocation.

#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/body/deferred_jacobian.h"
#include "rigspace/body/linear_rig_mapping.h"
#include "rigspace/body/step_terms.h"
#include "run/stepper.h"

#include <optional>
#include <span>
#include <vector>

namespace rigspace {

class RealtimeBody {
 public:
  /// The body must have no interior unknowns and a rig that is linear within a step. It is referred to.
  RealtimeBody(const SteppedBody& body, const RealtimeOptions& options);
  RealtimeBody(const RealtimeBody&) = delete;
  RealtimeBody& operator=(const RealtimeBody&) = delete;

  /// Sets the keyed pose of the next grid time, all controls. Returns the largest distance of a node between this pose
  /// and the last one, scene units.
  double observe(In p_key);
  /// Steps to the observed pose, one grid step later. Returns whether the solve converged.
  bool step();
  /// Adds the observed pose to the past without a step.
  void pass();
  /// Makes the observed pose the start of the animation: the velocity to the next different pose is then assumed for
  /// the past as well. The deviation keeps its values, or becomes 0 if `zero`; its velocity becomes 0.
  void settle(bool zero);
  /// Sets the velocity of the deviation to 0 in the observed pose, and the deviation too if `zero`. The past of the
  /// animation stays.
  void rest(bool zero);
  /// Continues the state of another body with the same controls. `poses`: all controls at the last grid times, latest
  /// first, at least past_poses() of them.
  void take_over(const RealtimeBody& from, std::span<const Vec> poses);
  int past_poses() const { return static_cast<int>(poses_.size()); }

  const Vec& deviation() const { return p_now_; }
  const Vec& deviation_before() const { return p_before_; }
  /// Largest distance of a node from its position in the animation, scene units.
  double reach() const;
  long jacobians() const { return lineariser_->counts().jacobians; }
  const Summary& summary() const { return summary_; }  ///< of the last solve

 private:
  void warm_up();
  const Vec& past(int steps) const;
  const Vec3& past_mean(int steps) const;
  void go_on_backward();
  void set_targets();
  void damp_controls();
  void set_loads();
  void set_keys();
  void solve_from(double share, double ahead);
  void solve();

  const SteppedBody& body_;
  double h_;
  int window_, second_;  // RealtimeOptions::window, and one second, in grid steps
  std::optional<DeferredJacobian> lineariser_;
  std::optional<LinearRigMapping> mapping_;
  std::unique_ptr<Workspace> workspace_;
  std::optional<StepTerms> terms_;
  std::unique_ptr<State> solid_state_;
  std::optional<Objective> objective_;
  Newton newton_;
  NewtonWorkspace newton_workspace_;
  Summary summary_;

  Integrator integrator_;                 // of the node deviations d = x - x_key
  std::vector<Vec> poses_;                // ring buffer: nodes in the last keyed poses of the grid
  std::vector<Vec3> means_;               // ring buffer: mean of the nodes in the keyed poses of the last second
  int pose_ = 0, mean_ = 0;               // index of the newest entry of each
  int fresh_ = 0;                         // after `settle`: grid steps left to wait for the first pose that differs
  Vec p_now_, p_before_, p_older_;        // deviations of the free controls in the last three states
  Vec p_key_, x_key_, s_key_, free_key_;  // observed pose: all controls, nodes, points of the rig, free controls
  Vec q_, from_, x_, y_, d_, p_end_, zero_, target_, forces_, d_before_, speed_;
};

}  // namespace rigspace
