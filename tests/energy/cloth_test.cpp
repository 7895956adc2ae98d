#include "energy/bodies.h"
#include "energy/sheets.h"
#include "rigspace/base/error.h"
#include "rigspace/energy/cloth_bend.h"
#include "rigspace/energy/cloth_stretch.h"
#include "rigspace/energy/half_spaces.h"
#include "rigspace/testing/check_energy.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace cloth_test {

using namespace testing;

// A crumpled sheet: strains of some tens of percent, some compressed, some beyond the limit.
struct Crumpled {
  TriMesh mesh = sheet(0.4, 0.3, 4, 3);
  std::vector<std::array<double, 6>> flat = flat_triangles(mesh.points, mesh.triangles, Vec3(1, 0, 0.3));
  Vec x = mesh.points + noise(static_cast<int>(mesh.points.size()), 3, 0.04);
  int points = mesh.point_count();
};

TEST(HalfSpaces, KeepsTheLawsOfEnergiesAndPushesOnOneSideAlone) {
  const Crumpled c;
  HalfSpaces outside;
  std::vector<HalfSpaces::Plane> planes;
  for (int i = 0; i < c.points; ++i) {
    const Vec3 n = Vec3(0.2, 1, 0.1 * (i % 5)).normalized();
    const double depth = i % 2 == 0 ? 0.3 : -0.3;  // half of them behind their planes, none near the corner of max
    planes.push_back({.point = i,
                      .normal = n,
                      .offset = n.dot(point(c.x, i)) + depth,
                      .stiffness = 2.0 + i,
                      .friction = double(i % 3),
                      .slip = 0.12,
                      .stuck = point(c.x, i) + Vec3(0.05 * (1 + i % 4), 0.02, 0)});  // within and beyond the slip
  }
  outside.set(planes);
  const LawReport report = check_energy(outside, c.x, {.length = 0.1});
  EXPECT_TRUE(report.ok()) << report;
  Vec g = Vec::Zero(c.x.size());
  outside.add_gradient(*outside.make_state(), c.x, 1, g);
  for (int i = 0; i < c.points; ++i)
    EXPECT_NEAR(-planes[i].normal.dot(point(g, i)), i % 2 == 0 ? 0.3 * planes[i].stiffness : 0, 1e-12);
}

TEST(ClothStretch, KeepsTheLawsOfEnergies) {
  const Crumpled c;
  ClothStretch cloth(c.points, c.mesh.triangles, c.flat, {.warp = 300, .weft = 120, .shear = 50});
  LawReport report = check_energy(cloth, c.x, {.length = 0.1});
  EXPECT_TRUE(report.ok()) << report;
  cloth.begin_step(c.mesh.points, 0.01);
  report = check_energy(cloth, c.x, {.length = 0.1});
  EXPECT_TRUE(report.ok()) << report;
}

TEST(ClothStretch, IsSaintVenantKirchhoffWhereTheMaterialIsIsotropic) {
  const Crumpled c;
  const double Y = 70;
  const ClothStretch cloth(c.points, c.mesh.triangles, c.flat, isotropic_cloth(Y));
  double expected = 0;
  for (int t = 0; t < cloth.element_count(); ++t) {
    const Vec3 E = cloth.strain(c.x, t);
    expected += cloth.rest_area(t) * Y / 2 * (E[0] * E[0] + E[1] * E[1] + 2 * E[2] * E[2]);
  }
  EXPECT_NEAR(value(cloth, c.x), expected, 1e-12 * expected);
  // Isotropic: the axes of the rest shape do not matter.
  const ClothStretch turned(c.points, c.mesh.triangles, flat_triangles(c.mesh.points, c.mesh.triangles, Vec3(1, 0, -2)),
                            isotropic_cloth(Y));
  EXPECT_NEAR(value(turned, c.x), expected, 1e-10 * expected);
}

TEST(ClothStretch, FollowsWarpAndWeft) {
  const TriMesh mesh = sheet(1, 1, 2, 2);
  const auto flat = flat_triangles(mesh.points, mesh.triangles, Vec3::UnitX());
  const ClothStretch cloth(9, mesh.triangles, flat, {.warp = 200, .weft = 100, .shear = 30, .limit = 0});
  const auto stretched = [&](const Vec3& by) {
    Vec x = mesh.points;
    for (int i = 0; i < 9; ++i) point(x, i) = point(x, i).cwiseProduct(by);
    return value(cloth, x);
  };
  const double E = 0.5 * (1.1 * 1.1 - 1);
  EXPECT_NEAR(stretched({1.1, 1, 1}), 0.5 * 200 * E * E, 1e-12);
  EXPECT_NEAR(stretched({1, 1, 1.1}), 0.5 * 100 * E * E, 1e-12);
}

