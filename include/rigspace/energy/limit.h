#pragma once
// A smooth barrier that keeps points near the animation:  |x_i - x_key_i| < limit_i, always.

#include "rigspace/optimize/energy.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct LimitOptions {
  double stiffness = 1;              ///< N/m
  std::vector<double> weights = {};  ///< factor on the stiffness, one a point; empty: 1
  double free_part = 0.6;            ///< of the limit: nothing is felt up to there; in [0, 1)

  void validate() const;
};

/// With d = |x_i - x_key_i| and t = (d/limit - free)/(1 - free):
///   E_i = 0 for t <= 0,   stiffness limit^2 t^3 / (1 - t) for t < 1,   +infinity beyond.
/// Twice continuously differentiable, convex. A solve must start inside: at x_key, or where the points were
/// relative to it. Groups of three coordinates (turns of joints) count as points too.
class Limit final : public Energy {
 public:
  /// limits: metres, one for each of `points`; throws Error unless positive.
  Limit(std::vector<int> points, std::vector<double> limits, const LimitOptions& = {});

  /// Other limits, positive, and another stiffness for the same points; keys stay. Allocates nothing.
  void set_limits(std::span<const double> limits, double stiffness);

  /// x_key for all points of the body.
  void set_keys(In x_key) { keys_ = x_key; }
  const LimitOptions& options() const { return options_; }

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  double max_step(const State&, In x_from, In x_trial) const override;
  int element_count() const override { return static_cast<int>(points_.size()); }
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const override;
  std::span<const int> support() const override { return support_; }

 private:
  struct Barrier {
    double value, slope, curvature;  // by d
  };
  Barrier barrier(double distance, int k) const;

  void require_limits() const;

  std::vector<int> points_, support_;
  std::vector<double> limits_, weights_;
  LimitOptions options_;
  Vec keys_;
};

}  // namespace rigspace
