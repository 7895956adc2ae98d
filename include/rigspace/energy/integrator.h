#pragma once
// Steps in time as minimisations. Both schemes, applied to x' = v, M v' = -dW/dx - a M (v - v_key), have the form
//   x = x_hat + tau v,    M (v - v_hat) = -tau (dW/dx + a M (v - v_key)),
// and eliminating v = (x - x_hat) / tau leaves the minimiser of
//   1/(2 tau^2) |x - x_tilde|_M^2 + a/(2 tau) |x - x_drift|_M^2 + W(x),
//   x_tilde = x_hat + tau v_hat,  x_drift = x_hat + tau v_key   (with |d|_M^2 = d^T M d).
// (Thesis 3.28 prints 1/(2h^2) against h W, which makes inertia 1/h too large; RSP (3) has it right.)

#include "rigspace/base/types.h"

namespace rigspace {

enum class IntegratorKind {
  /// tau = h, x_hat = x_now, v_hat = v_now. First order; adds damping of about omega^2 h / 2.
  euler,
  /// Second order, A- and L-stable. With w = h / h_before:
  ///   tau = h (1 + w)/(1 + 2w),  y_hat = y_now + w^2/(1 + 2w) (y_now - y_before)  for y = x and y = v.
  /// The step after a restart is Euler's; steps may grow by less than 1 + sqrt(2) at a time.
  bdf2,
};

/// The step under way.
struct TimeStep {
  double h = 0;    ///< s
  double tau = 0;  ///< s: v_next = (x_next - x_hat) / tau, and forces act as tau^2
  Vec x_hat;
  Vec v_hat;
};

/// The history of a motion, and the coefficients of its next step. Positions and velocities of all points, or of any
/// other coordinates. Nothing is allocated after the first step.
class Integrator {
 public:
  explicit Integrator(IntegratorKind kind = IntegratorKind::bdf2) : kind_(kind) {}

  /// Clears the history: the state is (x, v), and the next step is Euler's.
  void restart(In x, In v);
  /// Keeps the state and clears the history: after a teleport, the onset of contact, a kink of the input.
  void forget() { has_before_ = false; }

  /// Prepares a step of h > 0 seconds from the present state. May be called again with another h instead of accepting.
  const TimeStep& begin(double h);
  /// Ends the step at x_next, as it truly is (s(p), not a linearisation of it).
  void accept(In x_next);

  /// Target and scale for Momentum: both quadratics above in one, with
  ///   scale = 1/tau^2 + a/tau,  x_tilde = (x_hat + tau v_hat + a tau (x_hat + tau v_key)) / (1 + a tau).
  /// mass_damping a in 1/s; v_key is the velocity of the animation, m/s.
  double momentum_scale(double mass_damping = 0) const;
  void momentum_target(Vec& x_tilde) const;
  void momentum_target(double mass_damping, In v_key, Vec& x_tilde) const;
  /// x_drift: where the points arrive if they move as the animation does; the centre of Damping, of scale beta / tau.
  void drift(In v_key, Vec& x_drift) const;

  /// All that later steps depend on, as numbers; restored, they come out to the bit. Between steps.
  Vec saved_state() const;
  void restore(In state);

  const Vec& x() const { return x_; }
  const Vec& v() const { return v_; }
  const TimeStep& step() const { return step_; }
  IntegratorKind kind() const { return kind_; }

 private:
  IntegratorKind kind_;
  Vec x_, v_, x_before_, v_before_;
  double h_before_ = 0;
  bool has_before_ = false;
  TimeStep step_;
};

/// Damping of which a vibration of omega rad/s takes the ratio zeta (1: no overshoot) of critical.
/// By mass, a = 2 zeta omega: slower motion is damped more, also that of the whole (relative to the animation).
inline double mass_damping(double zeta, double omega) { return 2 * zeta * omega; }
/// By stiffness, beta = 2 zeta / omega: faster vibrations are damped more, rigid motion is not.
inline double stiffness_damping(double zeta, double omega) { return 2 * zeta / omega; }

}  // namespace rigspace
