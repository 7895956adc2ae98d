#include "rigspace/geometry/own_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace rigspace {
namespace {

/// A closed fan of triangles over random points: longer along `along` than across.
TriMesh lump(const Vec3& along) {
  std::mt19937_64 engine(3);
  const auto number = [&] { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; };
  TriMesh mesh;
  mesh.points.resize(3 * 40);
  for (int i = 0; i < 40; ++i) {
    const double far = number();
    point(mesh.points, i) = Vec3(number(), number(), number()) + 3 * far * far * along;
  }
  for (int i = 0; i + 2 < 40; ++i) mesh.triangles.push_back({i, i + 1, i + 2});
  return mesh;
}

Mat3 turned(double angle) { return Eigen::AngleAxisd(angle, Vec3::UnitY()).toRotationMatrix(); }

TriMesh moved(const TriMesh& mesh, const Mat3& R, double scale, const Vec3& shift) {
  TriMesh result = mesh;
  for (int i = 0; i < mesh.point_count(); ++i) point(result.points, i) = scale * R * point(mesh.points, i) + shift;
  return result;
}

TEST(OwnFrame, GivesTheSamePlacesToTheBitWhereverTheShapeStands) {
  const TriMesh mesh = lump(Vec3(1, 0, 0.4));
  const Mat3 turn = turn_along(Vec3(0.3, 0.2, 1));
  const Vec here = own_frame(mesh.points, turn).places(mesh.points);
  for (const double angle : {0.0, 0.7, 2.5})
    for (const double scale : {1.0, 0.01, 100.0}) {
      const Mat3 R = turned(angle);
      const TriMesh there = moved(mesh, R, scale, Vec3(3.7, 0.5, -11.3));
      const OwnFrame frame = own_frame(there.points, turn * R.transpose());
      EXPECT_EQ(frame.places(there.points), here);
      EXPECT_LT((frame.outward_points(here) - there.points).norm(), 1e-6 * frame.size);
      EXPECT_NEAR(frame.extent(), scale * own_frame(mesh.points, turn).extent(), 1e-12 * frame.size);
    }
}

TEST(OwnFrame, OfAShapeWithoutBonesTurnsWithIt) {
  const TriMesh mesh = lump(Vec3(1, 0, 0.4));
  const Mat3 here = principal_turn(mesh);
  EXPECT_GT((here - Mat3::Identity()).norm(), 0.1);
  for (const double angle : {0.7, 2.5, -1.6}) {
    const Mat3 R = turned(angle);
    EXPECT_LT((principal_turn(moved(mesh, R, 2, Vec3(1, 2, 3))) - here * R.transpose()).norm(), 1e-9);
  }
}

TEST(OwnFrame, HasAxesWithinAnEighthTurnOfTheScene) {
  for (int k = 0; k < 16; ++k) {
    const OwnFrame frame{.turn = turned(0.1 + 0.4 * k)};
    const Mat3 axes = frame.axes_near_scene();
    EXPECT_NEAR(axes.determinant(), 1, 1e-12);
    EXPECT_GT(axes(0, 0), std::sqrt(0.5) - 1e-12);
    EXPECT_LT((axes.col(1) - Vec3::UnitY()).norm(), 1e-12);
    // Each is an axis of the frame, either way round.
    EXPECT_NEAR((frame.turn * axes).cwiseAbs().maxCoeff(), 1, 1e-12);
    EXPECT_NEAR((frame.turn * axes).cwiseAbs().sum(), 3, 1e-12);
  }
}

TEST(PlaceOrder, DoesNotDependOnTheOrderOfPointsAndTriangles) {
  TriMesh mesh = lump(Vec3(1, 0, 0.4));
  point(mesh.points, 7) = point(mesh.points, 21);  // two points at one place, as along a seam
  std::vector<int> to(40);
  std::iota(to.begin(), to.end(), 0);
  std::mt19937_64 engine(5);
  std::shuffle(to.begin(), to.end(), engine);
  TriMesh other = mesh;
  for (int i = 0; i < 40; ++i) point(other.points, to[i]) = point(mesh.points, i);
  for (Triangle& triangle : other.triangles) {
    for (int& corner : triangle) corner = to[corner];
    std::rotate(triangle.begin(), triangle.begin() + 1, triangle.end());
  }
  std::reverse(other.triangles.begin(), other.triangles.end());
  const PlaceOrder a = in_place_order(mesh), b = in_place_order(other);
  EXPECT_EQ(a.mesh.points, b.mesh.points);
  ASSERT_EQ(a.mesh.triangle_count(), b.mesh.triangle_count());
  for (int t = 0; t < a.mesh.triangle_count(); ++t)
    for (int c = 0; c < 3; ++c)
      EXPECT_EQ(Vec3(point(a.mesh.points, a.mesh.triangles[t][c])), Vec3(point(b.mesh.points, b.mesh.triangles[t][c])));
  for (int k = 0; k < 40; ++k)
    EXPECT_EQ(Vec3(point(a.mesh.points, k)), Vec3(point(mesh.points, a.point[static_cast<std::size_t>(k)])));
}

}  // namespace
}  // namespace rigspace
