#include "peanut_shape.h"

#include <cmath>
#include <numbers>

namespace rigspace::peanut {
namespace {

using shapes::mix;
using shapes::to_left;
using shapes::Tube;

// Wrinkles across the trunk, fading toward its root.
double trunk_radius(double t) {
  const double bare = 0.043 + 0.058 * std::pow(1 - t, 1.3);
  return bare * (1 + 0.028 * smooth_step(0.1, 0.3, t) * std::cos(2 * std::numbers::pi * 9 * t));
}

const Tube& trunk_tube() {
  static const Tube tube(kTrunk, trunk_radius, 9);
  return tube;
}

double tuft(const Vec3& p) {
  return tapered_capsule(p, kTail[3] + Vec3(0, -0.03, 0), kTail[4] + Vec3(0, -0.01, -0.005), 0.044, 0.024);
}

// The rim of the ear's shell bends forward, so that the ear is a bowl, not a board.
double ear_bowl(const Vec3& p) {
  const double out = std::max(0.0, p.x() - 0.22), low = std::max(0.0, 0.93 - p.y());
  return 0.9 * out * out + 0.7 * low * low;
}

}  // namespace

double torso(const Vec3& p) {
  const double belly = ellipsoid(p, {0, 0.425, 0.065}, {0.302, 0.262, 0.268});
  const double rump = ellipsoid(p, {0, 0.375, -0.07}, {0.235, 0.215, 0.2});
  const double chest = ellipsoid(p, {0, 0.655, -0.005}, {0.175, 0.165, 0.15});
  return smooth_union(smooth_union(belly, rump, 0.12), chest, 0.12);
}

double head(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 1.01, 0.01}, {0.208, 0.195, 0.195});
  d = smooth_union(d, ellipsoid(left, {0.072, 1.105, 0.03}, {0.105, 0.1, 0.115}), 0.06);     // the two domes
  d = smooth_union(d, ellipsoid(left, {0.105, 0.915, 0.085}, {0.108, 0.092, 0.105}), 0.08);  // cheeks
  d = smooth_union(d, ellipsoid(p, {0, 0.865, 0.125}, {0.085, 0.058, 0.10}), 0.05);          // chin
  return d;
}

double trunk(const Vec3& p, double thicker) { return trunk_tube()(p) - thicker; }

double tail(const Vec3& p, double thicker) {
  static const Tube tube(kTail, [](double t) { return 0.028 + 0.03 * std::pow(1 - t, 3.0); });
  return smooth_union(tube(p), tuft(p), 0.012) - thicker;
}

double ear(const Vec3& at, double thicker) {
  const double ball = sphere(at, {0.335, 0.95, -0.05}, 0.31);
  if (ball > Tube::kFar) return ball;
  const Vec3 p = at - Vec3(0, 0, ear_bowl(at));
  static const Vec3 normal = Vec3(0.36, 0.02, 1).normalized();
  constexpr double kThickness = 0.021;
  // Africa's outline: broad above, drawn down to a soft point.
  static const std::array<FlatEnd, 5> ends{{{{0.16, 1.01, -0.005}, 0.08, 0.026},
                                            {{0.265, 1.04, -0.045}, 0.13, kThickness},
                                            {{0.36, 1.005, -0.08}, 0.15, kThickness},
                                            {{0.395, 0.915, -0.092}, 0.122, kThickness},
                                            {{0.395, 0.815, -0.09}, 0.075, kThickness}}};
  double d = flat_cone(p, ends[0], ends[1], normal);
  for (std::size_t k = 1; k + 1 < ends.size(); ++k)
    d = smooth_union(d, flat_cone(p, ends[k], ends[k + 1], normal), 0.03);
  return d - thicker;
}

double arm(const Vec3& p) {
  const auto& at = kPlan.arm;
  double d = tapered_capsule(p, at[1], at[2], 0.078, 0.066);
  d = smooth_union(d, tapered_capsule(p, at[2], at[3], 0.066, 0.062), 0.02);
  d = smooth_union(d, sphere(p, {0.425, 0.55, 0.028}, 0.07), 0.04);                                          // fist
  d = smooth_union(d, tapered_capsule(p, {0.40, 0.575, 0.07}, {0.402, 0.578, 0.115}, 0.034, 0.029), 0.025);  // thumb
  return d;
}

double leg(const Vec3& p) {
  const auto& at = kPlan.leg;
  double d = tapered_capsule(p, at[0], at[1], 0.128, 0.11);
  d = smooth_union(d, tapered_capsule(p, at[1], at[2], 0.11, 0.1), 0.02);
  double foot = ellipsoid(p, {0.154, 0.04, 0.025}, {0.115, 0.085, 0.14});
  for (const double toe : {-0.075, -0.027, 0.027, 0.075}) {
    foot = smooth_union(foot, sphere(p, {0.156 + toe, 0.04, 0.142 - 5.5 * toe * toe}, 0.044), 0.025);
  }
  d = smooth_union(d, foot, 0.06);
  return smooth_intersection(d, -p.y(), 0.025);  // flat soles on the ground
}

double body(const Vec3& p, double thicker) {
  const Vec3 left = to_left(p);
  double all = smooth_union(torso(p), leg(left), 0.05);
  all = smooth_union(all, tail(p, thicker), 0.04);
  all = smooth_union(all, arm(left), 0.04);
  double top = smooth_union(head(p), trunk(p, 0.4 * thicker), 0.055);
  top = smooth_union(top, ear(left, thicker), 0.035);
  return smooth_union(all, top, 0.05);
}

Eigen::Vector4f skin_color(const Vec3& p) {
  static const Eigen::Vector3f slate(0.205f, 0.245f, 0.345f), deep(0.115f, 0.135f, 0.215f), cream(0.64f, 0.58f, 0.55f),
      rose(0.78f, 0.36f, 0.37f), ink(0.035f, 0.028f, 0.045f);
  const Vec3 left = to_left(p);
  Eigen::Vector3f color = slate;
  color = mix(color, deep, 0.6 * smooth_step(0.05, -0.25, p.z()));  // darker along the back
  color = mix(color, cream,
              0.85 * smooth_step(0.005, -0.05, ellipsoid(p, {0, 0.42, 0.33}, {0.245, 0.25, 0.2})) *
                  smooth_step(0.0, 0.02, trunk(p)));  // belly
  color =
      mix(color, cream, 0.6 * smooth_step(0.03, -0.02, ellipsoid(p, {0, 0.852, 0.16}, {0.07, 0.035, 0.09})));  // chin
  color = mix(color, rose, 0.5 * smooth_step(0.09, 0.01, (left - Vec3(0.165, 0.945, 0.165)).norm()));          // cheeks
  if (ear(left) < 0.015) {  // ear insides: what remains when the ear is pushed forward
    const double inside = ear(left - Vec3(0.01, 0, 0.03));
    color = mix(color, rose, 0.85 * smooth_step(0.002, -0.014, inside) * smooth_step(0.20, 0.26, left.x()));
  }
  if (trunk(p) < 0.02) {
    const double t = trunk_tube().fraction(p);
    const double groove = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * 9 * t);
    color = mix(color, deep, 0.45 * groove * smooth_step(0.12, 0.3, t));
    color = mix(color, rose,
                0.7 * smooth_step(0.965, 1.0, t) * smooth_step(0.02, 0.045, (p - kTrunk[6]).dot(Vec3(0, 0.1, 1))));
  }
  color = mix(color, ink, smooth_step(0.006, 0.0, tuft(p)));
  return {color.x(), color.y(), color.z(), 1.0f};
}

}  // namespace rigspace::peanut
