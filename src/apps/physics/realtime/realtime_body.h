#pragma once
// Private to physics: a body stepped on a time grid along a motion of which only the past is known. The physics is that
// of Stepper, with a bounded amount of work a step and without allocation.
//
// Its time is `window` behind the newest pose, so that loads are taken from poses before and after that time, as
// Stepper takes them: the motion is that of Stepper, later.

#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/body/deferred_jacobian.h"
#include "rigspace/body/linear_rig_mapping.h"
#include "rigspace/body/rig_predictor.h"
#include "rigspace/body/step_terms.h"
#include "run/drive_meter.h"
#include "run/stepper.h"

#include <chrono>
#include <optional>
#include <span>
#include <vector>

namespace rigspace {

/// RealtimeOptions::window in grid steps.
int window_steps(const RealtimeOptions& options);

/// The time at which a call of RealtimeRig::step should end.
struct Deadline {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> at;  ///< none: at any time

  bool passed() const { return at && Clock::now() >= *at; }
};

/// How a part is held where the animation is wilder than the clip that it was tuned on, as in Tuner::hold_by_drive and
/// Tuner::scale_to_limit. Those measure a whole clip; here the last two seconds are measured.
struct RealtimeHold {
  double gain = 0;     ///< PartTuning::gain times load and amount; 0: it is never held
  double rate = 0;     ///< Hz
  double settle = 1;   ///< s
  double length = 1;   ///< scene units
  bool flesh = false;  ///< its swing is a share of the length; of a chain it is an angle
  double scaling = 1;  ///< factor on the deviation (TunedPart::scaling)
};

class RealtimeBody {
 public:
  /// The body must have no interior unknowns and a rig that is linear within a step. It is referred to.
  /// `character_size`: scene units. `holds`: one a group of the body. `limbs`: skin that it meets, or null; referred
  /// to. `collisions`: obstacles, friction and self contact; copied.
  /// `elastic`: the Hessian of the body's elements at unit stiffness, on the free controls (LightBody::stiffness), with
  /// which steps are solved as long as that converges; referred to; null or empty: with the elements' own.
  RealtimeBody(const SteppedBody& body, const RealtimeOptions& options, double character_size,
               std::span<const RealtimeHold> holds, const LimbMesh* limbs = nullptr, const Collisions& collisions = {},
               const Mat* elastic = nullptr);
  RealtimeBody(const RealtimeBody&) = delete;
  RealtimeBody& operator=(const RealtimeBody&) = delete;
  ~RealtimeBody();

  /// Sets the keyed pose of the next grid time, all controls. `spacing`: s between the poses of the caller, from which
  /// it was interpolated. Returns the largest distance of a node between this pose and the last one, scene units.
  double observe(In p_key, double spacing);
  /// Adds the observed pose to the past and advances by a grid step. Returns whether the solve converged. Once the
  /// deadline has passed, a solve ends at the iteration under way.
  bool step(const Deadline& deadline = {});
  /// Adds the observed pose to the past without a step.
  void pass();
  /// Factor, at most 1, on the deviation of a group that is shown: 1 while its 95th percentile over the last two
  /// seconds is within the largest swing of a clip.
  double shown(std::size_t group) const { return shown_[group]; }
  /// Makes the observed pose the start of the animation: the velocity to the next different pose is then assumed for
  /// the past as well. The deviation keeps its values, or becomes 0 if `zero`; its velocity becomes 0.
  void settle(bool zero);
  /// As settle, with this deviation and velocity, 1/s, of the free controls.
  void enter(In deviation, In velocity);
  /// Sets the velocity of the deviation to 0, and the deviation too if `zero`. The past of the animation stays.
  void begin_linear();
  void rest(bool zero);
  /// Drops what earlier solves left for later ones: factor and shift of the Hessian, counts. Steps after `forget` and
  /// `settle(true)` depend only on the poses that are observed from then on.
  void forget();
  /// Continues the state of another body with the same controls. `poses`: all controls at the last grid times, latest
  /// first, at least past_poses() of them.
  void take_over(const RealtimeBody& from, std::span<const Vec> poses);
  /// Continues with other settings of the same body (PartSystem::settings), which are referred to. State and past stay.
  /// Limits that become narrower do so over a tenth of a second, and never below the present deviation.
  void change_settings(const SteppedBody& settings, std::span<const RealtimeHold> holds);
  int past_poses() const { return static_cast<int>(drive_.size()); }

