#include "rigspace/geometry/tet_mesh.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

/// A cube of edge 1 in six tetrahedra around its diagonal, moved by x.
TetMesh cube(double x = 0) {
  TetMesh mesh;
  mesh.points.resize(24);
  for (int i = 0; i < 8; ++i) point(mesh.points, i) = Vec3((i & 1) + x, i >> 1 & 1, i >> 2 & 1);
  const int paths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
  for (const auto& path : paths) {
    Tet t{0, path[0], path[1], 7};
    if (tet_volume(point(mesh.points, t[0]), point(mesh.points, t[1]), point(mesh.points, t[2]),
                   point(mesh.points, t[3])) < 0)
      std::swap(t[1], t[2]);
    mesh.tets.push_back(t);
  }
  return mesh;
}

TEST(TetMesh, CubeHasItsVolumeMassAndBoundary) {
  const TetMesh mesh = cube();
  EXPECT_NEAR(volume(mesh), 1, 1e-15);
  EXPECT_NEAR(lumped_masses(mesh, 1000).sum(), 1000, 1e-10);
  EXPECT_GT(lumped_masses(mesh, 1000).minCoeff(), 0);
  const TriMesh surface = boundary_surface(mesh);
  EXPECT_EQ(surface.triangle_count(), 12);
  EXPECT_NEAR(area(surface), 6, 1e-14);
  EXPECT_NEAR(signed_volume(surface), 1, 1e-14);  // outward
  EXPECT_EQ(boundary_defects(mesh.point_count(), boundary_triangles(mesh)).edges, 0);
  EXPECT_TRUE(boundary_defects(mesh.point_count(), boundary_triangles(mesh)).points.empty());
}

TEST(TetMesh, NeighboursSeeEachOther) {
  const TetMesh mesh = cube();
  const auto neighbours = tet_neighbours(mesh);
  int inner = 0;
  for (int t = 0; t < mesh.tet_count(); ++t)
    for (int k = 0; k < 4; ++k) {
      const int other = neighbours[t][k];
      if (other < 0) continue;
      ++inner;
      EXPECT_EQ(std::count(neighbours[other].begin(), neighbours[other].end(), t), 1);
    }
  EXPECT_EQ(inner, 12);  // six faces inside
}

TEST(TetMesh, AdjacencyIsThatOfTheEdges) {
  const NodeAdjacency adjacency = node_adjacency(cube());
  EXPECT_EQ(adjacency.neighbours.size(), 2u * 19);  // 12 edges, 6 diagonals of faces, one of the cube
  EXPECT_EQ(adjacency.start[1] - adjacency.start[0], 7);
}

TEST(TetMesh, RegularTetrahedronHasItsDihedralAngle) {
  const auto angles = dihedral_angles({1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1});
  for (const double angle : angles) EXPECT_NEAR(angle, std::acos(1.0 / 3), 1e-14);
}

TEST(TetMesh, AnglesBelongToTheirEdges) {
  // Flattened in z: at the edge 01, in the plane z = 0, the angle is atan(0.1); the edge 23 is opposite.
  const auto angles = dihedral_angles({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0.1});
  EXPECT_NEAR(angles[0], std::atan(0.1), 1e-14);
  EXPECT_NEAR(angles[5], std::numbers::pi / 4, 1e-14);
}

TEST(TetMesh, TouchingPartsAreOneComponentOnlyIfTheyShareNodes) {
  TetMesh two = cube();
  const TetMesh other = cube(1);
  const int shift = two.point_count();
  two.points.conservativeResize(48);
  two.points.tail(24) = other.points;
  for (Tet t : other.tets) {
    for (int& c : t) c += shift;
    two.tets.push_back(t);
  }
  EXPECT_EQ(connected_components(two).tets.size(), 2u);
  for (Tet& t : two.tets)
    for (int& c : t)
      if (c == shift) c = 1;  // one common corner
  EXPECT_EQ(connected_components(two).tets.size(), 1u);
  EXPECT_EQ(boundary_defects(two.point_count(), boundary_triangles(two)).points, std::vector<int>{1});
}

TEST(TetMesh, InvertedTetrahedraAreCounted) {
  TetMesh mesh = cube();
  std::swap(mesh.tets[2][0], mesh.tets[2][1]);
  EXPECT_EQ(quality(mesh).inverted, 1);
}

TEST(TetMesh, BadIndicesAreNamed) {
  TetMesh mesh = cube();
  mesh.tets[3][2] = 8;
  EXPECT_THROW(mesh.validate("body"), Error);
}

}  // namespace
}  // namespace rigspace
