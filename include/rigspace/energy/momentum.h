#pragma once
// Inertia as an energy:  E(x) = scale/2 (x - x_tilde)^T M (x - x_tilde), lumped masses. Scale and target are the
// integrator's; see integrator.h. Masses: geometry's lumped_masses.

#include "rigspace/energy/solid.h"
#include "rigspace/optimize/energy.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// Each point is an element, so that momentum can be sampled too.
class Momentum final : public Energy {
 public:
  /// Masses in kg, one a point, zero or more; throws Error otherwise.
  explicit Momentum(In masses);

  /// x_tilde in metres, for all points; scale in 1/s^2. Until the first call the scale is 0.
  void set_target(In x_tilde, double scale);

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  int element_count() const override { return static_cast<int>(points_.size()); }
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const override;
  std::span<const int> support() const override { return points_; }

  /// The same as sampled, as a Momentum with a target of its own.
  Momentum sample(std::span<const WeightedElement>) const;
  double total_mass() const;
  std::span<const double> masses() const { return masses_; }  ///< of the points of support()

 private:
  Momentum() = default;

  std::vector<int> points_;
  std::vector<double> masses_;
  Vec target_;
  double scale_ = 0;
};

}  // namespace rigspace
