#pragma once
// Small surfaces made in code, for tests of bodies.

#include "rigspace/geometry/tri_mesh.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

namespace rigspace::testing {

/// A sphere of 2 rings * rings quads, its points moved to radius(direction) from the centre.
inline TriMesh ball(const Vec3& center, const std::function<double(const Vec3&)>& radius, int rings) {
  const int sides = 2 * rings;
  TriMesh mesh;
  mesh.points.resize(3 * (sides * (rings - 1) + 2));
  int count = 0;
  const auto add = [&](const Vec3& direction) { point(mesh.points, count++) = center + radius(direction) * direction; };
  for (int i = 1; i < rings; ++i)
    for (int j = 0; j < sides; ++j) {
      const double u = std::numbers::pi * i / rings, v = 2 * std::numbers::pi * j / sides;
      add({std::sin(u) * std::cos(v), std::cos(u), -std::sin(u) * std::sin(v)});
    }
  add(Vec3::UnitY());
  add(-Vec3::UnitY());
  const int top = sides * (rings - 1), bottom = top + 1;
  for (int j = 0; j < sides; ++j) {
    const int next = (j + 1) % sides;
    mesh.triangles.push_back({top, j, next});
    for (int i = 0; i + 2 < rings; ++i) {
      const int a = i * sides + j, b = (i + 1) * sides + j, c = (i + 1) * sides + next, d = i * sides + next;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
    mesh.triangles.push_back({(rings - 2) * sides + next, (rings - 2) * sides + j, bottom});
  }
  return mesh;
}

inline TriMesh ball(const Vec3& center, double radius, int rings = 24) {
  return ball(
      center, [=](const Vec3&) { return radius; }, rings);
}

/// Radius 1 with random waves.
inline TriMesh blob(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Vec3> wave(6);
  for (Vec3& w : wave) w = 2.5 * Vec3(normal(random), normal(random), normal(random));
  return ball(
      Vec3::Zero(),
      [wave](const Vec3& d) {
        double r = 1;
        for (const Vec3& w : wave) r += 0.11 * std::sin(w.dot(d) + w[0]);
        return r;
      },
      32);
}

/// The surface of those boxes of a grid, given by its planes, for which `filled` is true. Closed, outward, welded.
inline TriMesh blocks(const std::array<std::vector<double>, 3>& planes,
                      const std::function<bool(int, int, int)>& filled) {
  const std::array<int, 3> n{static_cast<int>(planes[0].size()) - 1, static_cast<int>(planes[1].size()) - 1,
                             static_cast<int>(planes[2].size()) - 1};
  TriMesh mesh;
  std::vector<double> points;
  const auto is_filled = [&](std::array<int, 3> c) {
    for (int k = 0; k < 3; ++k)
      if (c[k] < 0 || c[k] >= n[k]) return false;
    return filled(c[0], c[1], c[2]);
  };
  for (int i = 0; i < n[0] * n[1] * n[2]; ++i) {
    const std::array<int, 3> c{i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
    if (!is_filled(c)) continue;
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) {
        auto beyond = c;
        beyond[axis] += side ? 1 : -1;
        if (is_filled(beyond)) continue;
        const int b = (axis + 1) % 3, d = (axis + 2) % 3;
        const int first = static_cast<int>(points.size() / 3);
        for (int k = 0; k < 4; ++k) {  // counter-clockwise about the axis
          Vec3 x;
          x[axis] = planes[axis][c[axis] + side];
          x[b] = planes[b][c[b] + (k == 1 || k == 2)];
          x[d] = planes[d][c[d] + (k == 2 || k == 3)];
          points.insert(points.end(), {x[0], x[1], x[2]});
        }
        if (side) {
          mesh.triangles.push_back({first, first + 1, first + 2});
          mesh.triangles.push_back({first, first + 2, first + 3});
        } else {
          mesh.triangles.push_back({first, first + 2, first + 1});
          mesh.triangles.push_back({first, first + 3, first + 2});
        }
      }
  }
  mesh.points = Eigen::Map<const Vec>(points.data(), static_cast<Eigen::Index>(points.size()));
  return weld(mesh, 1e-9).mesh;
}

inline TriMesh cuboid(const Vec3& low, const Vec3& high) {
  return blocks({std::vector{low[0], high[0]}, {low[1], high[1]}, {low[2], high[2]}},
                [](int, int, int) { return true; });
}

/// A tube along y from 0 to `length`, both ends open.
inline TriMesh open_tube(double radius, double length, int sides = 24, int rings = 24) {
  TriMesh mesh;
  mesh.points.resize(3 * sides * (rings + 1));
  for (int i = 0; i <= rings; ++i)
    for (int j = 0; j < sides; ++j) {
      const double angle = 2 * std::numbers::pi * j / sides;
      point(mesh.points, i * sides + j) = Vec3(radius * std::cos(angle), length * i / rings, radius * std::sin(angle));
      if (i == rings) continue;
      const int a = i * sides + j, b = i * sides + (j + 1) % sides, c = a + sides, d = b + sides;
      mesh.triangles.push_back({a, c, b});
      mesh.triangles.push_back({b, c, d});
    }
  return mesh;
}

/// A rectangle bent a little, in the plane of x and y.
inline TriMesh sheet(const Vec3& low, double width, double height, double bend, int n = 8) {
  TriMesh mesh;
  mesh.points.resize(3 * (n + 1) * (n + 1));
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      const double u = static_cast<double>(j) / n, v = static_cast<double>(i) / n;
      point(mesh.points, i * (n + 1) + j) = low + Vec3(width * u, height * v, bend * (1 - 4 * (u - 0.5) * (u - 0.5)));
      if (i == n || j == n) continue;
      const int a = i * (n + 1) + j;
      mesh.triangles.push_back({a, a + 1, a + n + 2});
      mesh.triangles.push_back({a, a + n + 2, a + n + 1});
    }
  return mesh;
}

inline TriMesh together(const TriMesh& a, const TriMesh& b) {
  TriMesh mesh = a;
  mesh.points.resize(a.points.size() + b.points.size());
  mesh.points << a.points, b.points;
  for (Triangle t : b.triangles) {
    for (int& c : t) c += a.point_count();
    mesh.triangles.push_back(t);
  }
  return mesh;
}

inline TriMesh flipped(TriMesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

}  // namespace rigspace::testing
