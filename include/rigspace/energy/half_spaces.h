#pragma once
// Points that stay on one side of planes, softly: E = sum k/2 max(0, o - n . x)^2, once continuously differentiable and
// convex. A stand-in for contact where planes are found before a solve.

#include "rigspace/optimize/energy.h"

#include <vector>

namespace rigspace {

class HalfSpaces final : public Energy {
 public:
  struct Plane {
    int point = 0;
    Vec3 normal = Vec3::UnitY();
    double offset = 0;     ///< m: n . x of the plane
    double stiffness = 0;  ///< N/m
  };

  void set(std::vector<Plane> planes) { planes_ = std::move(planes); }

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;

 private:
  std::vector<Plane> planes_;
};

}  // namespace rigspace
