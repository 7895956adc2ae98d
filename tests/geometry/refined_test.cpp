#include "rigspace/geometry/refined.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

namespace rigspace::refined_test {
namespace {

TriMesh two_triangles() {
  TriMesh mesh;
  mesh.points = Vec{{0, 0, 0, 1, 0, 0, 1, 0.1, 0, 0, 3, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

TEST(Refined, KeepsAreaPointsAndSeamsWhileEdgesGetShort) {
  const TriMesh mesh = two_triangles(), fine = refined(mesh, 0.3);
  EXPECT_EQ(fine.points.head(12), mesh.points);
  EXPECT_NEAR(area(fine), area(mesh), 1e-12);
  const EdgeTable edges = edge_table(fine);
  int rim = 0;
  for (int e = 0; e < edges.count(); ++e) {
    EXPECT_LE((point(fine.points, edges.edges[e][0]) - point(fine.points, edges.edges[e][1])).norm(), 0.3 + 1e-12);
    EXPECT_LE(edges.uses(e).size(), 2u);
    rim += edges.uses(e).size() == 1;
  }
  // A disc: V - E + F = 1, which a crack along a seam would change.
  EXPECT_EQ(fine.point_count() - edges.count() + fine.triangle_count(), 1);
  EXPECT_GT(rim, 4);
  for (const Triangle& t : fine.triangles) {
    const Vec3 a = point(fine.points, t[0]);
    EXPECT_GT((point(fine.points, t[1]) - a).cross(point(fine.points, t[2]) - a).z(), 0) << "turned over";
  }
}

TEST(Refined, LeavesAFineMeshAsItIs) {
  const TriMesh mesh = two_triangles();
  EXPECT_EQ(refined(mesh, 10).triangles, mesh.triangles);
}

TEST(Refined, RefusesAnEdgeThatWouldFillTheMemory) {
  try {
    refined(refined(two_triangles(), 0.1), 1e-9);
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_TRUE(std::string(error.what()).starts_with("longest edge is 1e-09; expected at least 0.00")) << error.what();
  }
}

}  // namespace
}  // namespace rigspace::refined_test
