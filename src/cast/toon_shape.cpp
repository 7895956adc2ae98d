#include "toon_shape.h"

#include <cmath>

namespace rigspace::toon {
namespace {

using shapes::mix;
using shapes::to_left;

double sleeve(const Vec3& p) {
  const auto& at = kPlan.arm;
  const Vec3 end = at[1] + 0.62 * (at[2] - at[1]), along = (at[2] - at[1]).normalized();
  const double tube = tapered_capsule(p, at[1], end, 0.066, 0.082);
  return smooth_intersection(tube, (p - end).dot(along) - 0.02, 0.03);
}

}  // namespace

double trunk(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 0.825, -0.005}, {0.140, 0.130, 0.105});
  d = smooth_union(d, ellipsoid(p, {0, 0.675, 0.012}, {0.142, 0.125, 0.122}), 0.09);
  d = smooth_union(d, ellipsoid(p, {0, 0.57, -0.005}, {0.132, 0.085, 0.108}), 0.06);
  return smooth_union(d, tapered_capsule(left, {0, 0.885, -0.005}, {0.125, 0.882, -0.005}, 0.068, 0.058), 0.05);
}

double head(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 1.245, 0.0}, {0.205, 0.212, 0.195});
  d = smooth_union(d, ellipsoid(left, {0.075, 1.125, 0.045}, {0.130, 0.100, 0.135}), 0.08);  // jowls
  d = smooth_union(d, ellipsoid(p, {0, 1.075, 0.085}, {0.085, 0.050, 0.075}), 0.05);         // chin
  d = smooth_union(d, ellipsoid(p, {0, 1.165, 0.225}, {0.058, 0.050, 0.062}), 0.018);        // nose
  d = smooth_union(d, ellipsoid(left, {0.215, 1.185, -0.01}, {0.034, 0.068, 0.050}), 0.015);
  return smooth_union(d, tapered_capsule(p, {0, 0.91, -0.005}, {0, 1.06, 0.0}, 0.056, 0.05), 0.03);
}

double hair(const Vec3& p) {
  const double shell = ellipsoid(p, {0, 1.262, -0.012}, {0.222, 0.222, 0.212});
  // Forehead and nape stay bare.
  double d = smooth_intersection(shell, -(p - Vec3(0, 1.335, 0.115)).dot(Vec3(0, 0.62, -0.78)), 0.025);
  d = smooth_union(d, tapered_capsule(p, {-0.09, 1.435, 0.02}, {0.06, 1.475, 0.10}, 0.060, 0.052), 0.03);  // quiff
  d = smooth_union(d, tapered_capsule(p, {0.06, 1.475, 0.10}, {0.135, 1.525, 0.125}, 0.050, 0.016), 0.02);
  return d;
}

double shirt(const Vec3& p) {
  const double body = smooth_union(trunk(p) - 0.010, sleeve(to_left(p)), 0.035);
  const double hem = smooth_intersection(body, 0.588 - p.y(), 0.02);
  return smooth_intersection(hem, p.y() - 0.947, 0.02);
}

double leg(const Vec3& p) {
  const auto& at = kPlan.leg;
  const double thigh = tapered_capsule(p, at[0], at[1], 0.086, 0.066);
  return smooth_union(thigh, tapered_capsule(p, at[1], at[2] + Vec3(0, 0.05, 0), 0.066, 0.060), 0.02);
}

double trousers(const Vec3& p) {
  const double legs = leg(to_left(p)) - 0.004;
  const double hips = smooth_intersection(trunk(p), p.y() - 0.63, 0.02);
  return smooth_intersection(smooth_union(hips, legs, 0.03), 0.112 - p.y(), 0.015);
}

double arm(const Vec3& p) {
  const auto& at = kPlan.arm;
  double d = smooth_union(tapered_capsule(p, at[1], at[2], 0.046, 0.043),
                          tapered_capsule(p, at[2], at[3], 0.044, 0.038), 0.015);
  const Vec3 along = (at[4] - at[3]).normalized(), across = Vec3::UnitZ();
  for (const double finger : {-0.056, 0.0, 0.056}) {
    const Vec3 root = at[3] + 0.020 * along + 0.55 * finger * across, knuckle = kKnuckles + finger * across;
    const Vec3 tip = knuckle + (0.085 - 7 * finger * finger) * along + 0.25 * finger * across;
    d = smooth_union(d, tapered_capsule(p, root, knuckle, 0.043, 0.041), 0.035);
    d = smooth_union(d, tapered_capsule(p, knuckle, tip, 0.034, 0.031), 0.010);
  }
  return d;
}

double thumb(const Vec3& p) { return tapered_capsule(p, kThumb, kThumbTip, 0.036, 0.031); }

double shoe(const Vec3& p) {
  double d = ellipsoid(p, {0.103, 0.048, 0.02}, {0.076, 0.072, 0.120});
  d = smooth_union(d, ellipsoid(p, {0.115, 0.045, 0.145}, {0.092, 0.075, 0.100}), 0.06);
  d = smooth_union(d, tapered_capsule(p, {0.099, 0.05, -0.015}, {0.098, 0.115, -0.012}, 0.068, 0.062), 0.03);
  return smooth_intersection(d, -p.y(), 0.02);
}

Eigen::Vector4f face_color(const Vec3& p) {
  static const Eigen::Vector3f skin(0.83f, 0.47f, 0.31f), rose(0.85f, 0.24f, 0.17f);
  const Vec3 left = to_left(p);
  Eigen::Vector3f color = mix(skin, rose, 0.55 * smooth_step(0.08, 0.01, (left - Vec3(0.135, 1.14, 0.155)).norm()));
  color = mix(color, rose, 0.5 * smooth_step(0.075, 0.04, (p - Vec3(0, 1.165, 0.26)).norm()));
  return {color.x(), color.y(), color.z(), 1};
}

Eigen::Vector4f shirt_color(const Vec3&) { return {0.86f, 0.42f, 0.05f, 1}; }

Eigen::Vector4f shoe_color(const Vec3& p) {
  static const Eigen::Vector3f red(0.50f, 0.045f, 0.03f), sole(0.85f, 0.80f, 0.72f);
  const Eigen::Vector3f color = mix(sole, red, smooth_step(0.018, 0.03, p.y()));
  return {color.x(), color.y(), color.z(), 1};
}

}  // namespace rigspace::toon
