#pragma once
// Springs on the coordinates of a rig (Space::coordinates): joints that resist bending and twisting, and quadratic
// priors.

#include "rigspace/optimize/energy.h"

#include <span>
#include <vector>

namespace rigspace {

/// A joint that turns by exp(r) on top of the animation, r = coordinates first .. first + 2 in radians, in the
/// joint's own axes.
struct RodJoint {
  int first = 0;
  Vec3 axis = Vec3::UnitY();  ///< along the bone, in the joint's axes; any length but zero
  double bend = 1;            ///< N m / rad, about directions across the axis
  double twist = 1;           ///< N m / rad, about the axis
  Vec3 rest = Vec3::Zero();   ///< r without moment, rad
};

/// E(q) = sum of 1/2 (r - rest)^T K (r - rest),  K = bend (I - a a^T) + twist a a^T, a the unit axis.
/// In r the rod is linear, also for large turns: the moment per radian of the turn exp(r) about a direction is the
/// stiffness there. Also the damping of the same joints: rest at the drift of the step, weight beta / tau.
class Rods final : public Energy {
 public:
  /// Throws Error for a zero axis or a stiffness that is negative or not finite.
  explicit Rods(std::vector<RodJoint> joints);

  void set_rest(int joint, const Vec3& rest) { joints_[static_cast<std::size_t>(joint)].rest = rest; }
  void set_stiffness(int joint, double bend, double twist);
  /// With the axis made a unit vector.
  const std::vector<RodJoint>& joints() const { return joints_; }

  double value(const State&, In q) const override;
  void add_gradient(const State&, In q, double weight, Vec& g) const override;
  void add_hessian(const State&, In q, double weight, HessianMode, BlockSink&) const override;
  int element_count() const override { return static_cast<int>(joints_.size()); }
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const override;

 private:
  Mat3 stiffness(const RodJoint&) const;
  std::vector<RodJoint> joints_;
};

/// E(q) = 1/2 (q_S - target)^T A (q_S - target) over a set S of coordinates.
class CoordinatePrior final : public Energy {
 public:
  /// A diagonal A: a spring for each coordinate.
  CoordinatePrior(std::vector<int> coordinates, Vec springs, Vec target);
  /// Any symmetric A without negative eigenvalues; throws Error otherwise.
  CoordinatePrior(std::vector<int> coordinates, Mat A, Vec target);

  void set_target(In target) { target_ = target; }

  double value(const State&, In q) const override;
  void add_gradient(const State&, In q, double weight, Vec& g) const override;
  void add_hessian(const State&, In q, double weight, HessianMode, BlockSink&) const override;

 private:
  double force(In q, int row) const;

  std::vector<int> coordinates_;
  Vec springs_;  // of a diagonal A, else empty
  Mat A_;
  Vec target_;
};

}  // namespace rigspace
