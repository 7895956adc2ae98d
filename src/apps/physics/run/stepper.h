#pragma once
// Private to physics: a body in rig space with all that acts on it, stepped along the artist's motion (RSP 3).

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/bytes.h"
#include "rigspace/body/deferred_jacobian.h"
#include "rigspace/body/rig_predictor.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/body/step_terms.h"
#include "rigspace/body/stepped_body.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/optimize/newton.h"
#include "stepper_contact.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace {

/// A body whose numbers change over time, while its nodes, controls and masses stay: stiffness, damping, loads, limits.
class BodyVariation {
 public:
  virtual ~BodyVariation() = default;

  /// The body at a time, s. The same for the same time, whatever was asked before.
  virtual SteppedBody body(double time) = 0;
  /// Whether nothing of it changes between two times.
  virtual bool still(double from, double to) const = 0;
};

inline constexpr double kDriveWidth = 1.0 / 24;  ///< s: over which the animation's acceleration is taken

/// How a step ended.
struct StepOutcome {
  int iterations = 0, halvings = 0;
  bool converged = true;
};

class Stepper {
 public:
  /// Refers to the motion.
  Stepper(SteppedBody body, const KeyedMotion& motion, const SimulationOptions& options);

  /// From now on the body is the variation's at the end of each step. It is referred to; null: the constructor's.
  void vary(BodyVariation* variation) { variation_ = variation; }

  /// From now on the body runs into these, and into itself if the options say so. Before `start`.
  void collide(std::span<const Obstacle> obstacles);

  /// Starts at `time` in the artist's pose with the artist's velocity. `grid` is the step of the physics grid. A clip
  /// that plays once and begins here is taken to have been under way: what was before goes on smoothly backwards.
  void start(double time, double grid, bool under_way);

  /// From the present state to `time`: one step, or where that fails, inverts flesh or errs too much, two of half the
  /// length, and so on.
  StepOutcome advance(double time);

  /// Nothing moves: stays where it is, at rest, until `time`.
  void hold(double time);

  double time() const { return now_.time; }
  /// Deviation of the free controls from the animation.
  const Vec& deviation() const { return now_.p_now; }
  /// Largest distance of a group's nodes from their place in the animation, scene units.
  double reach(int group) const;
  /// Whether the animation moves no node between two times.
  bool still(double from, double to);
  /// The least det F of the flesh against the animation; 1 without flesh.
  double smallest_volume_ratio();
  /// Volume of the flesh over that in the animation; 1 without flesh.
  double volume_ratio();
  /// Steps between which shapes are worth measuring: those of a reduced body cost more than its steps.
  int measure_every() const { return !body_.whole ? 1 : black_box_ ? 24 : 4; }

  /// The square of the angular frequency with which the body answers a shake, the slowest of three directions: with v
  /// the static response to a uniform acceleration, K v = M 1, Rayleigh's quotient v K v / v M v in rig space. (The
  /// very lowest mode may be a twist, which no motion of the character ever stirs.)
  double answering_omega_squared();

  /// Scene units / s^2: the 95th percentile over the clip of the acceleration that the animation gives a group's
  /// centre.
  double shaking(int group);
  /// Scene units: how far the animation lifts the body over the clip.
  double rise();
  /// Hz: how often a loop of this duration, in seconds, shakes the body; 0 if it does not.
  double driving_frequency(double duration);

  const SteppedBody& body() const { return body_; }

  /// All that the future depends on.
  void write(ByteWriter& out) const;
  void read(ByteReader& in);

 private:
  struct History {  // what a retry returns to
    Integrator integrator;
    Vec p_now, p_before;           // deviations of the free controls from the animation
    Vec d_now, d_before, d_older;  // of the nodes
    double time = 0, h = 0, h_before = 0;
  };

  const Vec& key(double time);
  double on_grid(double time) const;
  double window(double width) const;
  Vec3 travel_velocity(double time);
  Vec3 travel_acceleration(double time);
  void retune(const SteppedBody& now);
  void set_targets(In x_key);
  void set_loads(double time);
  double smallest_ratio(In x, In x_key) const;
  void end_controls(In q);
  void begin_linear(In x_key);
  void damp_controls(In x_key);
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
  std::unique_ptr<RigLineariser> lineariser_;  // of a body whose rig is linear within a step
  RigPredictor* predictor_ = nullptr;          // the same, of a black box
  std::unique_ptr<Workspace> rig_workspace_;
  std::optional<StepTerms> terms_;
  std::optional<ObstacleContact> contact_;
  Objective objective_;
  NewtonWorkspace newton_;

  History now_;
  BodyVariation* variation_ = nullptr;
  double first_time_ = 0, grid_ = 0;
  int patience_ = 0;        // smallest steps that may still fail
  bool black_box_ = false;  // a reduced body whose rig gives no derivatives: evaluations are what a step costs
  bool under_way_ = false;
  struct Key {
    double time;
    Vec x;
  };
  std::deque<Key> keys_;
  Vec p_key_, s_, bind_volumes_;
  Vec x_, y_, p_end_;             // of a step
  std::shared_ptr<Shape> shape_;  // of the whole that a reduced body stands for
};

}  // namespace rigspace
