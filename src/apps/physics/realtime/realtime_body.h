#pragma once
// Private to physics: a body stepped on a grid along a motion of which only the past is known. What Stepper does, with
// a bounded amount of work a step and no allocation.

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
  /// Without interior unknowns, the rig linear within a step. The body is referred to.
  RealtimeBody(const SteppedBody& body, const RealtimeOptions& options);
  RealtimeBody(const RealtimeBody&) = delete;
  RealtimeBody& operator=(const RealtimeBody&) = delete;

  /// The next pose of the grid, all controls. How far it takes a node from the last one, scene units.
  double observe(In p_key);
  /// To the pose last looked at, a grid step later. Whether the solve converged.
  bool step();
  /// The pose last looked at is one that the body was not simulated in: it joins the past.
  void pass();
  /// The animation begins in the pose last looked at; the way to the next one is taken to have gone on like that
  /// before. The deviation stays; zero: it does not.
  void settle(bool zero);
  /// At rest relative to the animation, in the pose last looked at; the animation's own past stays.
  void rest(bool zero);
  /// On from the state of another body of the same controls; `poses` are those of the grid that both were stepped in,
  /// all controls, the latest first, at least as many as past_poses().
  void take_over(const RealtimeBody& from, std::span<const Vec> poses);
  int past_poses() const { return static_cast<int>(poses_.size()); }

  const Vec& deviation() const { return p_now_; }
  const Vec& deviation_before() const { return p_before_; }
  /// Largest distance of a node from the animation, scene units.
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
  int window_, second_;  // grid steps
  std::optional<DeferredJacobian> lineariser_;
  std::optional<LinearRigMapping> mapping_;
  std::unique_ptr<Workspace> workspace_;
  std::optional<StepTerms> terms_;
  std::unique_ptr<State> solid_state_;
  std::optional<Objective> objective_;
  Newton newton_;
  NewtonWorkspace newton_workspace_;
  Summary summary_;

  Integrator integrator_;                 // of deviations of nodes
  std::vector<Vec> poses_;                // nodes of the last grid poses, a ring
  std::vector<Vec3> means_;               // their means over the last second, a ring
  int pose_ = 0, mean_ = 0;               // the newest
  int fresh_ = 0;                         // grid poses in which the first way is still waited for
  Vec p_now_, p_before_, p_older_;        // deviations of the free controls
  Vec p_key_, x_key_, s_key_, free_key_;  // of the pose last looked at
  Vec q_, from_, x_, y_, d_, p_end_, zero_, target_, forces_, d_before_, speed_;
};

}  // namespace rigspace
