#include "bobbin_shape.h"

#include <cmath>
#include <vector>

namespace rigspace::bobbin {
namespace {

using shapes::CurvePoint;
using shapes::mirrored;
using shapes::mix;
using shapes::smooth_line;

// Little soft plates down the spine, from the nape to the tail.
double ridge(const Vec3& p) {
  struct Plate {
    Vec3 center;
    double size;
  };
  static const std::array<Plate, 7> plates{{{{0, 1.135, -0.10}, 0.052},
                                            {{0, 1.025, -0.198}, 0.058},
                                            {{0, 0.895, -0.222}, 0.05},
                                            {{0, 0.645, -0.158}, 0.05},
                                            {{0, 0.52, -0.205}, 0.058},
                                            {{0, 0.39, -0.268}, 0.055},
                                            {{0, 0.305, -0.365}, 0.044}}};
  double d = 1e9;
  for (const Plate& plate : plates)
    d = smooth_union(d, ellipsoid(p, plate.center, {0.028, plate.size, plate.size}), 0.025);
  return d;
}

double horns(const Vec3& left) {
  return tapered_capsule(left, {0.078, 1.12, 0.035}, {0.098, 1.172, 0.022}, 0.038, 0.027);
}

// Distance to a ball around a part: stands in for the part where that is too far to matter.
constexpr double kFar = 0.15;

}  // namespace

double trunk(const Vec3& p) {
  const double belly = ellipsoid(p, {0, 0.405, 0.08}, {0.29, 0.24, 0.262});
  const double rump = sphere(p, {0, 0.34, -0.07}, 0.2);
  const double chest = ellipsoid(p, {0, 0.625, 0.0}, {0.162, 0.16, 0.145});
  return smooth_union(smooth_union(belly, rump, 0.12), chest, 0.10);
}

double head(const Vec3& p) {
  const Vec3 left(std::abs(p.x()), p.y(), p.z());
  double d = ellipsoid(p, {0, 0.935, 0.01}, {0.262, 0.218, 0.228});
  d = smooth_union(d, ellipsoid(left, {0.135, 0.855, 0.075}, {0.125, 0.098, 0.125}), 0.10);  // cheeks
  d = smooth_union(d, ellipsoid(p, {0, 0.868, 0.195}, {0.125, 0.082, 0.11}), 0.06);          // snout
  return smooth_union(d, horns(left), 0.03);
}

double ear(const Vec3& p) {
  const double ball = sphere(p, {0.36, 0.94, -0.03}, 0.27);
  if (ball > kFar) return ball;
  static const Vec3 normal = Vec3(0.12, 0.05, 1).normalized();
  // Half widths along the curve through the joints: narrow at the root, full like a leaf, round at the tip.
  static const std::vector<FlatEnd> ends = [] {
    std::vector<FlatEnd> result;
    for (const CurvePoint& c : smooth_line(kEar, 3)) {
      const double width = 0.05 + 0.082 * std::sin(2.55 * std::pow(c.fraction, 0.85));
      result.push_back({c.position, width, 0.031 - 0.003 * c.fraction});
    }
    return result;
  }();
  double d = flat_cone(p, ends[0], ends[1], normal);
  for (std::size_t k = 1; k + 1 < ends.size(); ++k)
    d = smooth_union(d, flat_cone(p, ends[k], ends[k + 1], normal), 0.012);
  return d;
}

double arm(const Vec3& p) {
  double d = tapered_capsule(p, kPlan.arm[1], kPlan.arm[2], 0.07, 0.055);
  d = smooth_union(d, tapered_capsule(p, kPlan.arm[2], kPlan.arm[3], 0.055, 0.05), 0.02);
  d = smooth_union(d, sphere(p, {0.418, 0.555, 0.03}, 0.063), 0.04);                                           // mitten
  d = smooth_union(d, tapered_capsule(p, {0.398, 0.572, 0.065}, {0.392, 0.574, 0.106}, 0.031, 0.027), 0.025);  // thumb
  return d;
}

double leg(const Vec3& p) {
  double d = tapered_capsule(p, kPlan.leg[0], kPlan.leg[1], 0.12, 0.1);
  d = smooth_union(d, tapered_capsule(p, kPlan.leg[1], kPlan.leg[2], 0.1, 0.084), 0.02);
  double foot = ellipsoid(p, {0.148, 0.045, 0.05}, {0.1, 0.078, 0.145});
  for (const double toe : {-0.06, 0.0, 0.06}) {
    foot = smooth_union(foot, sphere(p, {0.152 + toe, 0.042, 0.165 - 3.2 * toe * toe}, 0.046), 0.03);
  }
  d = smooth_union(d, foot, 0.06);
  return smooth_intersection(d, -p.y(), 0.025);  // flat soles on the ground
}

double tail(const Vec3& p) {
  const double ball = sphere(p, {0, 0.3, -0.43}, 0.36);
  if (ball > kFar) return ball;
  static const std::vector<CurvePoint> line = smooth_line(kTail, 3);
  const auto radius = [](double t) { return 0.036 + 0.082 * std::pow(1 - t, 1.7); };
  double d = 1e9;
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    const double piece = tapered_capsule(p, line[k].position, line[k + 1].position, radius(line[k].fraction),
                                         radius(line[k + 1].fraction));
    d = k == 0 ? piece : smooth_union(d, piece, 0.008);
  }
  return d;
}

double body(const Vec3& p) {
  const Vec3 m = mirrored(p);
  // Pairs first, so that left and right enter alike.
  double all = smooth_union(trunk(p), std::min(leg(p), leg(m)), 0.05);
  all = smooth_union(all, tail(p), 0.09);
  all = smooth_union(all, std::min(arm(p), arm(m)), 0.035);
  all = smooth_union(all, head(p), 0.06);
  all = smooth_union(all, std::min(ear(p), ear(m)), 0.045);
  return smooth_union(all, ridge(p), 0.02);
}

Eigen::Vector4f skin_color(const Vec3& p) {
  static const Eigen::Vector3f mint(0.13f, 0.46f, 0.42f), deep(0.06f, 0.30f, 0.33f), cream(0.93f, 0.80f, 0.58f),
      coral(0.90f, 0.28f, 0.17f), blush(0.93f, 0.36f, 0.30f);
  const Vec3 left(std::abs(p.x()), p.y(), p.z());
  Eigen::Vector3f color = mint;
  color = mix(color, deep, 0.6 * smooth_step(0.02, -0.25, p.z()));  // darker along the back
  const double snout = ellipsoid(p, {0, 0.85, 0.28}, {0.14, 0.085, 0.145});
  color = mix(color, cream, smooth_step(0.0, -0.035, ellipsoid(p, {0, 0.415, 0.33}, {0.225, 0.23, 0.235})));  // belly
  color = mix(color, cream, smooth_step(0.01, -0.02, snout));
  color = mix(color, blush, 0.8 * smooth_step(0.075, 0.015, (left - Vec3(0.195, 0.872, 0.175)).norm()));  // cheeks
  if (ear(left) < 0.02) {  // ear insides: what remains when the ear is pushed forward
    const double inside = ear(left - Vec3(0, 0, 0.022));
    color = mix(color, blush, 0.9 * smooth_step(-0.004, -0.016, inside) * smooth_step(0.225, 0.295, left.x()));
  }
  color = mix(color, cream, smooth_step(0.01, 0.002, horns(left)));
  color = mix(color, coral, smooth_step(0.012, 0.002, ridge(p)));
  return {color.x(), color.y(), color.z(), 1.0f};
}

}  // namespace rigspace::bobbin