  const Vec& deviation() const { return p_now_; }
  const Vec& deviation_before() const { return p_before_; }
  /// Largest distance of a node from its position in the animation, scene units.
  double reach() const;
  long jacobians() const { return lineariser_->counts().jacobians - jacobians_before_; }  ///< since `forget`
  long snaps() const { return snaps_; }                                                   ///< since `forget`
  const Summary& summary() const { return summary_; }                                     ///< of the last solve

 private:
  void warm_up();
  std::size_t past(int steps) const;
  const Vec3& past_mean(const std::vector<Vec3>& means, int steps) const;
  void go_on_backward();
  void absorb_snap(const Vec3& mean);
  void select(int steps);
  void find_drive();
  void hold();
  void limit_swing();
  void set_targets();
  void damp_controls();
  Vec3 travel_velocity() const;
  template <class Use>
  void mix_windows(double squared, const Use& use) const;
  void set_loads();
  void set_keys();
  bool dampens_rods() const { return settings_->stiffness_damping > 0 && !settings_->rods.empty(); }
  void set_dampers();
  bool limits_change() const;
  void set_limits();
  void narrow_limits();
  void meet(const LimbMesh* limbs, const Collisions& collisions, const RealtimeOptions& options);
  void place_limbs();
  void solve_quickly(const Mat& elastic);
  void set_elastic();
  void forget_quick();
  void solve();
  void solve_from(double share, double ahead);

  const SteppedBody& body_;      // nodes, controls, masses, rig
  const SteppedBody* settings_;  // stiffness, damping, loads, limits: those of the body until change_settings
  std::vector<double> limits_;   // of the terms at present, which narrow to those of the settings
  double reach_limit_ = 0;       // likewise, scene units
  std::vector<RealtimeHold> holds_;
  std::vector<MassGroup> groups_;   // of the body, as held at present; without masses
  std::vector<DriveMeter> meters_;  // per group
  std::vector<RecentPeak> swings_;  // per group: its farthest node, scene units
  std::vector<double> shown_;       // per group
  double character_size_;
  double h_;
  int window_, second_;  // RealtimeOptions::window, and one second, in grid steps
  std::unique_ptr<RigLineariser> lineariser_;
  RigPredictor* predictor_ = nullptr;  // the same, where it is one and nodes are not where the keyed pose carries them
  Vec carried_;                        // nodes where the keyed pose carries them
  std::optional<LinearRigMapping> mapping_;
  std::unique_ptr<Workspace> workspace_;
  std::optional<StepTerms> terms_;
  std::unique_ptr<State> solid_state_;
  std::optional<ObstacleContact> contact_;
  std::shared_ptr<const Rig> limb_rig_;  // null without contact with limbs
  std::unique_ptr<Workspace> limb_workspace_;
  Vec limbs_before_, limbs_now_;  // points of the limbs at the last grid time of the body and at this one
  std::optional<Objective> objective_;
  Newton newton_;
  NewtonWorkspace newton_workspace_;
  // The same objective with a constant matrix in place of the Hessian of the elements.
  struct Quick;
  std::unique_ptr<Quick> quick_;
  Summary summary_;
  long jacobians_before_ = 0;  // when `forget` was called

  Integrator integrator_;  // of the node deviations d = x - x_key
  // Ring buffers over the last keyed poses of the grid: all controls, points of the rig, nodes, s between poses of the
  // caller. The nodes are those that loads are taken from: before the first pose they are extrapolated.
  std::vector<Vec> controls_, points_, drive_;
  std::vector<double> spacing_;
  std::vector<Vec3> node_means_, point_means_;  // ring buffers over two seconds: mean of the nodes, of the points
  int newest_ = 0, newest_mean_ = 0;            // index of the newest entry of each
  double snap_speed_;                           // scene units / s
  int snapping_ = 0;                            // grid steps that the present snap has taken
  long snaps_ = 0;
  ProgressCallback in_time_;  // whether the deadline of the step under way has not passed
  Deadline deadline_;
  int fresh_ = 0;                   // after `settle`: grid steps left to wait for the first other pose
  Vec p_now_, p_before_, p_older_;  // deviations of the free controls in the last three states
  Vec p_seen_, s_seen_, x_seen_;    // observed pose: all controls, points of the rig, nodes
  double spacing_seen_ = 0;
  Vec p_key_, x_key_, s_key_, free_key_;  // keyed pose at the time of the body, likewise, and its free controls
  Vec q_, from_, x_, y_, d_, p_end_, zero_, target_, forces_, acceleration_, wind_, speed_;
};

}  // namespace rigspace
