#include "bobbin_shape.h"

#include <cmath>
#include <vector>

namespace rigspace::bobbin {
namespace {

struct CurvePoint {
  Vec3 position;
  double fraction;  // 0 at the first joint, 1 at the end
};

// The Catmull-Rom curve through the joints of a chain, `pieces` to a bone.
template <std::size_t N>
std::vector<CurvePoint> smooth_line(const std::array<Vec3, N>& joints, int pieces) {
  std::vector<CurvePoint> line;
  const int bones = static_cast<int>(N) - 1;
  const auto at = [&](int k) -> Vec3 {
    if (k < 0) return 2 * joints[0] - joints[1];
    if (k > bones) return 2 * joints[bones] - joints[bones - 1];
    return joints[k];
  };
  for (int k = 0; k < bones; ++k) {
    for (int i = k == 0 ? 0 : 1; i <= pieces; ++i) {
      const double t = static_cast<double>(i) / pieces, t2 = t * t, t3 = t2 * t;
      const Vec3 m0 = 0.5 * (at(k + 1) - at(k - 1)), m1 = 0.5 * (at(k + 2) - at(k));
      line.push_back(
          {(2 * t3 - 3 * t2 + 1) * at(k) + (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * at(k + 1) + (t3 - t2) * m1,
           (k + t) / bones});
    }
  }
  return line;
}

double trunk(const Vec3& p) {
  const double belly = ellipsoid(p, {0, 0.405, 0.08}, {0.29, 0.24, 0.262});
  const double rump = sphere(p, {0, 0.34, -0.07}, 0.2);
  const double chest = ellipsoid(p, {0, 0.625, 0.0}, {0.162, 0.16, 0.145});
  return smooth_union(smooth_union(belly, rump, 0.12), chest, 0.10);
}

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

double head(const Vec3& p) {
  const Vec3 left(std::abs(p.x()), p.y(), p.z());
  double d = ellipsoid(p, {0, 0.935, 0.01}, {0.262, 0.218, 0.228});
  d = smooth_union(d, ellipsoid(left, {0.135, 0.855, 0.075}, {0.125, 0.098, 0.125}), 0.10);  // cheeks
  d = smooth_union(d, ellipsoid(p, {0, 0.868, 0.195}, {0.125, 0.082, 0.11}), 0.06);          // snout
  return smooth_union(d, horns(left), 0.03);
}

// Distance to a ball around a part: stands in for the part where that is too far to matter.
constexpr double kFar = 0.15;

double ear(const Vec3& p) {
  const double ball = sphere(p, {0.36, 0.94, -0.03}, 0.27);
  if (ball > kFar) return ball;
  static const Vec3 normal = Vec3(0.12, 0.05, 1).normalized();
  // Half widths along the curve through the joints: narrow at the root, full like a leaf, round at the tip.
  static const std::vector<FlatEnd> ends = [] {
    std::vector<FlatEnd> result;
    for (const CurvePoint& c : smooth_line<4>(kEar, 3)) {
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
  double d = tapered_capsule(p, kArm[1], kArm[2], 0.07, 0.055);
  d = smooth_union(d, tapered_capsule(p, kArm[2], kArm[3], 0.055, 0.05), 0.02);
  d = smooth_union(d, sphere(p, {0.418, 0.555, 0.03}, 0.063), 0.04);                                           // mitten
  d = smooth_union(d, tapered_capsule(p, {0.398, 0.572, 0.065}, {0.392, 0.574, 0.106}, 0.031, 0.027), 0.025);  // thumb
  return d;
}

double leg(const Vec3& p) {
  double d = tapered_capsule(p, kLeg[0], kLeg[1], 0.12, 0.1);
  d = smooth_union(d, tapered_capsule(p, kLeg[1], kLeg[2], 0.1, 0.084), 0.02);
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
  static const std::vector<CurvePoint> line = smooth_line<6>(kTail, 3);
  const auto radius = [](double t) { return 0.036 + 0.082 * std::pow(1 - t, 1.7); };
  double d = 1e9;
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    const double piece = tapered_capsule(p, line[k].position, line[k + 1].position, radius(line[k].fraction),
                                         radius(line[k + 1].fraction));
    d = k == 0 ? piece : smooth_union(d, piece, 0.008);
  }
  return d;
}

Eigen::Vector3f mix(const Eigen::Vector3f& a, const Eigen::Vector3f& b, double t) {
  return a + static_cast<float>(t) * (b - a);
}

}  // namespace

Parts parts(const Vec3& p) {
  const Vec3 m = mirrored(p);
  return {trunk(p), head(p), arm(p), arm(m), leg(p), leg(m), tail(p), ear(p), ear(m)};
}

double body(const Vec3& p) {
  const Parts d = parts(p);
  // Pairs first, so that left and right enter alike.
  double all = smooth_union(d.trunk, std::min(d.leg_l, d.leg_r), 0.05);
  all = smooth_union(all, d.tail, 0.09);
  all = smooth_union(all, std::min(d.arm_l, d.arm_r), 0.035);
  all = smooth_union(all, d.head, 0.06);
  all = smooth_union(all, std::min(d.ear_l, d.ear_r), 0.045);
  return smooth_union(all, ridge(p), 0.02);
}

SkinPoint front_skin(double x, double y) {
  double outside = 0.6, inside = 0;
  for (double z = outside; z > inside; z -= 0.005) {
    if (body({x, y, z}) < 0) {
      inside = z;
      break;
    }
    outside = z;
  }
  for (int round = 0; round < 40; ++round) {
    const double z = 0.5 * (outside + inside);
    (body({x, y, z}) < 0 ? inside : outside) = z;
  }
  const Vec3 position(x, y, inside);
  return {position, gradient(body, position, 1e-4).normalized()};
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
