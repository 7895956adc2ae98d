#include "face_shape.h"

#include <cmath>

namespace rigspace::face {

using shapes::mix;
using shapes::to_left;

double skin(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 0.475, -0.02}, {0.163, 0.172, 0.183});
  d = smooth_union(d, ellipsoid(p, {0, 0.375, 0.040}, {0.128, 0.155, 0.130}), 0.05);
  d = smooth_union(d, ellipsoid(p, {0, 0.300, 0.105}, {0.068, 0.060, 0.068}), 0.05);         // muzzle
  d = smooth_union(d, ellipsoid(p, {0, 0.243, 0.122}, {0.050, 0.038, 0.046}), 0.045);        // chin
  d = smooth_union(d, ellipsoid(left, {0.084, 0.358, 0.098}, {0.052, 0.046, 0.054}), 0.04);  // cheeks
  d = smooth_union(d, ellipsoid(left, {0.062, 0.497, 0.132}, {0.062, 0.022, 0.040}), 0.03);  // brow ridge
  d = smooth_difference(d, sphere(left, {0.070, 0.438, 0.182}, 0.046), 0.03);                // eye sockets
  d = smooth_union(d, tapered_capsule(p, {0, 0.462, 0.160}, {0, 0.376, 0.212}, 0.018, 0.032), 0.025);
  d = smooth_union(d, ellipsoid(left, {0.028, 0.364, 0.185}, {0.022, 0.018, 0.024}), 0.014);  // nostrils
  double ear = ellipsoid(left, {0.172, 0.405, -0.025}, {0.024, 0.060, 0.042});
  ear = smooth_difference(ear, ellipsoid(left, {0.196, 0.410, -0.012}, {0.014, 0.036, 0.022}), 0.012);
  d = smooth_union(d, ear, 0.015);
  d = smooth_union(d, tapered_capsule(p, {0, 0.05, -0.05}, {0, 0.27, -0.035}, 0.088, 0.080), 0.04);
  d = smooth_union(d, ellipsoid(p, {0, -0.005, -0.055}, {0.270, 0.105, 0.125}), 0.06);  // shoulders
  return smooth_intersection(d, -p.y(), 0.02);
}

double hair(const Vec3& p) {
  const double shell = ellipsoid(p, {0, 0.492, -0.035}, {0.180, 0.182, 0.190});
  double d = smooth_intersection(shell, -(p - Vec3(0, 0.560, 0.085)).dot(Vec3(0, 0.66, -0.75)), 0.03);
  // A parting with a wave to its right, and temples.
  d = smooth_union(d, tapered_capsule(p, {0.075, 0.618, 0.085}, {-0.085, 0.612, 0.112}, 0.042, 0.050), 0.035);
  return smooth_union(d, tapered_capsule(p, {-0.085, 0.612, 0.112}, {-0.150, 0.545, 0.060}, 0.050, 0.028), 0.03);
}

Eigen::Vector4f skin_color(const Vec3& p) {
  static const Eigen::Vector3f tone(0.78f, 0.44f, 0.30f), rose(0.80f, 0.23f, 0.17f), shade(0.56f, 0.25f, 0.16f);
  const Vec3 left = to_left(p);
  Eigen::Vector3f color = mix(tone, rose, 0.45 * smooth_step(0.06, 0.01, (left - Vec3(0.092, 0.352, 0.135)).norm()));
  color = mix(color, rose, 0.35 * smooth_step(0.05, 0.015, (p - Vec3(0, 0.372, 0.235)).norm()));
  color = mix(color, rose, 0.3 * smooth_step(0.07, 0.03, (left - Vec3(0.185, 0.40, -0.02)).norm()));
  color = mix(color, shade, 0.5 * smooth_step(0.24, 0.20, p.y()) * smooth_step(0.10, 0.02, p.z()));
  return {color.x(), color.y(), color.z(), 1};
}

