#include "sumo_shape.h"

#include <cmath>

namespace rigspace::sumo {
namespace {

using shapes::mix;
using shapes::to_left;

double knot(const Vec3& p) {
  const double tail = tapered_capsule(p, {0, 1.575, -0.10}, {0, 1.64, -0.035}, 0.036, 0.034);
  const double fold = ellipsoid(p, {0, 1.652, 0.03}, {0.07, 0.034, 0.075});
  return smooth_union(tail, fold, 0.03);
}

double cap(const Vec3& p) {
  const double shell = ellipsoid(p, {0, 1.425, -0.005}, {0.186, 0.195, 0.186});
  // Forehead, temples and nape stay bare.
  return smooth_intersection(shell, -(p - Vec3(0, 1.515, 0.10)).dot(Vec3(0, 0.80, -0.60).normalized()) - 0.005, 0.02);
}

double nose(const Vec3& p) { return ellipsoid(p, {0, 1.378, 0.212}, {0.036, 0.03, 0.032}); }

double earlobe(const Vec3& left) { return ellipsoid(left, {0.182, 1.385, 0.005}, {0.026, 0.05, 0.034}); }

}  // namespace

double torso(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 0.80, 0.115}, {0.385, 0.315, 0.36});                            // belly
  d = smooth_union(d, ellipsoid(left, {0.12, 0.60, -0.12}, {0.21, 0.2, 0.19}), 0.07);         // seat
  d = smooth_union(d, ellipsoid(p, {0, 1.06, -0.01}, {0.315, 0.2, 0.21}), 0.14);              // rib cage
  d = smooth_union(d, ellipsoid(left, {0.145, 1.055, 0.155}, {0.155, 0.115, 0.115}), 0.045);  // chest
  return smooth_union(d, tapered_capsule(left, {0, 1.20, -0.02}, {0.24, 1.145, -0.03}, 0.115, 0.105), 0.08);
}

double hair(const Vec3& p) { return smooth_union(cap(p), knot(p), 0.02); }

double head(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 1.42, 0.01}, {0.172, 0.185, 0.178});
  d = smooth_union(d, ellipsoid(left, {0.098, 1.335, 0.085}, {0.105, 0.088, 0.095}), 0.07);  // cheeks
  d = smooth_union(d, ellipsoid(p, {0, 1.265, 0.07}, {0.15, 0.07, 0.115}), 0.06);            // chin upon chin
  d = smooth_union(d, ellipsoid(p, {0, 1.30, 0.14}, {0.055, 0.04, 0.05}), 0.04);
  d = smooth_union(d, nose(p), 0.025);
  d = smooth_union(d, earlobe(left), 0.02);
  return smooth_union(d, hair(p), 0.012);
}

double arm(const Vec3& p) {
  const auto& at = kPlan.arm;
  double d = tapered_capsule(p, at[1], at[2], 0.128, 0.098);
  d = smooth_union(d, tapered_capsule(p, at[2], at[3], 0.1, 0.072), 0.04);
  d = smooth_union(d, ellipsoid(p, {0.672, 0.765, 0.032}, {0.075, 0.078, 0.066}), 0.03);
  d = smooth_union(d, tapered_capsule(p, {0.635, 0.785, 0.085}, {0.65, 0.755, 0.125}, 0.031, 0.027), 0.02);  // thumb
  for (const double finger : {-0.038, 0.0, 0.038}) {
    const Vec3 root(0.70, 0.735, 0.045 + finger), tip(0.742, 0.685, 0.055 + 1.15 * finger);
    d = smooth_union(d, tapered_capsule(p, root, tip, 0.031, 0.026), 0.014);
  }
  return d;
}

