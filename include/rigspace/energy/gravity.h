#pragma once
// Constant forces on points:  E(x) = -sum_i f_i . (x_i - x_ref_i).

#include "rigspace/optimize/energy.h"

namespace rigspace {

/// Standard gravity along -Y, m/s^2.
inline Vec3 standard_gravity() { return {0, -9.80665, 0}; }

/// Forces that do not depend on x. The reference shifts E by a constant: near to x it keeps E small, and with it the
/// rounding of the objective. Dead loads too, such as the one that cancels gravity on a shape that sags already.
class Load final : public Energy {
 public:
  /// Newtons, three a point.
  explicit Load(Vec forces);

  void set_forces(In forces);
  void set_reference(In x);

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In, double, HessianMode, BlockSink&) const override {}
  const Vec& forces() const { return forces_; }

 private:
  Vec forces_, reference_;
};

/// m_i g on every point, m in kg, g in m/s^2.
Vec gravity_forces(In masses, const Vec3& g = standard_gravity());
Load gravity(In masses, const Vec3& g = standard_gravity());

}  // namespace rigspace