TEST(ClothStretch, HasPanelsForARestShape) {
  // Half as long in the panel as in space: strain (2^2 - 1)/2 along the warp.
  const std::vector<double> uv = {0, 0, 0.5, 0, 0, 1};
  const std::vector<Triangle> triangle = {{0, 1, 2}};
  Vec x(9);
  x << 0, 0, 0, 1, 0, 0, 0, 1, 0;
  const ClothStretch cloth(3, triangle, flat_triangles(uv, triangle));
  EXPECT_NEAR((cloth.strain(x, 0) - Vec3(1.5, 0, 0)).norm(), 0, 1e-14);
  EXPECT_NEAR(cloth_masses(3, triangle, flat_triangles(uv, triangle), 2).sum(), 0.5, 1e-14);
  EXPECT_THROW(ClothStretch(3, triangle, std::vector<std::array<double, 6>>{{0, 0, 1, 1, 2, 2}}), Error);
}

TEST(ClothBend, KeepsTheLawsOfEnergies) {
  const Crumpled c;
  ClothBend bend(c.mesh.points, hinges_of(c.mesh), 0.01);
  LawReport report = check_energy(bend, c.x, {.length = 0.1});
  EXPECT_TRUE(report.ok()) << report;
  bend.begin_step(c.mesh.points + noise(static_cast<int>(c.x.size()), 8, 0.02), 0.01, 0.02);
  report = check_energy(bend, c.x, {.length = 0.1});
  EXPECT_TRUE(report.ok()) << report;
}

TEST(ClothBend, HasSignedAnglesThatDoNotJump) {
  Vec x(12);
  x << 0, 0, 0, 0, 0, 1, 1, 0, 0.5, -1, 0, 0.5;
  const HingePoints hinge = {0, 1, 2, 3};
  ClothBend bend(x, {hinge}, 1);
  const auto folded = [&](double angle) {
    Vec y = x;
    point(y, 3) = Vec3(-std::cos(angle), -std::sin(angle), 0.5);
    return y;
  };
  EXPECT_NEAR(hinge_angle(folded(0.3), hinge), -hinge_angle(folded(-0.3), hinge), 1e-14);
  EXPECT_NEAR(std::abs(hinge_angle(folded(0.3), hinge)), 0.3, 1e-14);
  // |e|^2 / (A_1 + A_2) = 1 / (1/2 + 1/2).
  EXPECT_NEAR(value(bend, folded(0.3)), 0.5 * 0.09, 1e-14);
  bend.begin_step(folded(3.0), 0.01, 0);
  EXPECT_NEAR(value(bend, folded(3.3)), 0.5 * 3.3 * 3.3, 1e-12) << "folded past shut";
}

TEST(ClothBend, HasTheEnergyOfAPlateOnTwoKindsOfMeshes) {
  // Rolled to curvature 1/R a plate has D/2 / R^2 per area.
  const double D = 0.02, R = 1;
  const auto rolled_energy = [&](const TriMesh& mesh) {
    Vec x = mesh.points;
    for (int i = 0; i < mesh.point_count(); ++i) {
      const Vec3 p = point(mesh.points, i);
      point(x, i) = Vec3(R * std::sin(p.x() / R), R * (1 - std::cos(p.x() / R)), p.z());
    }
    return value(ClothBend(mesh.points, hinges_of(mesh), D), x) / (D / 2 / (R * R) * area(mesh));
  };
  // Edges along the boundary have no hinge: a strip of half an edge is missing at each.
  const int n = 40;
  EXPECT_NEAR(rolled_energy(sheet(1, 1, n, n)), 1 - 1.0 / n, 1e-3);
  TriMesh equilateral = sheet(1, 1, n, n);
  equilateral.triangles.clear();
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      point(equilateral.points, j * (n + 1) + i) = Vec3((i + 0.5 * (j % 2)) / n, 0, j * std::sqrt(0.75) / n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      if (j % 2 == 0)
        equilateral.triangles.insert(equilateral.triangles.end(), {{a, c, b}, {b, c, d}});
      else
        equilateral.triangles.insert(equilateral.triangles.end(), {{a, c, d}, {a, d, b}});
    }
  EXPECT_NEAR(rolled_energy(equilateral), 1, 0.03) << "the boundary misses up to 1/n";
}

TEST(ClothBend, LeavesOutEdgesThatAreNoHinges) {
  TriMesh mesh = sheet(1, 1, 1, 1);
  int unusable = 0;
  EXPECT_EQ(hinges_of(mesh, &unusable).size(), 1u);
  EXPECT_EQ(unusable, 0);
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  EXPECT_EQ(hinges_of(mesh, &unusable).size(), 0u);
  EXPECT_EQ(unusable, 1) << "wound against each other";
}

}  // namespace cloth_test
}  // namespace rigspace
