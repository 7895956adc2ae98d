#pragma once
// Private to physics: a body in rig space and the forces on it, stepped along the artist's motion (RSP 3).

#include "motion_cuts.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/bytes.h"
#include "rigspace/body/deferred_jacobian.h"
#include "rigspace/body/rig_predictor.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/body/step_terms.h"
#include "rigspace/body/stepped_body.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/geometry/region_frames.h"
#include "rigspace/optimize/newton.h"
#include "stepper_contact.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace {

/// The largest length of a displacement; three numbers a node.
inline double farthest_move(In d) {
  double most = 0;
  for (Eigen::Index i = 0; i + 2 < d.size(); i += 3) most = std::max(most, d.segment<3>(i).squaredNorm());
  return std::sqrt(most);
}

/// A body whose stiffness, damping, loads and limits change over time. Nodes, controls and masses stay.
class BodyVariation {
 public:
  virtual ~BodyVariation() = default;

  /// What depends on the settings of the body at a time, s (PartSystem::settings). Depends on the time only, not on
  /// earlier calls.
  virtual SteppedBody body(double time) = 0;
  /// Whether the body is constant between two times.
  virtual bool still(double from, double to) const = 0;
};

inline constexpr double kDriveWidth = 1.0 / 24;  ///< s: spacing of the second differences of the animation

/// Counts of one `advance`.
struct StepOutcome {
  int iterations = 0, halvings = 0;
  bool converged = true;
  bool inverted = false;   ///< flesh was left inside out: dividing the step did not help
  bool untrained = false;  ///< the deviation is larger than those that the few elements were trained on (TrainedRange)
  bool recovered = false;  ///< a solve gave numbers that are not finite: the step ended in the deviation it began with
};

class Stepper {
 public:
  /// `motion` is referred to.
  Stepper(SteppedBody body, const KeyedMotion& motion, const SimulationOptions& options);

  /// From now on each step uses the variation's body at the end of the step. The variation is referred to; null: the
  /// body of the constructor.
  void vary(BodyVariation* variation) { variation_ = variation; }

  /// Adds contact with these obstacles, and of the body with itself if the options say so. Before `start`.
  void collide(std::span<const Obstacle> obstacles);

  /// Starts at `time`, s, in the artist's pose with the artist's velocity. `grid`: the step of the physics grid, s.
  /// `under_way`: the clip is taken out of a longer motion; before its start and after its end it is continued in
  /// straight lines, and loads are faded in.
  void start(double time, double grid, bool under_way);

  /// Advances to `time` in one step. A step that fails, inverts flesh or has too large an error is divided into two
  /// halves, recursively.
  StepOutcome advance(double time);

  /// Of the keys, over the clip, that are not felt (Corrections::jumps).
  int jumps() const { return static_cast<int>(cuts_.size()); }

  /// Sets the time; the deviation keeps its value, with zero velocity.
  void hold(double time);

  double time() const { return now_.time; }
  /// Deviation of the free controls from the animation.
  const Vec& deviation() const { return now_.p_now; }
  /// Largest distance of a group's nodes from their positions in the animation, scene units.
  double reach(int group) const;
  /// Whether nodes, obstacles and settings are the same at two times.
  bool still(double from, double to);
  /// The smallest ratio of an element's volume to that in the animation; 1 without flesh.
  double smallest_volume_ratio();
  /// Volume of the flesh over that in the animation; 1 without flesh.
  double volume_ratio();
  /// Number of steps between measurements of volumes. For a reduced body, measuring the whole body costs more than a
  /// step.
  int measure_every() const { return !body_.whole ? 1 : black_box_ ? 24 : 4; }

  /// The square of the angular frequency, 1/s^2, at which the body swings when the character shakes: Rayleigh's
  /// quotient v K v / v M v in rig space, where v is the static response to a uniform acceleration, K v = M 1; the
  /// smallest over three directions. (The lowest mode itself may be a twist, which motion of the character does not
  /// excite.)
  double answering_omega_squared();
  /// Elastic Hessian by the free controls at rest, of a body without nodes of its own inside.
  Mat rest_stiffness();

