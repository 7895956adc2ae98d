#include "rigspace/geometry/signed_distance.h"
#include "shapes.h"
#include "torso.h"

#include <cmath>

namespace rigspace::torso {
namespace {

using shapes::to_left;

const Vec3 kDown = Vec3(0.80, -0.60, 0).normalized();  // of the arms

Vec3 breast(const Build& b) { return {0.95 * b.breast, 0.455, 0.62 * b.ribs.z()}; }

double bell(double x) { return std::exp(-x * x); }

}  // namespace

const Build kLean{.name = "torso",
                  .ribs = {0.150, 0.185, 0.098},
                  .waist = {0.122, 0.165, 0.084},
                  .hips = {0.150, 0.115, 0.098},
                  .belly = 0,
                  .breast = 0.078,
                  .shoulder = 0.165,
                  .upper = 0.25,
                  .fore = 0.22,
                  .deltoid = 0.056,
                  .biceps = 0.048,
                  .elbow = 0.038,
                  .wrist = 0.030};
const Build kRound{.name = "stout_torso",
                   .ribs = {0.178, 0.190, 0.135},
                   .waist = {0.182, 0.170, 0.140},
                   .hips = {0.186, 0.120, 0.138},
                   .belly = 0.062,
                   .breast = 0.090,
                   .shoulder = 0.185,
                   .upper = 0.21,
                   .fore = 0.18,
                   .deltoid = 0.070,
                   .biceps = 0.062,
                   .elbow = 0.050,
                   .wrist = 0.042};

Vec3 shoulder(const Build& b) { return {b.shoulder, 0.545, -0.005}; }
Vec3 elbow(const Build& b) { return shoulder(b) + b.upper * kDown; }
Vec3 wrist(const Build& b) { return elbow(b) + b.fore * kDown; }

double trunk(const Build& b, const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 0.425, 0}, b.ribs);
  d = smooth_union(d, ellipsoid(left, breast(b), {1.05 * b.breast, 0.068, 0.050}), 0.05);
  d = smooth_union(d, ellipsoid(p, {0, 0.255, 0.004}, b.waist), 0.09);
  d = smooth_union(d, ellipsoid(p, {0, 0.125, -0.004}, b.hips), 0.08);
  if (b.belly > 0) d = smooth_union(d, ellipsoid(p, {0, 0.225, b.belly}, 0.86 * b.waist), 0.09);
  d = smooth_union(d, tapered_capsule(left, {0, 0.545, -0.012}, {0.85 * b.shoulder, 0.550, -0.012}, 0.060, 0.056),
                   0.06);
  return smooth_union(d, tapered_capsule(p, {0, 0.56, -0.012}, {0, 0.675, 0.004}, 0.062, 0.050), 0.06);
}

double arm(const Build& b, const Vec3& left) {
  const Vec3 s = shoulder(b), e = elbow(b), w = wrist(b), middle = s + 0.45 * (e - s), below = e + 0.25 * (w - e);
  double d = tapered_capsule(left, s, middle, b.deltoid, b.biceps);
  d = smooth_union(d, tapered_capsule(left, middle, e, b.biceps, b.elbow), 0.02);
  d = smooth_union(d, tapered_capsule(left, e, below, b.elbow, 1.06 * b.elbow), 0.02);
  d = smooth_union(d, tapered_capsule(left, below, w, 1.06 * b.elbow, b.wrist), 0.02);
  return smooth_union(d, sphere(left, w + 0.045 * kDown, 1.35 * b.wrist), 0.03);  // the fist
}

double solid(const Build& b, const Vec3& p) { return smooth_union(trunk(b, p), arm(b, to_left(p)), 0.045); }

Vec3 chest_flexed(const Build& b, const Vec3& p) {
  const Vec3 left = to_left(p), from = left - breast(b);
  const double front = smooth_step(0.2 * b.ribs.z(), 0.6 * b.ribs.z(), p.z());
  const double x = from.x() / (0.85 * b.breast), y = from.y() / 0.058;
  const double belly = bell(x) * bell(y), below = bell(x) * bell((from.y() + 0.078) / 0.024);
  const double between = bell(left.x() / 0.020) * bell(from.y() / 0.075);
  const Vec3 offset =
      front * (belly * Vec3(-0.010, 0.012, 0.024) - below * Vec3(0, -0.004, 0.009) - between * Vec3(0, 0, 0.008));
  return {p.x() < 0 ? -offset.x() : offset.x(), offset.y(), offset.z()};
}

Vec3 biceps_flexed(const Build& b, const Vec3& p) {
  const Vec3 left = to_left(p), s = shoulder(b), axis = elbow(b) - s;
  const double along = (left - s).dot(axis) / axis.squaredNorm();
  const Vec3 off = left - s - along * axis;
  const double away = off.norm() / b.biceps;
  if (away > 1.6) return Vec3::Zero();  // of the trunk
  const double near = bell((along - 0.58) / 0.24) * smooth_step(0.15, 0.35, along) * smooth_step(1.6, 1.25, away);
  const Vec3 offset = near * smooth_step(-0.4, 0.9, off.z() / b.biceps) * Vec3(0.004, 0.003, 0.32 * b.biceps);
  return {p.x() < 0 ? -offset.x() : offset.x(), offset.y(), offset.z()};
}

}  // namespace rigspace::torso
