#include "rigspace/energy/half_spaces.h"

#include <algorithm>

namespace rigspace {

double HalfSpaces::value(const State&, In x) const {
  double sum = 0;
  for (const Plane& plane : planes_) {
    const double depth = std::max(0.0, plane.offset - plane.normal.dot(x.segment<3>(3 * plane.point)));
    sum += 0.5 * plane.stiffness * depth * depth;
  }
  return sum;
}

void HalfSpaces::add_gradient(const State&, In x, double weight, Vec& g) const {
  for (const Plane& plane : planes_) {
    const double depth = std::max(0.0, plane.offset - plane.normal.dot(x.segment<3>(3 * plane.point)));
    g.segment<3>(3 * plane.point) -= weight * plane.stiffness * depth * plane.normal;
  }
}

void HalfSpaces::add_hessian(const State&, In x, double weight, HessianMode, BlockSink& sink) const {
  for (const Plane& plane : planes_) {
    const bool behind = plane.normal.dot(x.segment<3>(3 * plane.point)) < plane.offset;
    const Mat3 H = (behind ? weight * plane.stiffness : 0.0) * plane.normal * plane.normal.transpose();
    sink.add(std::span(&plane.point, 1), H.data());  // always: the pattern stays
  }
}

}  // namespace rigspace
