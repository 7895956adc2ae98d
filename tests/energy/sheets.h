#pragma once
// Sheets of cloth and shapes to drop them on.

#include "rigspace/geometry/tri_mesh.h"

#include <cmath>
#include <numbers>

namespace rigspace::testing {

/// A flat sheet in x and z of (columns + 1) x (rows + 1) points, its middle at the origin; diagonals alternate.
inline TriMesh sheet(double width, double depth, int columns, int rows) {
  TriMesh mesh;
  mesh.points.resize(3 * (columns + 1) * (rows + 1));
  const auto id = [&](int i, int j) { return j * (columns + 1) + i; };
  for (int j = 0; j <= rows; ++j)
    for (int i = 0; i <= columns; ++i)
      point(mesh.points, id(i, j)) = Vec3(width * (double(i) / columns - 0.5), 0, depth * (double(j) / rows - 0.5));
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) {
      const int a = id(i, j), b = id(i + 1, j), c = id(i + 1, j + 1), d = id(i, j + 1);
      if ((i + j) % 2 == 0)
        mesh.triangles.insert(mesh.triangles.end(), {{a, d, c}, {a, c, b}});
      else
        mesh.triangles.insert(mesh.triangles.end(), {{a, d, b}, {b, d, c}});
    }
  return mesh;
}

/// A sphere of rings and poles.
inline TriMesh ball(const Vec3& center, double radius, int rings, int around) {
  TriMesh mesh;
  mesh.points.resize(3 * ((rings - 1) * around + 2));
  const int top = (rings - 1) * around, bottom = top + 1;
  for (int r = 1; r < rings; ++r)
    for (int k = 0; k < around; ++k) {
      const double a = std::numbers::pi * r / rings, b = 2 * std::numbers::pi * k / around;
      point(mesh.points, (r - 1) * around + k) =
          center + radius * Vec3(std::sin(a) * std::cos(b), std::cos(a), std::sin(a) * std::sin(b));
    }
  point(mesh.points, top) = center + Vec3(0, radius, 0);
  point(mesh.points, bottom) = center - Vec3(0, radius, 0);
  for (int k = 0; k < around; ++k) {
    const int next = (k + 1) % around;
    mesh.triangles.push_back({top, next, k});
    for (int r = 1; r + 1 < rings; ++r) {
      const int a = (r - 1) * around + k, b = (r - 1) * around + next;
      mesh.triangles.insert(mesh.triangles.end(), {{a, b, b + around}, {a, b + around, a + around}});
    }
    mesh.triangles.push_back({bottom, (rings - 2) * around + k, (rings - 2) * around + next});
  }
  return mesh;
}

/// A tube along x of (along + 1) x around points.
inline TriMesh tube(double length, double radius, int along, int around) {
  TriMesh mesh;
  mesh.points.resize(3 * (along + 1) * around);
  for (int i = 0; i <= along; ++i)
    for (int k = 0; k < around; ++k) {
      const double b = 2 * std::numbers::pi * (k + 0.5 * (i % 2)) / around;
      point(mesh.points, i * around + k) =
          Vec3(length * (double(i) / along - 0.5), radius * std::cos(b), radius * std::sin(b));
    }
  for (int i = 0; i < along; ++i)
    for (int k = 0; k < around; ++k) {
      const int a = i * around + k, b = i * around + (k + 1) % around, c = a + around, d = b + around;
      if (i % 2 == 0)
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {b, d, c}});
      else
        mesh.triangles.insert(mesh.triangles.end(), {{a, d, c}, {a, b, d}});
    }
  return mesh;
}

}  // namespace rigspace::testing