  /// Scene units / s^2: the 95th percentile over the clip of the acceleration that the animation gives a group's
  /// centre.
  double shaking(int group);
  /// Per group, scene units / s^2: the acceleration that the animation gives its centre at times k h, k = 0 .. steps -
  /// 1; h in s.
  std::vector<std::vector<Vec3>> centre_accelerations(double h, int steps);
  /// Scene units: difference of the largest and smallest mean height of the nodes over the clip.
  double rise();
  /// Hz: the harmonic of a loop of this duration, s, with the largest acceleration of the mean of the nodes; 0 if the
  /// mean does not move.
  double driving_frequency(double duration);
  /// Hz: the same with the largest amplitude.
  double stroke_frequency(double duration);

  const SteppedBody& body() const { return body_; }

  /// The state that later steps depend on.
  void write(ByteWriter& out) const;
  void read(ByteReader& in);

 private:
  struct History {  // the state before a step, restored when the step is retried
    Integrator integrator;
    Vec p_now, p_before;           // deviations of the free controls from the animation
    Vec d_now, d_before, d_older;  // deviations of the nodes, scene units
    double time = 0, h = 0, h_before = 0;
  };

  std::unique_ptr<System> assemble_at_rest(ObjectiveState& state, Objective& elastic);
  const Vec& key(double time);
  void key_controls(double time, Vec& p) const;
  double on_grid(double time) const;
  int strongest_harmonic(double duration, int power);
  double window(double width) const;
  std::vector<Cut> far_cuts();
  double felt(double time, double width) const;
  Vec3 jumped(double from, double to);
  bool turns_with_jump(double time);
  Vec3 travel_velocity(double time);
  Vec3 travel_acceleration(double time);
  void retune(const SteppedBody& now);
  void set_targets(In x_key);
  void set_loads(double time);
  double smallest_ratio(In x, In x_key) const;
  void end_controls(In q);
  void begin_linear(In x_key);
  double drift_share() const;
  bool dampens_rods() const { return body_.stiffness_damping > 0 && !body_.rods.empty(); }
  void damp(In x_key);
  void pull_coupled(const Vec& keyed);
  void drift_inside(In x_key, double share, Vec& x);
  Summary solve(const Newton& newton, In x_key, Vec& q, StepOutcome& outcome);
  struct Shape;
  const Shape& whole_shape();
  Vec coordinates(In p_deviation, In d, In x_key) const;
  bool try_step(double time, StepOutcome& outcome, bool last_try);
  void step(double time, StepOutcome& outcome, int depth);

  SteppedBody body_;
  const KeyedMotion& motion_;
  SimulationOptions options_;
  RigSpaceMapping mapping_;
  std::unique_ptr<RigLineariser> lineariser_;  // for bodies whose rig is linear within a step; null for others
  RigPredictor* predictor_ = nullptr;          // the same object, if the rig is a black box
  std::unique_ptr<Workspace> rig_workspace_;
  std::optional<StepTerms> terms_;
  std::optional<RegionFrames> inside_frames_;  // of a body with damping and nodes of its own inside
  std::optional<ObstacleContact> contact_;
  Objective objective_;
  NewtonWorkspace newton_;

  History now_;
  BodyVariation* variation_ = nullptr;
  std::vector<Cut> cuts_;  // of the clip, at which nodes of the body jump
  double first_time_ = 0, grid_ = 0;
  int patience_ = 0;        // failures of smallest steps left before halving is given up
  bool black_box_ = false;  // a reduced body whose rig gives no derivatives: evaluations dominate the cost
  bool under_way_ = false;
  struct Key {
    double time;
    Vec x;
  };
  std::deque<Key> keys_;
  Vec p_key_, s_, bind_volumes_;
  Vec x_, y_, p_end_;             // of a step
  std::shared_ptr<Shape> shape_;  // of the whole body, if body_ is a reduction of it
};

}  // namespace rigspace
