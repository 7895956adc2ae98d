#include "dragon_shape.h"

#include <cmath>

namespace rigspace::dragon {
namespace {

using shapes::mix;
using shapes::to_left;
using shapes::Tube;

const Eigen::Vector3f kGreen(0.045f, 0.27f, 0.12f), kDark(0.015f, 0.12f, 0.075f), kCream(0.72f, 0.60f, 0.33f),
    kAmber(0.78f, 0.27f, 0.035f), kMouth(0.32f, 0.035f, 0.035f);

Eigen::Vector4f opaque(const Eigen::Vector3f& color) { return {color.x(), color.y(), color.z(), 1}; }

// A fin that leans back, square to x.
double spike(const Vec3& p, const Vec3& root, const Vec3& tip, double radius) {
  if ((p - root).norm() > 4 * radius + 0.15) return (p - root).norm() - 2 * radius;
  const Vec3 flat(1.8 * p.x(), p.y(), p.z());
  return 0.6 * tapered_capsule(flat, root, tip, radius, 0.008);
}

// Spikes along a line of the back; sizes by the fraction.
template <class Size>
double ridge(const Vec3& p, std::span<const shapes::CurvePoint> line, int step, const Size& height_and_radius) {
  double d = 1;
  for (std::size_t k = 1; k + 1 < line.size(); k += step) {
    const auto [above, height, radius] = height_and_radius(line[k].fraction);
    const Vec3 along = (line[k + 1].position - line[k - 1].position).normalized();
    const Vec3 up = Vec3::UnitX().cross(along).y() > 0 ? Vec3::UnitX().cross(along) : along.cross(Vec3::UnitX());
    const Vec3 root = line[k].position + above * up;
    d = std::min(d, spike(p, root, root + height * up + Vec3(0, 0, -0.6 * height), radius));
  }
  return d;
}

struct Spike {
  double above, height, radius;
};

double triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, double thickness) {
  const Vec3 normal = (b - a).cross(c - a).normalized();
  const double across = std::abs((p - a).dot(normal));
  const Vec3 flat = p - (p - a).dot(normal) * normal;
  double outside = 0;
  bool within = true;
  const std::array corner{a, b, c};
  double nearest = 1e9;
  for (int k = 0; k < 3; ++k) {
    const Vec3 &from = corner[k], &to = corner[(k + 1) % 3];
    within = within && normal.dot((to - from).cross(flat - from)) >= 0;
    nearest = std::min(nearest, (flat - from - segment_parameter(flat, from, to) * (to - from)).norm());
  }
  outside = within ? 0 : nearest;
  return std::hypot(across, outside) - thickness;
}

double paw(const Vec3& p, const Vec3& ankle, const Vec3& ball, const Vec3& toes) {
  double d = tapered_capsule(p, ankle, ball + Vec3(0, 0.02, 0), 0.062, 0.062);
  for (const double aside : {-0.05, 0.0, 0.05}) {
    const Vec3 tip(toes.x() + 1.25 * aside, 0.032, toes.z() - 0.03 - 3 * aside * aside);
    d = smooth_union(d, tapered_capsule(p, ball + Vec3(0.6 * aside, 0.02, 0), tip, 0.052, 0.042), 0.02);
  }
  return smooth_intersection(d, -p.y(), 0.015);
}

}  // namespace

double torso(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 0.80, 0.16}, {0.225, 0.250, 0.300});                       // chest
  d = smooth_union(d, ellipsoid(p, {0, 0.775, -0.12}, {0.195, 0.205, 0.300}), 0.12);     // belly
  d = smooth_union(d, ellipsoid(p, {0, 0.785, -0.36}, {0.190, 0.195, 0.220}), 0.12);     // hips
  d = smooth_union(d, ellipsoid(left, {0.125, 0.93, 0.14}, {0.09, 0.085, 0.14}), 0.06);  // shoulder blades
  static const std::vector<shapes::CurvePoint> line = shapes::smooth_line(kSpine, 4);
  return smooth_union(d, ridge(p, line, 2, [](double t) { return Spike{0.155 + 0.03 * t, 0.115, 0.05}; }), 0.02);
}

