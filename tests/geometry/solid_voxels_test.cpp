#include "rigspace/geometry/solid_voxels.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/polygonise.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace rigspace::solid_voxels_test {
namespace {

TriMesh ball(const Vec3& center, double radius, double cell = 0.1) {
  return polygonise(
      [&](const Vec3& p) { return sphere(p, center, radius); },
      {.low = center - Vec3::Constant(1.3 * radius), .high = center + Vec3::Constant(1.3 * radius), .cell = cell});
}

TriMesh joined(const TriMesh& a, const TriMesh& b) {
  TriMesh both = a;
  both.points.conservativeResize(a.points.size() + b.points.size());
  both.points.tail(b.points.size()) = b.points;
  for (Triangle t : b.triangles) {
    for (int& v : t) v += a.point_count();
    both.triangles.push_back(t);
  }
  return both;
}

TEST(SolidVoxels, FillABallAndMeasureItsDepth) {
  const TriMesh mesh = ball(Vec3(3, 0, 0), 1);
  const SolidVoxels voxels(mesh, {.across = 40});
  double inside = 0;
  for (int v = 0; v < voxels.count(); ++v) inside += voxels.inside(v);
  const double volume = inside * std::pow(voxels.cell(), 3);
  EXPECT_NEAR(volume, 4.0 / 3 * std::numbers::pi, 0.1);  // a facetted ball, and half a voxel here and there
  // The nearest centre is half a voxel's diagonal away, 0.043, and the ball has facets.
  EXPECT_NEAR(voxel_depths(voxels, mesh)[voxels.nearest(Vec3(3, 0, 0))], 1, 0.06);
  EXPECT_EQ(voxels.bridges(), 0);
  EXPECT_TRUE(voxels.sees(Vec3(2.2, 0, 0), Vec3(3.8, 0, 0)));
  EXPECT_FALSE(voxels.sees(Vec3(2.2, 0, 0), Vec3(4.8, 0, 0)));
}

// A chamfer path of 26 neighbours is at most 13 % longer than a straight line in space, and never shorter.
TEST(SolidVoxels, PathsAreStraightInAConvexBody) {
  const SolidVoxels voxels(ball(Vec3::Zero(), 1), {.across = 40});
  const int seed = voxels.nearest(Vec3(-0.9, 0, 0));
  const Vec distance = voxels.distances(std::array{std::pair{seed, 0.0}});
  for (int v = 0; v < voxels.count(); ++v) {
    const double straight = (voxels.center(v) - voxels.center(seed)).norm();
    EXPECT_GE(distance[v], straight * (1 - 1e-9));
    EXPECT_LE(distance[v], straight * 1.13 + 4 * voxels.cell());
  }
}

TEST(SolidVoxels, IslandsAreBridgedAtThriceTheGap) {
  const SolidVoxels voxels(joined(ball(Vec3::Zero(), 1), ball(Vec3(4, 0, 0), 1)), {.across = 60});
  EXPECT_EQ(voxels.bridges(), 1);
  const int from = voxels.nearest(Vec3::Zero());
  const double way = voxels.distances(std::array{std::pair{from, 0.0}})[voxels.nearest(Vec3(4, 0, 0))];
  // From centre to centre a gap is up to a cell longer, three times; ways to its ends turn by 45 degrees.
  EXPECT_GT(way, 1 + 3 * 2 + 1);
  EXPECT_LT(way, 1 + 3 * 2 + 1 + 9 * voxels.cell());
  EXPECT_FALSE(voxels.sees(Vec3::Zero(), Vec3(4, 0, 0)));
}

TEST(SolidVoxels, AFlatSheetIsVoxelsWithoutInside) {
  TriMesh sheet;
  sheet.points.resize(12);
  sheet.points << 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0;
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const SolidVoxels voxels(sheet, {.across = 20});
  EXPECT_GE(voxels.count(), 400);
  for (int v = 0; v < voxels.count(); ++v) EXPECT_FALSE(voxels.inside(v));
}

TEST(SolidVoxels, RefuseWhatHasNoSize) {
  EXPECT_THROW(SolidVoxels(TriMesh{.points = Vec::Zero(9), .triangles = {{0, 1, 2}}}), Error);
  EXPECT_THROW(SolidVoxels(TriMesh{.points = Vec::Zero(9), .triangles = {}}), Error);
}

}  // namespace
}  // namespace rigspace::solid_voxels_test
