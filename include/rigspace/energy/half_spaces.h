#pragma once
// Points that stay on one side of planes, softly: E = sum k/2 max(0, o - n . x)^2, once continuously differentiable and
// convex. A stand-in for contact where planes are found before a solve. Friction is Coulomb's, smoothed and with a force
// that is given, F = mu N of the step before:  D = F f0(|u|),  u the part of x - stuck across n,  f0 as in contact.h.

#include "rigspace/optimize/energy.h"

#include <algorithm>
#include <vector>

namespace rigspace {

class HalfSpaces final : public Energy {
 public:
  struct Plane {
    int point = 0;
    Vec3 normal = Vec3::UnitY();
    double offset = 0;     ///< m: n . x of the plane
    double stiffness = 0;  ///< N/m
    double friction = 0;   ///< N: F
    double slip = 1e-4;    ///< m: sliding beyond which the friction is F
    Vec3 stuck = Vec3::Zero();  ///< m: where the point is if it does not slide
  };

  const std::vector<Plane>& planes() const { return planes_; }
  /// N: of a plane on its point.
  double force(const Plane& plane, In x) const {
    return plane.stiffness * std::max(0.0, plane.offset - plane.normal.dot(x.segment<3>(3 * plane.point)));
  }
  void set(std::vector<Plane> planes) { planes_ = std::move(planes); }

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;

 private:
  std::vector<Plane> planes_;
};

}  // namespace rigspace
