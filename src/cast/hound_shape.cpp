#include "hound_shape.h"

#include <algorithm>
#include <cmath>

namespace rigspace::hound {
namespace {

using shapes::mix;
using shapes::to_left;
using shapes::Tube;

const Eigen::Vector3f kBrown(0.27f, 0.105f, 0.03f), kDark(0.05f, 0.022f, 0.012f), kCream(0.74f, 0.55f, 0.34f);

double paw(const Vec3& p, const Vec3& ankle, const Vec3& ball, const Vec3& tip) {
  double d = tapered_capsule(p, ankle, ball + Vec3(0, 0.01, 0), 0.034, 0.040);
  for (const double aside : {-0.024, 0.0, 0.024})
    d = smooth_union(
        d, tapered_capsule(p, ball, tip + Vec3(aside, 0.012, -0.012 - 0.3 * std::abs(aside)), 0.036, 0.026), 0.02);
  return smooth_intersection(d, -p.y(), 0.012);
}

}  // namespace

double torso(const Vec3& p) {
  double d = ellipsoid(p, {0, 0.600, 0.190}, {0.130, 0.165, 0.210});                   // chest
  d = smooth_union(d, ellipsoid(p, {0, 0.610, -0.080}, {0.108, 0.110, 0.240}), 0.09);  // belly
  return smooth_union(d, ellipsoid(p, {0, 0.615, -0.330}, {0.118, 0.118, 0.155}), 0.09);
}

double neck(const Vec3& p) {
  static const std::array<Vec3, 6> line{Vec3(0, 0.63, 0.26), kNeck[0], kNeck[1], kNeck[2], kNeck[3], kNeck[4]};
  static const Tube tube(
      line, [](double t) { return 0.115 - 0.045 * t; }, 3);
  return tube(p);
}

double head(const Vec3& p) {
  double d = ellipsoid(p, {0, 0.930, 0.530}, {0.090, 0.085, 0.110});
  d = smooth_union(d, tapered_capsule(p, {0, 0.918, 0.600}, {0, 0.900, 0.745}, 0.058, 0.040), 0.04);  // muzzle
  d = smooth_union(d, ellipsoid(p, {0, 0.912, 0.775}, {0.024, 0.018, 0.018}), 0.012);                 // nose
  return smooth_union(d, ellipsoid(to_left(p), {0.045, 0.970, 0.590}, {0.026, 0.016, 0.028}), 0.02);  // brows
}

double jaw(const Vec3& p) { return tapered_capsule(p, kJaw[0] + Vec3(0, 0.005, 0), kJaw[1], 0.044, 0.026); }

double ear(const Vec3& p) {
  static const Tube tube(
      kEar, [](double t) { return 0.030 + 0.024 * t - 0.022 * t * t; }, 3);
  return tube(p);
}

double tail(const Vec3& p) {
  static const Tube tube(
      kTail, [](double t) { return 0.044 * (1 - t) + 0.020; }, 2);
  return tube(p);
}

double front_leg(const Vec3& p) {
  double d = tapered_capsule(p, kFrontLeg[0], kFrontLeg[1], 0.070, 0.068);
  d = smooth_union(d, tapered_capsule(p, kFrontLeg[1], kFrontLeg[2], 0.066, 0.050), 0.03);
  d = smooth_union(d, tapered_capsule(p, kFrontLeg[2], kFrontLeg[3], 0.048, 0.034), 0.02);
  return smooth_union(d, paw(p, kFrontLeg[3], kFrontLeg[4], kFrontLeg[6]), 0.015);
}

double hind_leg(const Vec3& p) {
  double d = tapered_capsule(p, kHindLeg[0], kHindLeg[1], 0.092, 0.058);
  d = smooth_union(d, tapered_capsule(p, kHindLeg[1], kHindLeg[2], 0.054, 0.036), 0.03);
  return smooth_union(d, paw(p, kHindLeg[2], kHindLeg[3], kHindLeg[5]), 0.015);
}

double body(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = smooth_union(torso(p), neck(p), 0.06);
  d = smooth_union(d, smooth_union(head(p), jaw(p), 0.012), 0.03);
  d = smooth_union(d, ear(left), 0.012);
  d = smooth_union(d, tail(p), 0.04);
  d = smooth_union(d, front_leg(left), 0.05);
  return smooth_union(d, hind_leg(left), 0.05);
}

Eigen::Vector4f coat(const Vec3& p) {
  const Vec3 left = to_left(p);
  Eigen::Vector3f color = mix(kCream, kBrown, smooth_step(0.47, 0.58, p.y()));
  color = mix(color, kCream, smooth_step(0.12, 0.07, p.y()));
  color = mix(color, kCream, smooth_step(0.02, -0.01, jaw(p)) * smooth_step(0.60, 0.66, p.z()));
  color = mix(color, kDark, smooth_step(0.012, -0.004, ear(left)));
  color = mix(color, kDark, smooth_step(0.026, 0.020, (p - kNose).norm()));
  return {color.x(), color.y(), color.z(), 1};
}

}  // namespace rigspace::hound
