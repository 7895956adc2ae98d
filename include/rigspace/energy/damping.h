#pragma once
// Stiffness-proportional (Rayleigh) damping of a solid as an energy:
//   E(x) = scale/2 (x - x_drift)^T K (x - x_drift),   scale = beta / tau,   x_drift = x_hat + tau v_key,
// whose force at the end of a step is -beta K (v - v_key): a vibration of omega rad/s about the animated shape is
// damped with the ratio beta omega / 2, relative to the animated velocity.
//
// K is the stiffness of linear elasticity about the rest shape, turned element by element by the rotation R of
// F = R S at the start of the solve: K_ab = V R (lambda b_a b_b^T + mu b_b b_a^T + mu b_a.b_b I) R^T with the shape
// gradients b. It is the Hessian of every material at rest, never indefinite, the same form for all of them, costs no
// stored blocks, and does no work on the turning of an element that is not strained.

#include "rigspace/energy/solid.h"

#include <memory>

namespace rigspace {

/// Follows the rest shape, the stiffness and the material of its solid.
class Damping final : public Energy {
 public:
  /// The solid is referred to and must outlive this.
  explicit Damping(const Solid& solid);

  /// x_drift for all points, metres; scale in units of K's own: dimensionless (s/s).
  void set_target(In x_drift, double scale);

  std::unique_ptr<State> make_state() const override;
  /// Renews the rotations at the start of a step; they stay through its iterations.
  Change refresh(State&, In x, Phase) const override;
  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  int element_count() const override { return solid_->element_count(); }
  /// With the rest shape of now; for one that moves, make a Damping of Solid::sample.
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const override;
  std::span<const int> support() const override { return solid_->support(); }

 private:
  std::shared_ptr<const Solid> owned_;
  const Solid* solid_;
  Vec target_;
  double scale_ = 0;
};

}  // namespace rigspace
