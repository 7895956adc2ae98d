#include "rigspace/energy/half_spaces.h"

#include <algorithm>

namespace rigspace {
namespace {

Vec3 sliding(const HalfSpaces::Plane& plane, In x) {
  const Vec3 u = x.segment<3>(3 * plane.point) - plane.stuck;
  return u - plane.normal * plane.normal.dot(u);
}

}  // namespace

double HalfSpaces::value(const State&, In x) const {
  double sum = 0;
  for (const Plane& plane : planes_) {
    const double depth = std::max(0.0, plane.offset - plane.normal.dot(x.segment<3>(3 * plane.point)));
    sum += 0.5 * plane.stiffness * depth * depth;
    if (plane.friction == 0) continue;
    const double y = sliding(plane, x).norm() / plane.slip;
    sum += plane.friction * plane.slip * (y < 1 ? y * y * (1 - y / 3) + 1.0 / 3 : y);
  }
  return sum;
}

void HalfSpaces::add_gradient(const State&, In x, double weight, Vec& g) const {
  for (const Plane& plane : planes_) {
    g.segment<3>(3 * plane.point) -= weight * force(plane, x) * plane.normal;
    if (plane.friction == 0) continue;
    const Vec3 u = sliding(plane, x);
    const double y = u.norm() / plane.slip;
    g.segment<3>(3 * plane.point) += (weight * plane.friction * (y < 1 ? 2 - y : 1 / y) / plane.slip) * u;
  }
}

void HalfSpaces::add_hessian(const State&, In x, double weight, HessianMode, BlockSink& sink) const {
  for (const Plane& plane : planes_) {
    const bool behind = plane.normal.dot(x.segment<3>(3 * plane.point)) < plane.offset;
    Mat3 H = (behind ? weight * plane.stiffness : 0.0) * plane.normal * plane.normal.transpose();
    if (plane.friction > 0) {
      const Vec3 u = sliding(plane, x);
      const double length = u.norm(), y = length / plane.slip;
      const double across = (y < 1 ? 2 - y : 1 / y) / plane.slip, along = y < 1 ? 2 * (1 - y) / plane.slip : 0;
      H += (weight * plane.friction * across) * (Mat3::Identity() - plane.normal * plane.normal.transpose());
      if (length > 0) H += (weight * plane.friction * (along - across) / (length * length)) * u * u.transpose();
    }
    sink.add(std::span(&plane.point, 1), H.data());  // always: the pattern stays
  }
}

}  // namespace rigspace
