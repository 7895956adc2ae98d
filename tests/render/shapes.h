#pragma once
// Characters for pictures, made in code: points that stay where they are, or travel.

#include "rigspace/anim/character.h"

#include <cmath>
#include <memory>
#include <numbers>

namespace rigspace::testing {

/// Fixed points; its one control moves them all along X.
class SlidingRig final : public Rig {
 public:
  explicit SlidingRig(Vec points)
      : points_(std::move(points)), controls_{{.name = "slide.tx", .node = "slide", .unit = Unit::length}} {}
  std::span<const Control> controls() const override { return controls_; }
  int point_count() const override { return static_cast<int>(points_.size() / 3); }
  void evaluate(Workspace&, In p, Vec& s) const override {
    s = points_;
    for (int i = 0; i < point_count(); ++i) s[3 * i] += p[0];
  }

 private:
  Vec points_;
  std::vector<Control> controls_;
};

inline Character make_character(const Vec& points, std::vector<std::array<int, 3>> triangles) {
  Character character;
  character.name = "shape";
  character.rig = std::make_shared<SlidingRig>(points);
  character.pieces.push_back(
      {.name = "shape", .point_count = static_cast<int>(points.size() / 3), .triangles = std::move(triangles)});
  return character;
}

/// A sphere of longitude and latitude, its poles on the Y axis.
inline Character make_sphere(const Vec3& centre, double radius, int segments = 48) {
  Vec points(3 * (segments + 1) * (segments / 2 + 1));
  std::vector<std::array<int, 3>> triangles;
  const int rows = segments / 2, stride = segments + 1;
  for (int j = 0; j <= rows; ++j)
    for (int i = 0; i <= segments; ++i) {
      const double theta = std::numbers::pi * j / rows, phi = 2 * std::numbers::pi * i / segments;
      point(points, j * stride + i) =
          centre + radius * Vec3(std::sin(theta) * std::sin(phi), std::cos(theta), std::sin(theta) * std::cos(phi));
      if (i == segments || j == rows) continue;
      const int a = j * stride + i, b = a + stride;
      if (j > 0) triangles.push_back({a, b, a + 1});
      if (j + 1 < rows) triangles.push_back({a + 1, b, b + 1});
    }
  return make_character(points, triangles);
}

/// A square in the plane z = 0, from (-1, -1) to (1, 1), facing +Z; points: lower left, lower right, upper right, upper
/// left.
inline Character make_square() {
  Vec points(12);
  points << -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0;
  return make_character(points, {{0, 1, 2}, {0, 2, 3}});
}

inline Vec rest_points(const Character& character) {
  Vec points;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), points);
  return points;
}

inline double brightness(const std::array<std::uint8_t, 3>& color) { return (color[0] + color[1] + color[2]) / 3.0; }

}  // namespace rigspace::testing