double neck(const Vec3& p) {
  static const std::array<Vec3, 4> joints{kNeck[0], kNeck[1], kNeck[2], kNeck[3]};
  static const Tube tube(
      joints, [](double t) { return 0.155 - 0.125 * t + 0.055 * t * t; }, 4);
  static const std::vector<shapes::CurvePoint> line = shapes::smooth_line(joints, 3);
  // Behind the neck, not above it.
  double d = tube(p);
  for (std::size_t k = 2; k + 1 < line.size(); k += 2) {
    const Vec3 along = (line[k + 1].position - line[k - 1].position).normalized(), back = along.cross(Vec3::UnitX());
    const Vec3 root = line[k].position - 0.5 * (0.155 - 0.08 * line[k].fraction) * -back;
    d = smooth_union(d, spike(p, root, root + 0.15 * back + Vec3(0, 0.02, 0), 0.045), 0.015);
  }
  return d;
}

double skull(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 1.455, 0.665}, {0.118, 0.115, 0.140});
  d = smooth_union(d, tapered_capsule(p, {0, 1.435, 0.74}, {0, 1.405, 0.965}, 0.085, 0.066), 0.05);  // snout
  d = smooth_union(d, ellipsoid(left, {0.036, 1.452, 0.985}, {0.030, 0.026, 0.032}), 0.02);          // nostrils
  d = smooth_union(d, ellipsoid(left, {0.078, 1.520, 0.715}, {0.045, 0.030, 0.065}), 0.025);         // brows
  d = smooth_union(d, ellipsoid(left, {0.080, 1.390, 0.665}, {0.055, 0.065, 0.085}), 0.05);          // cheeks
  return smooth_difference(d, ellipsoid(p, {0, 1.340, 0.93}, {0.13, 0.028, 0.22}), 0.015);           // mouth
}

double jaw(const Vec3& p) {
  double d = tapered_capsule(p, kJaw[0] + Vec3(0, -0.01, -0.02), kJaw[1], 0.066, 0.044);
  return smooth_union(d, ellipsoid(p, {0, 1.298, 0.985}, {0.04, 0.03, 0.035}), 0.03);
}

double tail(const Vec3& p) {
  static const Tube tube(
      kTail, [](double t) { return 0.150 * std::pow(1 - t, 1.15) + 0.026; }, 4);
  static const std::vector<shapes::CurvePoint> line = shapes::smooth_line(kTail, 3);
  double d = tube(p);
  d = smooth_union(
      d,
      ridge(p, line, 2,
            [](double t) {
              return Spike{0.62 * (0.150 * std::pow(1 - t, 1.15) + 0.026), 0.10 - 0.055 * t, 0.042 - 0.015 * t};
            }),
      0.015);
  // A spade, flat from the side.
  const Vec3 end = kTail[6], along = (kTail[6] - kTail[5]).normalized();
  const double spade =
      flat_cone(p, {end - 0.01 * along, 0.085, 0.020}, {end + 0.20 * along, 0.016, 0.015}, Vec3::UnitX());
  return smooth_union(d, spade, 0.03);
}

double front_leg(const Vec3& p) {
  const auto& at = kFrontLeg;
  double d = smooth_union(ellipsoid(p, {0.17, 0.74, 0.255}, {0.095, 0.165, 0.125}),
                          tapered_capsule(p, at[0], at[1], 0.105, 0.075), 0.06);
  d = smooth_union(d, tapered_capsule(p, at[1], at[2], 0.075, 0.058), 0.03);
  return smooth_union(d, paw(p, at[2], at[3], at[4]), 0.03);
}

double hind_leg(const Vec3& p) {
  const auto& at = kHindLeg;
  double d = smooth_union(ellipsoid(p, {0.175, 0.69, -0.30}, {0.115, 0.215, 0.170}),
                          tapered_capsule(p, at[0], at[1], 0.12, 0.095), 0.06);
  d = smooth_union(d, tapered_capsule(p, at[1], at[2], 0.090, 0.058), 0.04);
  return smooth_union(d, paw(p, at[2], at[3], at[4]), 0.03);
}

double wing_bones(const Vec3& p) {
  double d = smooth_union(tapered_capsule(p, kWing[0], kWing[1], 0.060, 0.044),
                          tapered_capsule(p, kWing[1], kWing[2], 0.044, 0.036), 0.02);
  d = smooth_union(d, tapered_capsule(p, kWing[2], kWing[2] + Vec3(0.02, 0.10, 0.04), 0.026, 0.010), 0.015);  // claw
  for (const Vec3& tip : kFingers) d = smooth_union(d, tapered_capsule(p, kWing[2], tip, 0.036, 0.026), 0.012);
  return d;
}

