#include "rigspace/geometry/tri_mesh.h"

#include "rigspace/base/error.h"
#include "solid_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace rigspace {
namespace {

using testing::together;

TriMesh box(const Vec3& low, const Vec3& high) {
  TriMesh mesh;
  mesh.points.resize(24);
  for (int i = 0; i < 8; ++i) {
    point(mesh.points, i) = Vec3(i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// rings x sides quads around a torus of radii 1 and 0.4: volume 2 pi^2 0.16 in the limit.
TriMesh torus(int rings, int sides) {
  TriMesh mesh;
  mesh.points.resize(3 * rings * sides);
  for (int i = 0; i < rings; ++i) {
    for (int j = 0; j < sides; ++j) {
      const double u = 2 * std::numbers::pi * i / rings, v = 2 * std::numbers::pi * j / sides;
      point(mesh.points, i * sides + j) =
          Vec3((1 + 0.4 * std::cos(v)) * std::cos(u), (1 + 0.4 * std::cos(v)) * std::sin(u), 0.4 * std::sin(v));
      const int a = i * sides + j, b = (i + 1) % rings * sides + j;
      const int c = (i + 1) % rings * sides + (j + 1) % sides, d = i * sides + (j + 1) % sides;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

/// Every triangle with corners of its own, as files often have it, each corner moved by up to `noise`.
TriMesh soup(const TriMesh& mesh, double noise) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> shift(-noise, noise);
  TriMesh result;
  result.points.resize(9 * mesh.triangle_count());
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      point(result.points, 3 * t + k) =
          point(mesh.points, mesh.triangles[t][k]) + Vec3(shift(random), shift(random), shift(random));
    }
    result.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return result;
}

TEST(TriMesh, RejectsBadIndicesAndCoordinates) {
  TriMesh mesh = box(Vec3::Zero(), Vec3::Ones());
  EXPECT_NO_THROW(mesh.validate("mesh"));
  mesh.triangles[3][1] = 8;
  try {
    mesh.validate("mesh \"body\"");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "mesh \"body\" has triangle 3 at point 8; there are 8 points, counted from 0");
  }
  mesh.triangles[3][1] = 7;
  mesh.points[4] = NAN;
  EXPECT_THROW(mesh.validate("mesh"), Error);
}

TEST(TriMesh, MeasuresABox) {
  const TriMesh mesh = box(Vec3(1, 2, 3), Vec3(2, 4, 6));
  EXPECT_NEAR(area(mesh), 2 * (1 * 2 + 2 * 3 + 3 * 1), 1e-12);
  EXPECT_NEAR(signed_volume(mesh), 6, 1e-12);
  EXPECT_EQ(bounding_box(mesh.points).low, Vec3(1, 2, 3));
  EXPECT_EQ(bounding_box(mesh.points).high, Vec3(2, 4, 6));
  EXPECT_TRUE(Box{}.empty());
  EXPECT_EQ(bounding_box(Vec()).diagonal(), 0);
}

TEST(TriMesh, VolumeDoesNotDependOnThePlace) {
  TriMesh mesh = torus(40, 20);
  const double here = signed_volume(mesh);
  EXPECT_NEAR(here, 2 * std::numbers::pi * std::numbers::pi * 0.16, 0.1);
  for (int i = 0; i < mesh.point_count(); ++i) point(mesh.points, i) += Vec3(1e6, -1e6, 1e6);
  EXPECT_NEAR(signed_volume(mesh), here, 1e-7);  // coordinates of 1e6 hold 1e-10
}

TEST(VertexNormals, PointAwayFromTheTubeOfATorus) {
  const TriMesh mesh = torus(200, 100);
  const Vec normals = vertex_normals(mesh);
  for (int i = 0; i < mesh.point_count(); i += 37) {
    const Vec3 x = point(mesh.points, i);
    const Vec3 middle = Vec3(x[0], x[1], 0).normalized();
    EXPECT_LT((point(normals, i) - (x - middle).normalized()).norm(), 0.02) << i;  // half a side: pi / 100
    EXPECT_NEAR(point(normals, i).norm(), 1, 1e-14);
  }
}

TEST(VertexNormals, WeighByAreaAndIgnoreUnusedPoints) {
  TriMesh mesh;
  mesh.points.resize(15);
  mesh.points << 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9;
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};  // areas 1.5 facing z and 0.5 facing x
  const Vec normals = vertex_normals(mesh);
  EXPECT_LT((point(normals, 0) - Vec3(0.5, 0, 1.5).normalized()).norm(), 1e-15);
  EXPECT_EQ(point(normals, 4), Vec3(0, 0, 0));
}

TEST(Weld, TurnsSoupIntoTheMeshItCameFrom) {
  const TriMesh original = torus(30, 16);
  const double diagonal = bounding_box(original.points).diagonal();
  const TriMesh loose = soup(original, 1e-8 * diagonal);
  const Weld welded = weld(loose, 1e-6);
  EXPECT_EQ(welded.mesh.point_count(), original.point_count());
  EXPECT_EQ(welded.mesh.triangle_count(), original.triangle_count());
  for (int i = 0; i < loose.point_count(); ++i) {
    EXPECT_LE((point(welded.mesh.points, welded.point[i]) - point(loose.points, i)).norm(), 1e-6 * diagonal);
  }
  EXPECT_TRUE(connected_components(welded.mesh).all_closed());
  EXPECT_EQ(connected_components(welded.mesh).parts.size(), 1u);
  EXPECT_EQ(connected_components(loose).parts.size(), loose.triangles.size());
}

TEST(Weld, KeepsItsLawsOnRandomPoints) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> coordinate(0, 1);
  TriMesh cloud;
  cloud.points = Vec::NullaryExpr(3 * 400, [&] { return coordinate(random); });
  const double tolerance = 0.05, radius = tolerance * bounding_box(cloud.points).diagonal();
  const Weld welded = weld(cloud, tolerance);
  const int kept = welded.mesh.point_count();
  EXPECT_LT(kept, 400);
  EXPECT_GT(kept, 50);
  for (int i = 0; i < kept; ++i) {
    for (int j = 0; j < i; ++j) {
      EXPECT_GT((point(welded.mesh.points, i) - point(welded.mesh.points, j)).norm(), radius);
    }
  }
  for (int i = 0; i < 400; ++i) {
    EXPECT_LE((point(welded.mesh.points, welded.point[i]) - point(cloud.points, i)).norm(), radius);
  }
}

TEST(Weld, MergesOnlyEqualPointsAtToleranceZero) {
  TriMesh mesh = soup(box(Vec3::Zero(), Vec3::Ones()), 0);
  EXPECT_EQ(weld(mesh, 0).mesh.point_count(), 8);
  mesh.points[0] += 1e-9;
  EXPECT_EQ(weld(mesh, 0).mesh.point_count(), 9);
  EXPECT_EQ(weld(TriMesh{}, 1e-6).mesh.point_count(), 0);
}

TEST(Weld, DropsTrianglesWhoseCornersMeet) {
  TriMesh mesh;
  mesh.points.resize(12);
  mesh.points << 0, 0, 0, 1e-9, 0, 0, 1, 0, 0, 0, 1, 0;
  mesh.triangles = {{0, 1, 2}, {1, 2, 3}};
  const Weld welded = weld(mesh);
  EXPECT_EQ(welded.mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
  EXPECT_EQ(welded.triangle, std::vector<int>{1});
  EXPECT_EQ(welded.point, (std::vector{0, 0, 1, 2}));
}

TEST(EdgeTable, CountsByEulersFormula) {
  const TriMesh ball = box(Vec3::Zero(), Vec3::Ones()), ring = torus(12, 7);
  const auto euler = [](const TriMesh& mesh) {
    return mesh.point_count() - edge_table(mesh).count() + mesh.triangle_count();
  };
  EXPECT_EQ(euler(ball), 2);
  EXPECT_EQ(euler(ring), 0);
}

TEST(EdgeTable, ListsEveryHalfEdgeUnderItsEdge) {
  const TriMesh mesh = torus(5, 4);
  const EdgeTable table = edge_table(mesh);
  int seen = 0;
  for (int e = 0; e < table.count(); ++e) {
    for (const int h : table.uses(e)) {
      std::array<int, 2> ends{mesh.triangles[h / 3][h % 3], mesh.triangles[h / 3][(h % 3 + 1) % 3]};
      std::sort(ends.begin(), ends.end());
      EXPECT_EQ(ends, table.edges[e]);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 3 * mesh.triangle_count());
  EXPECT_TRUE(std::is_sorted(table.edges.begin(), table.edges.end()));
}

TEST(Components, TellClosedFromOpenParts) {
  TriMesh lid = box(Vec3::Constant(5), Vec3::Constant(6));
  lid.triangles.resize(10);  // the side at high x is gone
  const TriMesh mesh = together(box(Vec3::Zero(), Vec3(1, 1, 2)), lid);
  const Components components = connected_components(mesh);
  ASSERT_EQ(components.parts.size(), 2u);
  EXPECT_TRUE(components.parts[0].closed);
  EXPECT_NEAR(components.parts[0].volume, 2, 1e-12);
  EXPECT_NEAR(components.parts[0].area, 10, 1e-12);
  EXPECT_FALSE(components.parts[1].closed);
  EXPECT_EQ(components.parts[1].boundary_edges, 4);
  EXPECT_EQ(components.parts[1].triangles, 10);
  EXPECT_EQ(components.parts[1].box.low, Vec3::Constant(5));
  EXPECT_FALSE(components.all_closed());
  std::vector<int> points;
  const TriMesh part = extract(mesh, components, 1, &points);
  EXPECT_EQ(part.triangle_count(), 10);
  EXPECT_EQ(part.point_count(), 8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(point(part.points, i), point(mesh.points, points[i]));
}

TEST(Components, CountNonManifoldEdges) {
  // Two boxes that share one edge: it has four triangles, and still there is an inside.
  const TriMesh mesh = weld(together(box(Vec3::Zero(), Vec3::Ones()), box(Vec3(1, 1, 0), Vec3(2, 2, 1)))).mesh;
  const Components components = connected_components(mesh);
  ASSERT_EQ(components.parts.size(), 1u);
  EXPECT_EQ(components.parts[0].non_manifold_edges, 1);
  EXPECT_EQ(components.parts[0].boundary_edges, 0);
  EXPECT_TRUE(components.parts[0].closed);
  TriMesh fin = box(Vec3::Zero(), Vec3::Ones());
  fin.triangles.push_back({0, 1, 7});
  EXPECT_FALSE(connected_components(fin).parts[0].closed);
}

TEST(Orient, TurnsScrambledPartsOutward) {
  TriMesh mesh = together(torus(24, 12), box(Vec3::Constant(3), Vec3::Constant(4)));
  const double volume = signed_volume(torus(24, 12)) + 1;
  std::mt19937 random(2);
  for (Triangle& t : mesh.triangles) {
    if (random() % 2) std::swap(t[0], t[1]);
  }
  const Orientation orientation = orient_outward(mesh);
  EXPECT_EQ(orientation.patches, 2);
  EXPECT_EQ(orientation.unorientable, 0);
  EXPECT_GT(orientation.flipped, 200);
  EXPECT_NEAR(signed_volume(mesh), volume, 1e-12);
  EXPECT_EQ(orient_outward(mesh).flipped, 0);
}

TEST(Orient, TurnsOpenShellsOutwardAndSheetsByMajority) {
  TriMesh shell = torus(24, 12);
  shell.triangles.resize(24 * 12);  // half of the ring: an open tube
  for (Triangle& t : shell.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(orient_outward(shell).flipped, 24 * 12);
  TriMesh sheet;
  sheet.points.resize(12);
  sheet.points << 0, 0, 0, 1, 0, 0, 0, 1, 0, 3, 3, 0;
  sheet.triangles = {{0, 1, 2}, {1, 2, 3}};  // the larger one faces down
  EXPECT_EQ(orient_outward(sheet).flipped, 1);
  EXPECT_EQ(sheet.triangles[1], (Triangle{1, 2, 3}));
}

TEST(Orient, LeavesMoebiusStripsAlone) {
  TriMesh strip;
  const int n = 12;
  strip.points.resize(6 * n);
  for (int i = 0; i < n; ++i) {
    const double u = 2 * std::numbers::pi * i / n;
    for (int side = 0; side < 2; ++side) {
      const double w = side ? 0.3 : -0.3;
      point(strip.points, 2 * i + side) =
          Vec3((1 + w * std::cos(u / 2)) * std::cos(u), (1 + w * std::cos(u / 2)) * std::sin(u), w * std::sin(u / 2));
    }
    const bool last = i == n - 1;
    const int a = 2 * i, b = a + 1, c = last ? 1 : a + 2, d = last ? 0 : a + 3;
    strip.triangles.push_back({a, b, c});
    strip.triangles.push_back({b, d, c});
  }
  const std::vector<Triangle> before = strip.triangles;
  EXPECT_EQ(orient_outward(strip).unorientable, 1);
  EXPECT_EQ(strip.triangles, before);
}

}  // namespace
}  // namespace rigspace
