#include "rigspace/geometry/polygonise.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <gtest/gtest.h>

#include <map>
#include <numbers>
#include <random>
#include <vector>

namespace rigspace {
namespace {

// Every directed edge once, with its opposite; the triangles around every point one closed fan.
void expect_closed_manifold(const TriMesh& mesh) {
  std::vector<std::map<int, int>> next(mesh.point_count());  // around each point: neighbour -> next neighbour
  for (const auto& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      ASSERT_TRUE(next[t[k]].emplace(t[(k + 1) % 3], t[(k + 2) % 3]).second) << "edge used twice in one direction";
    }
  }
  for (int v = 0; v < mesh.point_count(); ++v) {
    ASSERT_GE(next[v].size(), 3u) << "point " << v;
    std::size_t steps = 0;
    int at = next[v].begin()->first;
    do {
      const auto it = next[v].find(at);
      ASSERT_NE(it, next[v].end()) << "open at point " << v;
      at = it->second;
      ++steps;
    } while (at != next[v].begin()->first && steps <= next[v].size());
    ASSERT_EQ(steps, next[v].size()) << "two fans at point " << v;
  }
}

double smallest_angle_degrees(const TriMesh& mesh) {
  double smallest = 180;
  for (const auto& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      const Vec3 a = point(mesh.points, t[k]), b = point(mesh.points, t[(k + 1) % 3]),
                 c = point(mesh.points, t[(k + 2) % 3]);
      const Vec3 u = b - a, v = c - a;
      smallest = std::min(smallest, std::atan2(u.cross(v).norm(), u.dot(v)) * 180 / std::numbers::pi);
    }
  }
  return smallest;
}

TEST(Polygonise, SphereIsClosedOutwardAndOfItsVolume) {
  const TriMesh mesh =
      polygonise([](const Vec3& p) { return sphere(p, Vec3(0.03, -0.02, 0.01), 0.7); }, {.cell = 0.06});
  expect_closed_manifold(mesh);
  // An inscribed polyhedron with edges h falls short by about h^2 / (4 r^2) of the volume.
  const double volume = 4.0 / 3 * std::numbers::pi * 0.7 * 0.7 * 0.7;
  EXPECT_LT(signed_volume(mesh), volume);
  EXPECT_NEAR(signed_volume(mesh), volume, 0.006 * volume);
  EXPECT_EQ(mesh.point_count() - mesh.triangle_count() / 2, 2);  // Euler, genus 0
}

TEST(Polygonise, PutsVerticesOnTheLevel) {
  const ScalarField field = [](const Vec3& p) {
    return smooth_union(ellipsoid(p, Vec3::Zero(), Vec3(0.6, 0.3, 0.4)), sphere(p, Vec3(0.4, 0.3, 0), 0.25), 0.1);
  };
  const TriMesh mesh = polygonise(field, {.cell = 0.05});
  double worst = 0;
  for (int v = 0; v < mesh.point_count(); ++v) worst = std::max(worst, std::abs(field(point(mesh.points, v))));
  EXPECT_LT(worst, 1e-9);  // Newton's method, four steps
}

TEST(Polygonise, TrianglesAreWellShaped) {
  const TriMesh mesh =
      polygonise([](const Vec3& p) { return tapered_capsule(p, Vec3(-0.5, 0, 0.1), Vec3(0.5, 0.2, 0), 0.3, 0.15); },
                 {.cell = 0.05});
  EXPECT_GT(smallest_angle_degrees(mesh), 15);  // seen: 18.7
}

TEST(Polygonise, StaysManifoldWhereTheGridIsTooCoarse) {
  // Waves shorter than two cells: nearly every kind of cell, ambiguous faces among them. Such a solid may be refused,
  // but what comes is closed and manifold.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int made = 0;
  for (int trial = 0; trial < 30; ++trial) {
    std::array<Vec3, 3> wave;
    for (Vec3& w : wave) w = 28 * Vec3(uniform(random), uniform(random), uniform(random));
    const double level = 0.4 * uniform(random);
    const ScalarField field = [&](const Vec3& p) {
      double value = level;
      for (const Vec3& w : wave) value += std::sin(w.dot(p) + w.x());
      return std::max(value, p.norm() - 0.8);
    };
    try {
      const TriMesh mesh = polygonise(field, {.cell = 0.11, .smoothing = 0});
      expect_closed_manifold(mesh);
      ++made;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("manifold"), std::string::npos) << error.what();
    }
  }
  EXPECT_GE(made, 28);  // seen: all 30; without parting double edges, 4
}

