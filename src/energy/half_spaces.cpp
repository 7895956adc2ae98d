#include "rigspace/energy/half_spaces.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

double HalfSpaces::force(std::size_t plane, In x) const {
  const Plane& p = planes_[plane];
  return p.stiffness * std::max(0.0, p.offset - p.normal.dot(x.segment<3>(3 * p.point)));
}

Vec3 HalfSpaces::sliding(const Plane& plane, In x) const {
  const Vec3 u = x.segment<3>(3 * plane.point) - plane.carried;
  return u - plane.normal.dot(u) * plane.normal;
}

double HalfSpaces::value(const State&, In x) const {
  double sum = 0;
  for (const Plane& plane : planes_) {
    const double depth = std::max(0.0, plane.offset - plane.normal.dot(x.segment<3>(3 * plane.point)));
    sum += 0.5 * plane.stiffness * depth * depth;
    if (plane.friction == 0) continue;
    const double y = sliding(plane, x).norm(), e = slip_;
    sum += plane.friction * (y < e ? y * y / e - y * y * y / (3 * e * e) + e / 3 : y);
  }
  return sum;
}

void HalfSpaces::add_gradient(const State&, In x, double weight, Vec& g) const {
  for (const Plane& plane : planes_) {
    const double depth = std::max(0.0, plane.offset - plane.normal.dot(x.segment<3>(3 * plane.point)));
    g.segment<3>(3 * plane.point) -= weight * plane.stiffness * depth * plane.normal;
    if (plane.friction == 0) continue;
    const Vec3 u = sliding(plane, x);
    const double y = u.norm(), e = slip_;
    g.segment<3>(3 * plane.point) += (weight * plane.friction * (y < e ? (2 - y / e) / e : 1 / y)) * u;
  }
}

// Friction: f'/y on the plane, f'' along the sliding; neither is negative.
void HalfSpaces::add_hessian(const State&, In x, double weight, HessianMode, BlockSink& sink) const {
  for (const Plane& plane : planes_) {
    const Mat3 across = plane.normal * plane.normal.transpose();
    const bool behind = plane.normal.dot(x.segment<3>(3 * plane.point)) < plane.offset;
    Mat3 H = (behind ? weight * plane.stiffness : 0.0) * across;
    if (plane.friction > 0) {
      const Vec3 u = sliding(plane, x);
      const double y = u.norm(), e = slip_;
      H += (weight * plane.friction * (y < e ? (2 - y / e) / e : 1 / y)) * (Mat3::Identity() - across);
      if (y > 0) H -= (weight * plane.friction * (y < e ? 1 / (e * e) : 1 / (y * y)) / y) * u * u.transpose();
    }
    sink.add(std::span(&plane.point, 1), H.data());  // always: the pattern stays
  }
}

}  // namespace rigspace
