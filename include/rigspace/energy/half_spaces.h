#pragma once
// Points that stay on one side of planes, softly: E = sum k/2 max(0, o - n . x)^2, once continuously differentiable and
// convex. A stand-in for contact where planes are found before a solve. With friction: Coulomb's, smoothed and lagged
// as in barrier_contact.h, D = F f0(|u|), u the sliding of the point across n from where the plane carries it.

#include "rigspace/optimize/energy.h"

#include <vector>

namespace rigspace {

class HalfSpaces final : public Energy {
 public:
  struct Plane {
    int point = 0;
    Vec3 normal = Vec3::UnitY();
    double offset = 0;            ///< m: n . x of the plane
    double stiffness = 0;         ///< N/m
    double friction = 0;          ///< N: mu times the force that the plane had before
    Vec3 carried = Vec3::Zero();  ///< where the point would be if it stuck to the plane
  };

  /// slip: m, what is held by friction creeps by less in a step.
  void set(std::vector<Plane> planes, double slip = 1e-4) { planes_ = std::move(planes), slip_ = slip; }
  const std::vector<Plane>& planes() const { return planes_; }
  /// N: of a plane on its point, without friction.
  double force(std::size_t plane, In x) const;

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;

 private:
  Vec3 sliding(const Plane&, In x) const;

  std::vector<Plane> planes_;
  double slip_ = 1e-4;
};

}  // namespace rigspace
