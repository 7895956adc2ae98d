#include "mannequin_shape.h"

#include <cmath>

namespace rigspace::mannequin {
namespace {

using shapes::mix;
using shapes::to_left;

double join_trunk_and_arm(double trunk, double arm) { return smooth_union(trunk, arm, 0.055); }
double join_trunk_and_leg(double trunk, double leg) { return smooth_union(trunk, leg, 0.045); }
double join_trunk_and_neck(double trunk, double neck) { return smooth_union(trunk, neck, 0.06); }

}  // namespace

double trunk(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 1.285, -0.010}, {0.148, 0.175, 0.098});                         // rib cage
  d = smooth_union(d, ellipsoid(left, {0.068, 1.305, 0.040}, {0.085, 0.080, 0.062}), 0.06);   // breast
  d = smooth_union(d, ellipsoid(p, {0, 1.09, 0.0}, {0.126, 0.155, 0.092}), 0.10);             // waist
  d = smooth_union(d, ellipsoid(p, {0, 0.945, -0.012}, {0.158, 0.110, 0.108}), 0.09);         // hips
  d = smooth_union(d, ellipsoid(left, {0.070, 0.905, -0.055}, {0.090, 0.090, 0.082}), 0.05);  // seat
  d = smooth_union(d, tapered_capsule(left, {0, 1.385, -0.022}, {0.150, 1.388, -0.022}, 0.062, 0.056), 0.07);
  return smooth_union(d, tapered_capsule(left, {0, 1.455, -0.028}, {0.125, 1.405, -0.026}, 0.040, 0.044), 0.06);
}

double neck(const Vec3& p) { return tapered_capsule(p, {0, 1.40, -0.02}, {0, 1.58, 0.005}, 0.057, 0.050); }

double head(const Vec3& p) {
  double d = ellipsoid(p, {0, 1.665, 0.008}, {0.079, 0.105, 0.098});
  d = smooth_union(d, ellipsoid(p, {0, 1.590, 0.035}, {0.056, 0.062, 0.062}), 0.05);  // jaw
  return smooth_union(d, ellipsoid(p, {0, 1.630, 0.100}, {0.012, 0.030, 0.018}), 0.03);
}

double sleeve(const Vec3& p) {
  const auto& at = kPlan.arm;
  const Vec3 beyond = at[3] + 0.10 * (at[4] - at[3]);
  const double upper = tapered_capsule(p, at[1], at[2], 0.057, 0.043);
  return smooth_union(upper, tapered_capsule(p, at[2], beyond, 0.043, 0.030), 0.006);
}

double arm(const Vec3& p) {
  const auto& at = kPlan.arm;
  const Vec3 along = (at[4] - at[3]).normalized(), across = Vec3::UnitZ(), out = along.cross(across);
  double d = sleeve(p);
  const Vec3 palm = at[3] + 0.055 * along;
  const Vec3 local((p - palm).dot(along), (p - palm).dot(across), (p - palm).dot(out));
  d = smooth_union(d, ellipsoid(local, Vec3::Zero(), {0.054, 0.040, 0.024}), 0.025);
  const FlatEnd knuckles{palm + 0.030 * along, 0.038, 0.018}, tips{palm + 0.100 * along, 0.028, 0.015};
  d = smooth_union(d, flat_cone(p, knuckles, tips, out), 0.02);
  return smooth_union(d, tapered_capsule(p, palm + 0.026 * across, palm + 0.045 * along + 0.060 * across, 0.017, 0.015),
                      0.018);
}

double trouser_leg(const Vec3& p) {
  const auto& at = kPlan.leg;
  double d = tapered_capsule(p, at[0], at[1], 0.084, 0.056);
  d = smooth_union(d, tapered_capsule(p, at[1], at[2] - Vec3(0, 0.03, 0), 0.056, 0.037), 0.006);
  return smooth_union(d, ellipsoid(p, {0.107, 0.375, -0.022}, {0.050, 0.115, 0.052}), 0.05);  // calf
}

double leg(const Vec3& p) {
  double foot = ellipsoid(p, {0.115, 0.032, 0.015}, {0.043, 0.045, 0.095});
  foot = smooth_union(foot, ellipsoid(p, {0.124, 0.024, 0.105}, {0.047, 0.030, 0.070}), 0.05);
  return smooth_intersection(smooth_union(trouser_leg(p), foot, 0.045), -p.y(), 0.012);
}

double upper_body(const Vec3& p) {
  const Vec3 left = to_left(p);
  return join_trunk_and_leg(join_trunk_and_arm(join_trunk_and_neck(trunk(p), neck(p)), sleeve(left)),
                            trouser_leg(left));
}

double lower_body(const Vec3& p) { return join_trunk_and_leg(trunk(p), trouser_leg(to_left(p))); }

double body(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = join_trunk_and_neck(trunk(p), neck(p));
  d = smooth_union(d, head(p), 0.035);
  return join_trunk_and_leg(join_trunk_and_arm(d, arm(left)), leg(left));
}

Eigen::Vector4f skin_color(const Vec3& p) {
  static const Eigen::Vector3f pale(0.62f, 0.52f, 0.43f), shade(0.50f, 0.39f, 0.31f);
  const Eigen::Vector3f color = mix(pale, shade, smooth_step(0.02, -0.12, p.z()) * 0.4);
  return {color.x(), color.y(), color.z(), 1};
}

}  // namespace rigspace::mannequin
