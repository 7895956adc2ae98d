#include "rigspace/geometry/representatives.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

/// A square of n x n cells, with one unused point at its end.
TriMesh sheet(int n) {
  TriMesh mesh;
  mesh.points.resize(3 * ((n + 1) * (n + 1) + 1));
  mesh.points.tail<3>().setConstant(7);
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) point(mesh.points, i * (n + 1) + j) = Vec3(i, j, 0) / n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j;
      mesh.triangles.push_back({a, a + n + 1, a + 1});
      mesh.triangles.push_back({a + 1, a + n + 1, a + n + 2});
    }
  return mesh;
}

TEST(Representatives, ShareOutTheWholeArea) {
  for (const int n : {6, 40, 160}) {
    const TriMesh mesh = sheet(n);
    const auto some = representatives(mesh, 30);
    ASSERT_EQ(some.size(), 30u);
    double sum = 0;
    for (const Representative& each : some) {
      sum += each.area;
      EXPECT_LT(each.area, 3.0 / 30);  // evenly enough
      EXPECT_LT(each.point, mesh.point_count() - 1);
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(Representatives, OfFewPointsAreAllThatHaveArea) {
  EXPECT_EQ(representatives(sheet(2), 200).size(), 9u);
  EXPECT_TRUE(representatives(TriMesh{}, 200).empty());
}

}  // namespace
}  // namespace rigspace