double jaw_share(const Vec3& p) {
  const double aside = std::max(0.0, std::abs(p.x()) - 0.035);
  const double below = smooth_step(kMouthHeight + 0.004 + 0.55 * aside, kMouthHeight - 0.010 - 0.35 * aside, p.y());
  return below * smooth_step(-0.03, 0.07, p.z() + 0.25 * (p.y() - 0.25)) * smooth_step(0.165, 0.225, p.y());
}

std::vector<SoftShape> soft_shapes() {
  std::vector<SoftShape> shapes;
  for (const double side : {1.0, -1.0}) {
    const std::string end = side > 0 ? "_l" : "_r";
    const auto add = [&](const char* control, const Vec3& center, const Vec3& reach, const Vec3& move) {
      const auto own = [side](const Vec3& v) { return Vec3(side * v.x(), v.y(), v.z()); };
      shapes.push_back({control + end, own(center), reach, own(move)});
    };
    const Vec3 corner(kMouthHalf, kMouthHeight, 0.155);
    add("brow_in_up", {0.032, 0.505, 0.165}, {0.050, 0.055, 0.08}, {-0.002, 0.028, 0.002});
    add("brow_out_up", {0.098, 0.505, 0.135}, {0.055, 0.055, 0.08}, {0.000, 0.026, 0.000});
    add("brow_down", {0.050, 0.503, 0.160}, {0.075, 0.050, 0.08}, {-0.010, -0.024, 0.006});
    add("smile", corner, {0.050, 0.048, 0.08}, {0.017, 0.026, -0.008});
    add("smile", {0.090, 0.350, 0.135}, {0.050, 0.045, 0.08}, {0.006, 0.012, 0.008});
    add("frown", corner, {0.046, 0.048, 0.08}, {0.005, -0.024, -0.004});
    add("lip_up", {0.026, kMouthHeight + 0.010, 0.180}, {0.038, 0.030, 0.08}, {0.002, 0.018, 0.003});
    add("lip_down", {0.026, kMouthHeight - 0.012, 0.178}, {0.038, 0.034, 0.08}, {0.002, -0.018, 0.002});
    add("cheek_puff", {0.086, 0.335, 0.120}, {0.060, 0.062, 0.09}, {0.020, -0.002, 0.020});
    add("squint", {0.078, 0.392, 0.150}, {0.058, 0.034, 0.08}, {0.000, 0.016, 0.006});
    const Vec3 nostril(0.028, 0.366, 0.200);
    shapes.push_back(
        {"nose_flare", {side * nostril.x(), nostril.y(), nostril.z()}, {0.028, 0.030, 0.05}, {side * 0.012, 0.002, 0}});
    shapes.push_back(
        {"nose_wrinkle", {side * 0.024, 0.385, 0.185}, {0.036, 0.045, 0.07}, {side * 0.004, 0.014, 0.003}});
    const auto both = [&](const char* control, const Vec3& move) {
      shapes.push_back({control,
                        {side * corner.x(), corner.y(), corner.z()},
                        {0.058, 0.045, 0.09},
                        {side * move.x(), move.y(), move.z()}});
    };
    both("pucker", {-0.026, 0.0, 0.012});
    both("wide", {0.020, 0.0, -0.010});
  }
  shapes.push_back({"pucker", {0, kMouthHeight, 0.18}, {0.045, 0.035, 0.08}, {0, 0, 0.020}});
  shapes.push_back({"mouth_shift", {0, kMouthHeight, 0.175}, {0.105, 0.060, 0.10}, {0.028, 0, 0}});
  shapes.push_back({"chin_up", {0, 0.258, 0.155}, {0.055, 0.055, 0.08}, {0, 0.018, 0.006}});
  return shapes;
}

Vec3 offset(const std::vector<SoftShape>& shapes, const std::string& control, const Vec3& p) {
  Vec3 sum = Vec3::Zero();
  for (const SoftShape& shape : shapes) {
    if (shape.control != control) continue;
    const double d2 = (p - shape.center).cwiseQuotient(shape.reach).squaredNorm();
    if (d2 < 1) sum += (1 - d2) * (1 - d2) * shape.move;
  }
  return sum;
}

}  // namespace rigspace::face
