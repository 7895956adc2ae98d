#pragma once
// Cages of known kinds, and points in them.

#include "solid_shapes.h"

#include "rigspace/geometry/cage_coordinates.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/winding_number.h"

#include <numeric>
#include <random>

namespace rigspace::testing {

inline TriMesh tetrahedron() {
  TriMesh mesh;
  mesh.points.resize(12);
  mesh.points << 0, 0, 0, 1, 0.1, 0, 0.2, 1, 0.1, 0.1, 0.2, 1;
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  return mesh;
}

inline TriMesh octahedron(double size = 1) {
  TriMesh mesh;
  mesh.points.resize(18);
  mesh.points << 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1.2, 0, 0, -1.2;
  mesh.points *= size;
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  return mesh;
}

/// An L, two boxes long each way: concave at one edge.
inline TriMesh ell() {
  return blocks({std::vector{0.0, 1.0, 2.0}, {0, 1, 2}, {0, 1}}, [](int i, int j, int) { return i == 0 || j == 0; });
}

/// A U whose arms are near each other.
inline TriMesh horseshoe() {
  return blocks({std::vector{0.0, 1.0, 1.25, 2.25}, {0, 1, 2, 3}, {0, 1}},
                [](int i, int j, int) { return i != 1 || j == 0; });
}

/// A box with a cavity.
inline TriMesh hollow() { return together(cuboid(Vec3::Constant(-1), Vec3::Constant(1)), octahedron(0.4)); }

/// Points inside, at least `margin` from the surface.
inline Vec points_inside(const TriMesh& cage, int count, std::uint32_t seed, double margin = 0) {
  const TriMesh checked = checked_cage(cage);
  const Box box = bounding_box(checked.points);
  const WindingTree winding(checked);
  const TriangleTree tree(checked);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Vec points(3 * count);
  for (int i = 0; i < count;) {
    const Vec3 x = box.low + box.size().cwiseProduct(Vec3(uniform(random), uniform(random), uniform(random)));
    if (winding.exact(x) > 0.5 && tree.closest(x).distance > margin) point(points, i++) = x;
  }
  return points;
}

/// Points on faces, edges and corners, in turn.
inline Vec points_on(const TriMesh& cage, int count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.05, 1);
  Vec points(3 * count);
  for (int i = 0; i < count; ++i) {
    const Triangle& t = cage.triangles[random() % cage.triangles.size()];
    Vec3 w(uniform(random), uniform(random), uniform(random));
    for (int k = 0; k < i % 3; ++k) w[k] = 0;
    w /= w.sum();
    point(points, i) =
        w[0] * point(cage.points, t[0]) + w[1] * point(cage.points, t[1]) + w[2] * point(cage.points, t[2]);
  }
  return points;
}

inline Vec cage_moved(const TriMesh& cage, const Affine& by) {
  Vec moved(cage.points.size());
  for (int j = 0; j < cage.point_count(); ++j) point(moved, j) = apply(by, point(cage.points, j));
  return moved;
}

}  // namespace rigspace::testing
