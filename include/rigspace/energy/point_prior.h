#pragma once
// Points held to places, more or less in each direction:  E(x) = 1/2 sum_i (x_i - X_i)^T M_i (x_i - X_i).

#include "rigspace/optimize/energy.h"

#include <vector>

namespace rigspace {

struct HeldPoint {
  int point = 0;
  Vec3 place = Vec3::Zero();  ///< X
  Mat3 stiffness = Mat3::Identity();
};

/// Each held point is an element. The matrices must have no negative eigenvalues.
class PointPrior final : public Energy {
 public:
  explicit PointPrior(std::vector<HeldPoint> held) : held_(std::move(held)) {}

  const std::vector<HeldPoint>& held() const { return held_; }
  /// Other places and matrices for the same points.
  void set(int k, const Vec3& place, const Mat3& stiffness) { held_[k].place = place, held_[k].stiffness = stiffness; }

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  int element_count() const override { return static_cast<int>(held_.size()); }
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const override;

 private:
  std::vector<HeldPoint> held_;
};

}  // namespace rigspace
