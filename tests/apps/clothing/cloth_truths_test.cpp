// What cloth does by the laws of mechanics, against answers in closed form.

#include "energy/sheets.h"
#include "rigspace/apps/clothing/simulate_cloth.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace cloth_truths_test {

using namespace testing;

// How deep a strip of 1 m hangs between two edges 0.8 m apart, at rest.
double sag(int columns) {
  Garment garment{.mesh = sheet(1, 0.1, columns, 1), .warp = Vec3::UnitX()};
  for (const int column : {0, columns})
    for (int row = 0; row < 2; ++row) {
      const int i = row * (columns + 1) + column;
      const Vec3 from = point(garment.mesh.points, i), to(from.x() * 0.8, from.y(), from.z());
      garment.pins.push_back(
          {.point = i, .position = [=](double time) { return Vec3(from + std::min(time, 1.0) * (to - from)); }});
    }
  ClothSimulation cloth(garment, {},
                        {.material = {.warp = 2e4, .weft = 2e4, .shear = 1e4, .bending = 0, .limit = 0},
                         .contact = {.distance = 1e-4, .self = false},
                         .step = 0.1,
                         .tolerance = 1e-4});
  cloth.advance(8);
  double low = 0;
  for (int i = 0; i < garment.mesh.point_count(); ++i) low = std::min(low, point(cloth.points(), i).y());
  return -low;
}

TEST(Cloth, HangsAsACatenaryUnderRefinement) {
  double a = 0.2;  // 2 a sinh(0.4 / a) = 1
  for (int k = 0; k < 50; ++k)
    a -= (2 * a * std::sinh(0.4 / a) - 1) / (2 * std::sinh(0.4 / a) - 0.8 / a * std::cosh(0.4 / a));
  const double exact = a * (std::cosh(0.4 / a) - 1);
  const double coarse = std::abs(sag(16) - exact), fine = std::abs(sag(32) - exact);
  EXPECT_LT(coarse, 0.02 * exact);
  EXPECT_LT(fine, 0.4 * coarse) << "second order: a quarter";
}

// Equilateral triangles, `wide` edges along x and `rows` rows along z.
TriMesh equilateral(double edge, int wide, int rows) {
  TriMesh mesh = sheet(1, 1, wide, rows);
  mesh.triangles.clear();
  for (int j = 0; j <= rows; ++j)
    for (int i = 0; i <= wide; ++i)
      point(mesh.points, j * (wide + 1) + i) = edge * Vec3(i + 0.5 * (j % 2), 0, j * std::sqrt(0.75));
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < wide; ++i) {
      const int a = j * (wide + 1) + i, b = a + 1, c = a + wide + 1, d = c + 1;
      if (j % 2 == 0)
        mesh.triangles.insert(mesh.triangles.end(), {{a, c, b}, {b, c, d}});
      else
        mesh.triangles.insert(mesh.triangles.end(), {{a, c, d}, {a, d, b}});
    }
  return mesh;
}

// On equilateral triangles hinges are a plate of rigidity k and Poisson's ratio 1/3 (Seung and Nelson 1988). A strip of
// it that is free at its sides is a beam of EI = k (1 - 1/9) per width, which sags by w L^4 / 8 EI under its weight w.
TEST(Cloth, BendsAsABeamDoes) {
  const int rows = 24, wide = 10;
  const double k = 0.1, row = 0.2 / rows, edge = row / std::sqrt(0.75);
  Garment garment{.mesh = equilateral(edge, wide, rows + 1), .warp = Vec3::UnitZ()};
  // Two rows are held. The hinges at the second turn by what a whole row bends: the beam begins half a row earlier.
  for (int i = 0; i < 2 * (wide + 1); ++i) garment.pins.push_back({.point = i, .stiffness = 1e5});
  const ClothOptions options{.material = {.warp = 1e4, .weft = 1e4, .shear = 5e3, .bending = k, .limit = 0},
                             .contact = {.distance = 1e-4, .self = false},
                             .step = 0.05,
                             .air_density = 0,
                             .tolerance = 1e-5};
  ClothSimulation cloth(garment, {}, options);
  cloth.advance(1.5);
  const double load = options.material.density * 9.80665;  // N/m^2
  const double exact = load * std::pow(0.2 + row / 2, 4) / (8 * k * 8 / 9);
  const double tip = -point(cloth.points(), garment.mesh.point_count() - 1 - wide / 2).y();
  // Half as wide as long: near the clamp the strip cannot curve across, which holds it up a little. A plate that could
  // nowhere curve across would sag by 0.89 of it.
  EXPECT_NEAR(tip, exact, 0.06 * exact);
}

