#pragma once
// An arm of two bones in a sleeve, all by formulas: small and quick.

#include "rigspace/apps/clothing/kinematic_reference.h"
#include "rigspace/base/types.h"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace rigspace::testing {

/// The sleeve lies along x from -1 to 1, radius 0.1; joint 0 holds x < 0, joint 1 turns about the origin's z axis.
struct SleeveOnArm {
  Vec x_rest;
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::vector<Influence>> weights;

  explicit SleeveOnArm(int rings = 24, int sides = 12, double blend = 0.25) {
    x_rest.resize(3 * (rings + 1) * sides);
    for (int r = 0; r <= rings; ++r)
      for (int k = 0; k < sides; ++k) {
        const double x = 2.0 * r / rings - 1, around = 2 * std::numbers::pi * k / sides;
        const int i = r * sides + k;
        point(x_rest, i) = Vec3(x, 0.1 * std::cos(around), 0.1 * std::sin(around));
        const double t = std::clamp(0.5 + 0.5 * x / blend, 0.0, 1.0), w = t * t * (3 - 2 * t);
        weights.emplace_back();
        if (w < 1) weights.back().push_back({0, 1 - w});
        if (w > 0) weights.back().push_back({1, w});
        if (r == rings) continue;
        const int b = r * sides + (k + 1) % sides;
        triangles.push_back({i, i + sides, b});
        triangles.push_back({b, i + sides, b + sides});
      }
  }

  int point_count() const { return static_cast<int>(x_rest.size() / 3); }

  /// Both joints turned by `root` degrees about y and moved; the second bent by `bend` about z and turned by `twist`
  /// about x.
  static std::vector<Affine> pose(double bend, double twist = 0, double root = 0) {
    const auto turn = [](double degrees, const Vec3& axis) {
      return Eigen::AngleAxisd(degrees * kDegree, axis).toRotationMatrix();
    };
    Affine base = identity_affine(), bent = identity_affine();
    linear(base) = turn(root, Vec3::UnitY());
    translation(base) = Vec3(0.01 * root, 0, 0);
    linear(bent) = turn(bend, Vec3::UnitZ()) * turn(twist, Vec3::UnitX());
    return {base, compose(base, bent)};
  }
};

}  // namespace rigspace::testing
