#include "rigspace/apps/sketch/drawing_generator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {

Drawing seen_drawing(const DrawnPart& part, In p, double turn, double tilt) {
  const auto workspace = part.rig->make_workspace();
  Vec z;
  part.rig->evaluate(*workspace, p, z);
  // From the left the part looks to the left of the picture: right is -Z, up is Y.
  const Vec3 right(-std::sin(turn), 0, -std::cos(turn)), back = Vec3(std::cos(turn), 0, -std::sin(turn));
  const Vec3 up = std::cos(tilt) * Vec3::UnitY() - std::sin(tilt) * back;
  Drawing drawing;
  for (const DrawnPart::Curve& curve : part.curves) {
    std::vector<Vec2> stroke;
    for (int k = 0; k < curve.point_count; ++k) {
      const Vec3 x = point(z, curve.first_point + k);
      stroke.emplace_back(right.dot(x), up.dot(x));
    }
    if (curve.closed) stroke.push_back(stroke.front());
    drawing.push_back(std::move(stroke));
  }
  return drawing;
}

DrawingGenerator::DrawingGenerator(const DrawnPart& part, std::uint32_t seed, const DrawingVariation& variation)
    : part_(part), variation_(variation), random_(seed) {}

// From the bits themselves: the library's distributions differ from system to system.
double DrawingGenerator::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(random_()) + 0.5) / 4294967296.0;
}

// A few waves along the stroke, across and along it.
void DrawingGenerator::wobble(double size, std::vector<Vec2>& stroke) {
  const double amount = size * uniform(0, variation_.wobble);
  constexpr int kWaves = 5;
  for (int wave = 0; wave < kWaves; ++wave) {
    const double often = uniform(0.5, 9), phase = uniform(0, 2 * std::numbers::pi);
    const double angle = uniform(0, 2 * std::numbers::pi);
    const Vec2 way = amount * std::sqrt(2.0 / kWaves) * Vec2(std::cos(angle), std::sin(angle));
    for (std::size_t k = 0; k < stroke.size(); ++k) {
      const double t = static_cast<double>(k) / static_cast<double>(stroke.size());
      stroke[k] += std::sin(2 * std::numbers::pi * often * t + phase) * way;
    }
  }
}

Drawing DrawingGenerator::next() {
  const std::span<const Control> controls = part_.rig->controls();
  Vec p(static_cast<Eigen::Index>(controls.size()));
  for (std::size_t c = 0; c < controls.size(); ++c) p[static_cast<Eigen::Index>(c)] = controls[c].rest;
  const double share = uniform(0, variation_.pose);
  for (const int c : part_.varied) {
    const double way = uniform(-1, 1), limit = way < 0 ? controls[c].min : controls[c].max;
    p[c] += share * std::abs(way) * (limit - controls[c].rest);
  }
  Drawing drawing =
      seen_drawing(part_, p, uniform(-variation_.turn, variation_.turn), uniform(-variation_.tilt, variation_.tilt));
  const double roll = uniform(-variation_.roll, variation_.roll);
  const double flip = variation_.mirrored && uniform(0, 1) < 0.5 ? -1 : 1;
  const Eigen::Matrix2d turned = Eigen::Rotation2Dd(roll).toRotationMatrix() * Eigen::Vector2d(flip, 1).asDiagonal();
  Vec2 low = Vec2::Constant(1e9), high = Vec2::Constant(-1e9);
  for (std::vector<Vec2>& stroke : drawing) {
    for (Vec2& x : stroke) {
      x = turned * x;
      low = low.cwiseMin(x), high = high.cwiseMax(x);
    }
  }
  Drawing result;
  for (std::vector<Vec2>& stroke : drawing) {
    wobble((high - low).norm(), stroke);
    if (uniform(0, 1) < 0.5) std::reverse(stroke.begin(), stroke.end());
    const auto cut = static_cast<std::ptrdiff_t>(uniform(0.2, 0.8) * static_cast<double>(stroke.size()));
    if (uniform(0, 1) < variation_.split && cut > 2) {
      result.emplace_back(stroke.begin() + cut - 1, stroke.end());
      stroke.resize(static_cast<std::size_t>(cut));
    }
    result.push_back(std::move(stroke));
  }
  for (std::size_t k = result.size(); k > 1; --k)
    std::swap(result[k - 1], result[static_cast<std::size_t>(uniform(0, static_cast<double>(k)))]);
  return result;
}

}  // namespace rigspace