class ClothTruths : public ::testing::TestWithParam<ContactMethod> {};

INSTANTIATE_TEST_SUITE_P(Methods, ClothTruths, ::testing::Values(ContactMethod::barrier, ContactMethod::impulses),
                         [](const auto& method) {
                           return method.param == ContactMethod::barrier ? "Barrier" : "Impulses";
                         });

TEST_P(ClothTruths, KeepsItsMomentumThroughContactWithItself) {
  // A folded sheet whose halves fly at each other, all of it drifting.
  Garment garment{.mesh = sheet(0.4, 0.2, 8, 4)};
  garment.rest = garment.mesh.points;
  Vec v(garment.mesh.points.size());
  for (int i = 0; i < garment.mesh.point_count(); ++i) {
    auto p = point(garment.mesh.points, i);
    const bool upper = p.x() > 1e-9;
    point(v, i) = Vec3(0.3, upper ? -1.5 : 0.5, 0.1);
    if (upper) p = Vec3(-p.x() * 0.98, 0.03 * std::min(1.0, p.x() / 0.05), p.z() + 0.003);
  }
  ClothSimulation cloth(garment, {},
                        {.material = {.bending = 1e-6, .limit = 0},
                         .contact_method = GetParam(),
                         .contact = {.distance = 0.006, .friction = 0.4},
                         .step = 0.01,
                         .gravity = Vec3::Zero(),
                         .air_density = 0,
                         .tolerance = 1e-3});
  cloth.restart(garment.mesh.points, v);
  const auto flat = flat_triangles(garment.rest, garment.mesh.triangles);
  const Vec masses = cloth_masses(garment.mesh.point_count(), garment.mesh.triangles, flat, 0.2);
  const auto momentum = [&] {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < masses.size(); ++i) sum += masses(i) * point(cloth.velocities(), i);
    return sum;
  };
  const Vec3 before = momentum();
  cloth.advance(0.08);
  EXPECT_LT(cloth.report().nearest, 0.006) << "the halves met";
  EXPECT_NEAR((momentum() - before).norm(), 0, 1e-6 * before.norm());
}

// Speed of a patch along a slope after half a second.
double slid(double degrees, ContactMethod method) {
  const double a = degrees * kDegree;
  const Vec3 down(std::cos(a), -std::sin(a), 0), up(std::sin(a), std::cos(a), 0);
  TriMesh slope = sheet(8, 8, 1, 1);
  Garment garment{.mesh = sheet(0.2, 0.2, 3, 3)};
  const auto turn = [&](TriMesh& mesh, double height) {
    for (int i = 0; i < mesh.point_count(); ++i) {
      const Vec3 p = point(mesh.points, i);
      point(mesh.points, i) = p.x() * down + height * up + p.z() * Vec3::UnitZ();
    }
  };
  turn(slope, 0), turn(garment.mesh, 0.003);
  ClothSimulation cloth(garment, {.mesh = slope},
                        {.material = {.bending = 1e-3},
                         .contact_method = method,
                         .contact = {.distance = 0.005, .friction = 0.5},
                         .step = 0.01,
                         .air_density = 0,
                         .tolerance = 1e-4});
  cloth.advance(0.5);
  return point(cloth.velocities(), 5).dot(down);
}

TEST_P(ClothTruths, IsHeldByFrictionBelowTheConeAndSlipsAbove) {
  EXPECT_LT(slid(20, GetParam()), 0.01) << "below atan 0.5 = 26.6 degrees: no faster than the slip speed";
  const double free = 9.80665 * (std::sin(35 * kDegree) - 0.5 * std::cos(35 * kDegree)) * 0.5;
  EXPECT_NEAR(slid(35, GetParam()), free, 0.1 * free);
}

}  // namespace cloth_truths_test
}  // namespace rigspace
