#pragma once
// Solid shapes as functions of space: negative inside, zero on the surface, positive outside, in the unit of the scene.
// Away from the surface the values are distances only roughly (ellipsoids, flat cones, blends); near it they are good
// to first order, which is what polygonise and blending need.

#include "rigspace/base/types.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace rigspace {

using ScalarField = std::function<double(const Vec3&)>;

inline double sphere(const Vec3& p, const Vec3& center, double radius) { return (p - center).norm() - radius; }

/// Half axes along x, y, z. First-order distance |q| (|q| - 1) / |grad|q||, q = p / half axes (Quilez).
inline double ellipsoid(const Vec3& p, const Vec3& center, const Vec3& half_axes) {
  const Vec3 d = p - center;
  const double level = d.cwiseQuotient(half_axes).norm();
  const double slope = d.cwiseQuotient(half_axes.cwiseAbs2()).norm();
  return slope > 0 ? level * (level - 1) / slope : -half_axes.minCoeff();
}

/// Position of the point of segment a-b nearest to p: 0 at a, 1 at b.
inline double segment_parameter(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  return std::clamp((p - a).dot(ab) / ab.squaredNorm(), 0.0, 1.0);
}

/// A capsule whose radius runs linearly from radius_a at a to radius_b at b.
inline double tapered_capsule(const Vec3& p, const Vec3& a, const Vec3& b, double radius_a, double radius_b) {
  const double t = segment_parameter(p, a, b);
  return (p - a - t * (b - a)).norm() - (radius_a + t * (radius_b - radius_a));
}

/// Half width and half thickness of a flat cone at one of its ends.
struct FlatEnd {
  Vec3 center;
  double width;
  double thickness;
};

/// A tapered capsule pressed flat along the unit vector `normal`, its rim rounded to half a circle: an ear, a fin, a
/// paddle. Widths must be at least the thicknesses.
inline double flat_cone(const Vec3& p, const FlatEnd& a, const FlatEnd& b, const Vec3& normal) {
  const double t = segment_parameter(p, a.center, b.center);
  const double width = a.width + t * (b.width - a.width);
  const double thickness = a.thickness + t * (b.thickness - a.thickness);
  const Vec3 d = p - a.center - t * (b.center - a.center);
  const double across = d.dot(normal);
  const double along = (d - across * normal).norm();
  return std::hypot(std::max(along - (width - thickness), 0.0), across) - thickness;
}

/// The union, with the crease filled where both surfaces are nearer than `blend` to each other (polynomial minimum,
/// Quilez; C1). Commutative; not associative.
inline double smooth_union(double a, double b, double blend) {
  const double overlap = std::max(blend - std::abs(a - b), 0.0) / blend;
  return std::min(a, b) - 0.25 * blend * overlap * overlap;
}

/// The intersection, its edge rounded likewise.
inline double smooth_intersection(double a, double b, double blend) { return -smooth_union(-a, -b, blend); }

/// `a` without `b`.
inline double smooth_difference(double a, double b, double blend) { return smooth_intersection(a, -b, blend); }

/// 0 below `from`, 1 above `to`, smooth between; `from` may be the larger.
inline double smooth_step(double from, double to, double x) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// Gradient by central differences over 2 `step`.
Vec3 gradient(const ScalarField& field, const Vec3& p, double step);

}  // namespace rigspace
