#include "flower_shape.h"

#include <cmath>
#include <numbers>

namespace rigspace::flower {
namespace {

using shapes::mix;

// The blossom's own axes: x level, y up, z where it looks.
Vec3 in_blossom(const Vec3& p) {
  static const Mat3 axes = shapes::facing(kFacing);
  return axes.transpose() * (p - kFace);
}

constexpr int kPetalCount = 12;

// One petal stands for all: the angle is folded into its sector. Petals lean forward toward their tips.
double petals(const Vec3& q) {
  const double sector = 2 * std::numbers::pi / kPetalCount;
  const double angle = std::remainder(std::atan2(q.y(), q.x()), sector), r = std::hypot(q.x(), q.y());
  const Vec3 p(r * std::cos(angle), r * std::sin(angle), q.z() - 0.45 * std::max(0.0, r - 0.08) * (r - 0.08) / 0.1);
  const FlatEnd root{{0.055, 0, 0}, 0.018, 0.013}, belly{{0.13, 0, 0}, 0.037, 0.013}, tip{{0.165, 0, 0}, 0.022, 0.012};
  return smooth_union(flat_cone(p, root, belly, Vec3::UnitZ()), flat_cone(p, belly, tip, Vec3::UnitZ()), 0.01);
}

struct Leaf {
  Vec3 center;
  std::vector<FlatEnd> ends;
  std::vector<Vec3> normals;  // of the pieces between the ends
};

const std::array<Leaf, 2>& leaves() {
  static const std::array<Leaf, 2> made = [] {
    std::array<Leaf, 2> result;
    for (std::size_t which = 0; which < 2; ++which) {
      Leaf& shape = result[which];
      shape.center = 0.5 * (kLeaves[which][0] + kLeaves[which][3]);
      for (const shapes::CurvePoint& c : shapes::smooth_line(kLeaves[which], 3)) {
        const double t = c.fraction;
        const double width = 0.015 + 0.052 * std::sin(std::numbers::pi * std::pow(t, 0.8)) * (1 - 0.25 * t);
        if (!shape.ends.empty()) {
          const Vec3 along = (c.position - shape.ends.back().center).normalized();
          shape.normals.push_back(along.cross(Vec3(0.25 * along.x(), 0, 1)).cross(along).cross(along).normalized());
        }
        shape.ends.push_back({c.position, width, 0.0125});
      }
    }
    return result;
  }();
  return made;
}

double disc(const Vec3& q) { return ellipsoid(q, {0, 0, 0.004}, {kDisc, kDisc, 0.036}); }

}  // namespace

double pot(const Vec3& p) {
  const double r = std::hypot(p.x(), p.z());
  const double wall = 0.092 + 0.032 * p.y() / kRim;
  double d = smooth_intersection(r - wall, std::abs(p.y() - 0.5 * kRim) - 0.5 * kRim, 0.02);
  const double rim = smooth_intersection(r - 0.14, std::abs(p.y() - 0.148) - 0.026, 0.015);
  d = smooth_union(d, rim, 0.012);
  return smooth_difference(d, ellipsoid(p, {0, 0.185, 0}, {0.115, 0.042, 0.115}), 0.012);  // earth, a little below
}

double stem(const Vec3& p, double thicker) {
  static const shapes::Tube tube(
      std::array{Vec3(0, 0.11, 0), kStem[0], kStem[1], kStem[2], kStem[3], Vec3(kFace)},
      [](double t) { return 0.024 - 0.007 * t; }, 4);
  return tube(p) - thicker;
}

double leaf(int which, const Vec3& p, double thicker) {
  const Leaf& shape = leaves()[which];
  const double ball = sphere(p, shape.center, 0.26);
  if (ball > shapes::Tube::kFar) return ball;
  double d = flat_cone(p, shape.ends[0], shape.ends[1], shape.normals[0]);
  for (std::size_t k = 1; k + 1 < shape.ends.size(); ++k)
    d = smooth_union(d, flat_cone(p, shape.ends[k], shape.ends[k + 1], shape.normals[k]), 0.012);
  return d - thicker;
}

double blossom(const Vec3& p, double thicker) {
  const Vec3 q = in_blossom(p);
  const double ball = q.norm() - 0.24;
  if (ball > shapes::Tube::kFar) return ball;
  if (thicker > 0)
    return smooth_union(disc(q) - thicker, ellipsoid(q, {0, 0, 0.01}, {kPetals, kPetals, 0.02 + thicker}), 0.02);
  return smooth_union(disc(q), petals(q), 0.012);
}

double plant(const Vec3& p, double thicker) {
  double d = smooth_union(stem(p, thicker), std::min(leaf(0, p, thicker), leaf(1, p, thicker)), 0.015);
  d = smooth_union(d, pot(p), 0.012);
  return smooth_union(d, blossom(p, thicker), 0.012);
}

Eigen::Vector4f color(const Vec3& p) {
  static const Eigen::Vector3f clay(0.60f, 0.20f, 0.09f), earth(0.07f, 0.035f, 0.02f), green(0.10f, 0.33f, 0.06f),
      vein(0.20f, 0.48f, 0.10f), gold(0.96f, 0.56f, 0.03f), amber(0.86f, 0.30f, 0.02f), seed(0.23f, 0.085f, 0.025f),
      cocoa(0.40f, 0.17f, 0.05f);
  const Vec3 q = in_blossom(p);
  const double r = std::hypot(q.x(), q.y());
  Eigen::Vector3f petal = mix(amber, gold, smooth_step(0.075, 0.14, r));
  Eigen::Vector3f face = mix(cocoa, seed, smooth_step(0.045, 0.078, r));
  const double in_disc = smooth_step(0.004, -0.002, disc(q) - 0.001) * smooth_step(-0.01, 0.002, q.z());
  const Eigen::Vector3f flower = mix(petal, face, in_disc);
  Eigen::Vector3f result = green;
  for (int k = 0; k < 2; ++k) {
    if (leaf(k, p) > 0.01) continue;
    const std::vector<FlatEnd>& line = leaves()[k].ends;
    double ridge = 1;
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      ridge = std::min(ridge, tapered_capsule(p, line[i].center, line[i + 1].center, 0, 0));
    result = mix(result, vein, 0.8 * smooth_step(0.024, 0.014, ridge));
  }
  result = mix(result, flower, smooth_step(0.008, 0.0, blossom(p) - 0.002));
  const double in_pot = smooth_step(0.006, 0.0, pot(p));
  const double hollow = smooth_step(0.118, 0.112, std::hypot(p.x(), p.z())) * smooth_step(0.13, 0.135, p.y());
  result = mix(result, mix(clay, earth, hollow), in_pot);
  return {result.x(), result.y(), result.z(), 1.0f};
}

}  // namespace rigspace::flower