double membrane(const Vec3& p) {
  constexpr double kThickness = 0.0165;
  double d = triangle(p, kWing[2], kFingers[0], kFingers[1], kThickness);
  d = std::min(d, triangle(p, kWing[2], kFingers[1], kFingers[2], kThickness));
  d = std::min(d, triangle(p, kWing[2], kFingers[2], kWing[1], kThickness));
  d = std::min(d, triangle(p, kWing[1], kFingers[2], kFlank, kThickness));
  d = std::min(d, triangle(p, kWing[1], kFlank, kWing[0], kThickness));
  // The edge between two tips hangs in an arc: a ball takes it away.
  const std::array<Vec3, 4> rim{kFingers[0], kFingers[1], kFingers[2], kFlank};
  for (std::size_t k = 0; k + 1 < rim.size(); ++k) {
    const Vec3 middle = 0.5 * (rim[k] + rim[k + 1]), out = (middle - kWing[2]).normalized();
    const double half = 0.5 * (rim[k + 1] - rim[k]).norm();
    d = smooth_difference(d, sphere(p, middle + 0.75 * half * out, 1.15 * half), 0.012);
  }
  return d;
}

Eigen::Vector4f body_color(const Vec3& p) {
  const double height = p.y() - 0.77;
  Eigen::Vector3f color = mix(kGreen, kDark, smooth_step(0.08, 0.22, height));
  const double belly = smooth_step(-0.04, -0.10, height + 0.25 * std::abs(p.x()) - 0.02);
  const Eigen::Vector3f plate = mix(kCream, kAmber, 0.35 * smooth_step(0.6, 0.95, std::cos(p.z() * 62)));
  color = mix(color, plate, belly);
  return opaque(mix(color, kAmber, smooth_step(0.225, 0.26, height)));
}

Eigen::Vector4f head_color(const Vec3& p) {
  static const std::array<Vec3, 4> joints{kNeck[0], kNeck[1], kNeck[2], kNeck[3]};
  static const Tube tube(
      joints, [](double t) { return 0.155 - 0.125 * t + 0.055 * t * t; }, 4);
  const double t = tube.fraction(p);
  Eigen::Vector3f color = kGreen;
  if (t < 0.95) {
    const std::size_t bone = std::min<std::size_t>(2, static_cast<std::size_t>(3 * t));
    const Vec3 along = (joints[bone + 1] - joints[bone]).normalized(), front = -along.cross(Vec3::UnitX());
    const double ahead = (p - joints[bone]).dot(front) / tube(joints[bone] + 1e-3 * front) * -1;
    const Eigen::Vector3f plate = mix(kCream, kAmber, 0.35 * smooth_step(0.6, 0.95, std::cos(t * 52)));
    color = mix(color, plate, smooth_step(0.35, 0.65, ahead) * smooth_step(0.95, 0.8, t));
    color = mix(color, kAmber, smooth_step(-1.15, -1.4, ahead));
  }
  color = mix(color, kCream, 0.8 * smooth_step(0.012, 0.002, jaw(p)));
  color = mix(color, kMouth, smooth_step(0.010, 0.0, ellipsoid(p, {0, 1.340, 0.90}, {0.06, 0.024, 0.16})));
  return opaque(mix(color, kDark, smooth_step(1.50, 1.56, p.y())));
}

Eigen::Vector4f tail_color(const Vec3& p) {
  static const Tube tube(
      kTail, [](double t) { return 0.150 * std::pow(1 - t, 1.15) + 0.026; }, 4);
  const double t = tube.fraction(p), off = tube(p);
  if (t > 0.985) return opaque(kAmber);
  const std::vector<shapes::CurvePoint> line = shapes::smooth_line(kTail, 3);
  const double middle = line[std::min(line.size() - 1, static_cast<std::size_t>(t * 18 + 0.5))].position.y();
  const double up = (p.y() - middle) / (0.150 * std::pow(1 - t, 1.15) + 0.026);
  Eigen::Vector3f color = mix(kGreen, kDark, smooth_step(0.3, 0.9, up));
  const Eigen::Vector3f plate = mix(kCream, kAmber, 0.35 * smooth_step(0.6, 0.95, std::cos(t * 90)));
  color = mix(color, plate, smooth_step(-0.35, -0.6, up));
  return opaque(mix(color, kAmber, smooth_step(0.012, 0.03, off)));
}

Eigen::Vector4f leg_color(const Vec3& p) { return opaque(mix(kGreen, kDark, 0.8 * smooth_step(0.25, 0.03, p.y()))); }

}  // namespace rigspace::dragon