TEST(Polygonise, GivesMirroredVerticesForMirroredSolids) {
  const TriMesh mesh = polygonise(
      [](const Vec3& p) {
        return smooth_union(sphere(p, {0.3, 0, 0.1}, 0.4), sphere(p, {-0.3, 0, 0.1}, 0.4), 0.2);
      },
      {.cell = 0.07});
  double worst = 0;
  for (int v = 0; v < mesh.point_count(); ++v) {
    const Vec3 image = Vec3(-1, 1, 1).cwiseProduct(Vec3(point(mesh.points, v)));
    double nearest = 1;
    for (int u = 0; u < mesh.point_count(); ++u) nearest = std::min(nearest, (point(mesh.points, u) - image).norm());
    worst = std::max(worst, nearest);
  }
  EXPECT_LT(worst, 1e-9);
}

TEST(Polygonise, IsTheSameOnAnyNumberOfThreads) {
  const auto make = [](int threads) {
    const ThreadCountScope scope(threads);
    return polygonise([](const Vec3& p) { return ellipsoid(p, Vec3::Zero(), Vec3(0.7, 0.5, 0.3)); }, {.cell = 0.06});
  };
  const TriMesh one = make(1), eight = make(8);
  EXPECT_EQ(one.points, eight.points);
  EXPECT_EQ(one.triangles, eight.triangles);
}

TEST(Polygonise, SaysWhatIsWrongWithTheSolidOrTheBox) {
  const auto message = [](const ScalarField& field, const PolygoniseOptions& options) -> std::string {
    try {
      polygonise(field, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const ScalarField ball = [](const Vec3& p) { return sphere(p, Vec3::Zero(), 0.5); };
  EXPECT_NE(message(ball, {.low = Vec3::Constant(-0.4)}).find("enlarge the box"), std::string::npos);
  EXPECT_NE(message([](const Vec3&) { return 1.0; }, {}).find("empty"), std::string::npos);
  EXPECT_NE(message(ball, {.cell = 0}).find("cell"), std::string::npos);
  EXPECT_NE(message(ball, {.cell = 1e-4}).find("larger cells"), std::string::npos);
}

TEST(SignedDistance, SmoothUnionFillsTheCreaseOnly) {
  EXPECT_DOUBLE_EQ(smooth_union(0.3, 0.0, 0.2), 0.0);  // apart by more than the blend: the plain union
  EXPECT_LT(smooth_union(0.05, 0.0, 0.2), 0.0);
  EXPECT_EQ(smooth_union(0.05, 0.0, 0.2), smooth_union(0.0, 0.05, 0.2));
}

TEST(SignedDistance, IsDistanceToFirstOrderAtTheSurface) {
  // |gradient| = 1 on the surface, the property that projection and blending rest on.
  const ScalarField shapes[] = {
      [](const Vec3& p) { return ellipsoid(p, Vec3(0.1, 0, 0), Vec3(0.6, 0.3, 0.4)); },
      [](const Vec3& p) {
        return flat_cone(p, {Vec3(-0.3, 0, 0), 0.3, 0.15}, {Vec3(0.3, 0, 0), 0.3, 0.15}, Vec3::UnitZ());
      },
  };
  for (const ScalarField& shape : shapes) {
    const TriMesh mesh = polygonise(shape, {.cell = 0.1});
    for (int v = 0; v < mesh.point_count(); ++v) {
      EXPECT_NEAR(gradient(shape, point(mesh.points, v), 1e-5).norm(), 1, 1e-3);
    }
  }
}

}  // namespace
}  // namespace rigspace
