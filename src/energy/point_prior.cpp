#include "rigspace/energy/point_prior.h"

namespace rigspace {

double PointPrior::value(const State&, In x) const {
  double sum = 0;
  for (const HeldPoint& each : held_) {
    const Vec3 d = point(x, each.point) - each.place;
    sum += 0.5 * d.dot(each.stiffness * d);
  }
  return sum;
}

void PointPrior::add_gradient(const State&, In x, double weight, Vec& g) const {
  for (const HeldPoint& each : held_)
    point(g, each.point) += weight * (each.stiffness * (point(x, each.point) - each.place));
}

void PointPrior::add_hessian(const State&, In, double weight, HessianMode, BlockSink& sink) const {
  for (const HeldPoint& each : held_) {
    const Mat3 H = weight * each.stiffness;
    sink.add({&each.point, 1}, H.data());
  }
}

std::unique_ptr<Energy> PointPrior::sampled(std::span<const WeightedElement> elements) const {
  std::vector<HeldPoint> some;
  for (const WeightedElement& each : elements) {
    some.push_back(held_[static_cast<std::size_t>(each.element)]);
    some.back().stiffness *= each.weight;
  }
  return std::make_unique<PointPrior>(std::move(some));
}

}  // namespace rigspace