double leg(const Vec3& p) {
  const auto& at = kPlan.leg;
  double d = tapered_capsule(p, at[0], at[1], 0.2, 0.15);
  d = smooth_union(d, tapered_capsule(p, at[1], at[2] + Vec3(0, 0.01, 0), 0.145, 0.098), 0.03);
  d = smooth_union(d, ellipsoid(p, {0.238, 0.24, -0.03}, {0.125, 0.14, 0.125}), 0.06);  // calf
  double foot = ellipsoid(p, {0.265, 0.045, 0.045}, {0.105, 0.08, 0.165});
  const std::array<double, 4> across{-0.065, -0.015, 0.03, 0.07};
  const std::array<double, 4> size{0.043, 0.034, 0.031, 0.028};
  for (std::size_t k = 0; k < across.size(); ++k) {
    foot = smooth_union(
        foot,
        ellipsoid(p, {0.275 + across[k], 0.028, 0.215 - 4 * across[k] * across[k] - 0.25 * std::max(across[k], 0.0)},
                  {size[k], 0.034, 1.2 * size[k]}),
        0.014);
  }
  d = smooth_union(d, foot, 0.05);
  return smooth_intersection(d, -p.y(), 0.02);
}

double body(const Vec3& p) {
  const Vec3 left = to_left(p);
  double all = smooth_union(torso(p), leg(left), 0.05);
  all = smooth_union(all, arm(left), 0.06);
  return smooth_union(all, head(p), 0.045);
}

double mawashi(const Vec3& p) {
  const Vec3 left = to_left(p);
  // A band square to a line that leans forward: low under the belly, high in the small of the back.
  const Vec3 up = Vec3(0, 1, 0.34).normalized();
  const double level = (p - Vec3(0, 0.60, 0)).dot(up);
  const double hips = smooth_union(torso(p), leg(left), 0.05) - 0.024;
  double band = smooth_intersection(hips, std::abs(level) - 0.075, 0.03);
  // Between the legs: a strap, square to x, round the seat and up to the band.
  const double strap = smooth_intersection(smooth_intersection(hips - 0.004, std::abs(p.x()) - 0.07, 0.03),
                                           std::abs(p.y() - 0.50) - 0.16, 0.03);
  band = smooth_union(band, smooth_intersection(strap, level - 0.075, 0.02), 0.015);
  band = smooth_union(band, ellipsoid(p, {0, 0.70, -0.315}, {0.075, 0.055, 0.04}), 0.03);  // the bow behind
  return band;
}

Eigen::Vector4f skin_color(const Vec3& p) {
  static const Eigen::Vector3f skin(0.72f, 0.41f, 0.25f), shade(0.58f, 0.29f, 0.17f), rose(0.75f, 0.24f, 0.18f),
      black(0.018f, 0.016f, 0.022f);
  const Vec3 left = to_left(p);
  Eigen::Vector3f color = mix(skin, shade, 0.5 * smooth_step(0.0, -0.28, p.z()));
  color = mix(color, rose, 0.5 * smooth_step(0.085, 0.01, (left - Vec3(0.125, 1.345, 0.165)).norm()));
  color = mix(color, rose, 0.35 * smooth_step(0.012, -0.004, nose(p)));
  static const Vec3 breast = shapes::front_skin(body, 0.165, 1.03).position;
  const double nipple = (left - breast).norm();
  color = mix(color, rose, 0.55 * smooth_step(0.036, 0.026, nipple));
  const double navel = (p - Vec3(0, 0.775, 0.475)).norm();
  color = mix(color, shade * 0.45f, 0.9 * smooth_step(0.022, 0.006, navel));
  color = mix(color, black, smooth_step(0.007, 0.001, hair(p)));
  return {color.x(), color.y(), color.z(), 1.0f};
}

Eigen::Vector4f mawashi_color(const Vec3& p) {
  static const Eigen::Vector3f indigo(0.045f, 0.06f, 0.21f), dark(0.022f, 0.03f, 0.115f);
  const double level = p.y() + 0.34 * p.z();
  const Eigen::Vector3f color = mix(indigo, dark, 0.5 + 0.5 * std::cos(level * 210));  // folds of the cloth
  return {color.x(), color.y(), color.z(), 1.0f};
}

}  // namespace rigspace::sumo
