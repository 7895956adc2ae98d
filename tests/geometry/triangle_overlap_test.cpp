#include "rigspace/geometry/triangle_overlap.h"
#include "rigspace/geometry/exact_orientation.h"
#include "solid_shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace rigspace {
namespace triangle_overlap_tests {

using testing::ball;

const Corners kFlat{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};

Vec3 next_up(Vec3 x, int k) {
  x[k] = std::nextafter(x[k], 1e300);
  return x;
}

TEST(Orientation, IsExactForIntegersBeyondWhatRoundingResolves) {
  // Points of one plane, x + y + z = 0 scaled up, moved by at most one unit: determinants of 1 among terms of 1e14.
  std::mt19937 random(3);
  std::uniform_int_distribution<long long> at(-60000, 60000), off(-1, 1);
  int zeros = 0;
  for (int round = 0; round < 3000; ++round) {
    std::array<std::array<long long, 3>, 4> p;
    for (auto& x : p) x = {at(random), at(random), 0}, x[2] = -x[0] - x[1] + off(random);
    __int128 det = 0;
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const __int128 minor = static_cast<__int128>(p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) -
                             static_cast<__int128>(p[1][j] - p[0][j]) * (p[2][i] - p[0][i]);
      det += minor * (p[3][k] - p[0][k]);
    }
    const auto vec = [&](int k) { return Vec3(double(p[k][0]), double(p[k][1]), double(p[k][2])); };
    const int expected = det > 0 ? 1 : det < 0 ? -1 : 0;
    zeros += expected == 0;
    ASSERT_EQ(orientation(vec(0), vec(1), vec(2), vec(3)), expected);
    ASSERT_EQ(orientation(vec(1), vec(0), vec(2), vec(3)), -expected);
    // Far from the origin by fractions that doubles hold but differences do not: still the sign of what is stored.
    ASSERT_EQ(orientation(vec(0) * 0x1p-40, vec(1) * 0x1p-40, vec(2) * 0x1p-40, vec(3) * 0x1p-40), expected);
  }
  EXPECT_GT(zeros, 20);
}

TEST(Orientation, SeesOneUnitInTheLastPlace) {
  const Vec3 a(0.1, 0.7, 0.3), b(0.9, 0.2, 0.3), c(0.5, 0.6, 0.3), d(1e-3, 777.25, 0.3);
  EXPECT_EQ(orientation(a, b, c, d), 0);
  EXPECT_EQ(orientation(a, b, c, next_up(d, 2)), -orientation(a, c, b, next_up(d, 2)));
  EXPECT_NE(orientation(a, b, c, next_up(d, 2)), 0);
  EXPECT_EQ(planar_orientation(Vec3(0, 0, 0), Vec3(0.1, 0.1, 5), Vec3(0.3, 0.3, 9), 2), 0);
  EXPECT_EQ(planar_orientation(Vec3(0, 0, 0), Vec3(0.1, 0.1, 5), next_up(Vec3(0.3, 0.3, 9), 1), 2), 1);
}

TEST(TriangleOverlap, TellsCrossingFromTouchingFromApart) {
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(1, 1, -1), Vec3(1, 1, 1), Vec3(9, 9, 1)}), Overlap::cross);
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(1, 1, 0), Vec3(1, 1, 1), Vec3(2, 1, 1)}), Overlap::touch);  // corner on face
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(1, 1, 1e-300), Vec3(1, 1, 1), Vec3(2, 1, 1)}), Overlap::none);
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(2, -1, 1)}), Overlap::touch);  // edge on edge
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(5, 5, -1), Vec3(5, 5, 1), Vec3(9, 9, 1)}), Overlap::none);   // beside it
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(0, 0, 0), Vec3(-1, 0, 1), Vec3(-1, -1, 1)}),
            Overlap::touch);  // equal corners
}

TEST(TriangleOverlap, JudgesCoplanarTriangles) {
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(1, 1, 0), Vec3(2, 1, 0), Vec3(1, 2, 0)}),
            Overlap::touch);  // one in the other
  EXPECT_EQ(triangle_overlap({Vec3(1, 1, 0), Vec3(2, 1, 0), Vec3(1, 2, 0)}, kFlat), Overlap::touch);
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(-1, 1, 0), Vec3(9, 1, 0), Vec3(9, 2, 0)}), Overlap::touch);  // edges cross
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(4, 4, 0), Vec3(3, 3, 0), Vec3(4, 3, 0)}), Overlap::none);
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(2, 2, 0), Vec3(3, 3, 0), Vec3(4, 3, 0)}), Overlap::touch);  // corner on edge
  EXPECT_EQ(triangle_overlap(kFlat, {next_up(Vec3(2, 2, 0), 0), Vec3(3, 3, 0), Vec3(4, 3, 0)}), Overlap::none);
}

TEST(TriangleOverlap, OfNeighboursCountsOnlyWhatPassesThrough) {
  // One shared corner.
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(0, 0, 0), Vec3(-1, 0, 1), Vec3(-1, -1, 1)}, 1), Overlap::none);
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(0, 0, 0), Vec3(1, 1, -1), Vec3(1, 1, 1)}, 1), Overlap::cross);
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(0, 0, 0), Vec3(9, 9, -1), Vec3(9, 9, 1)}, 1), Overlap::cross);  // far edge
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(1, 1, 1)}, 1), Overlap::touch);
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(0, 0, 0), Vec3(-1, 1, 0), Vec3(-2, 1, 0)}, 1), Overlap::none);
  // A shared edge: flat, bent, folded onto each other.
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(1, -3, 0)}, 2), Overlap::none);
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(1, 3, 1e-300)}, 2), Overlap::none);
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(1, 3, 0)}, 2), Overlap::touch);
  EXPECT_EQ(triangle_overlap(kFlat, kFlat, 3), Overlap::touch);
}

TEST(TriangleOverlap, TakesTrianglesWithoutAreaForTheirEdges) {
  const Corners needle{Vec3(1, 1, -1), Vec3(1, 1, 1), Vec3(1, 1, 3)};
  EXPECT_EQ(triangle_overlap(kFlat, needle), Overlap::cross);
  EXPECT_EQ(triangle_overlap(needle, {Vec3(0, 0, 0), Vec3(2, 2, 0), Vec3(1, 1, 0)}), Overlap::touch);  // two needles
  EXPECT_EQ(triangle_overlap(needle, {Vec3(0, 0, 0), Vec3(2, 2.1, 0), Vec3(1, 1.5, 0)}), Overlap::none);
  EXPECT_EQ(triangle_overlap(needle, {Vec3(1, 1, 4), Vec3(1, 1, 5), Vec3(1, 1, 9)}), Overlap::none);  // on one line
  EXPECT_EQ(triangle_overlap(needle, {Vec3(1, 1, 3), Vec3(1, 1, 5), Vec3(1, 1, 9)}), Overlap::touch);
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(1, 1, 0), Vec3(1, 1, 0), Vec3(1, 1, 0)}), Overlap::touch);  // a point
  EXPECT_EQ(triangle_overlap(kFlat, {Vec3(3, 3, 0), Vec3(3, 3, 0), Vec3(3, 3, 0)}), Overlap::none);
}

TEST(TriangleOverlap, DoesNotDependOnOrderAxesOrScale) {
  // Small integers: coplanar, touching and degenerate cases come by themselves.
  std::mt19937 random(5);
  std::uniform_int_distribution<int> at(0, 3);
  std::array<int, 3> seen{};
  for (int round = 0; round < 4000; ++round) {
    Corners a, b;
    for (Corners* t : {&a, &b})
      for (Vec3& x : *t) x = Vec3(at(random), at(random), at(random));
    const Overlap expected = triangle_overlap(a, b);
    ++seen[static_cast<int>(expected)];
    ASSERT_EQ(triangle_overlap(b, a), expected);
    ASSERT_EQ(triangle_overlap({a[1], a[0], a[2]}, {b[2], b[0], b[1]}), expected);
    const auto other_axes = [](const Vec3& x) { return Vec3(-0x1p-20 * x.z(), 0x1p-20 * x.x(), 0x1p-20 * x.y()); };
    ASSERT_EQ(triangle_overlap({other_axes(a[0]), other_axes(a[1]), other_axes(a[2])},
                               {other_axes(b[0]), other_axes(b[1]), other_axes(b[2])}),
              expected);
    // Moved apart along z by more than their size they never meet.
    ASSERT_EQ(triangle_overlap(a, {b[0] + Vec3(0, 0, 4), b[1] + Vec3(0, 0, 4), b[2] + Vec3(0, 0, 4)}), Overlap::none);
  }
  for (const int count : seen) EXPECT_GT(count, 100);
}

TEST(Crossings, OfTwoBallsAreFoundWhereTheyMeetAlone) {
  const auto unit = [](const Vec3&) { return 1.0; };
  const TriMesh a = ball(Vec3::Zero(), unit, 12);
  EXPECT_EQ(self_crossings(a).crossing(), 0);
  EXPECT_EQ(self_crossings(a).touching, 0);
  EXPECT_EQ(count_crossings(a, ball({2.001, 0, 0}, unit, 12)).crossing(), 0);
  const TriMesh b = ball({1.9, 0.013, 0.007}, unit, 12);
  const Crossings met = count_crossings(a, b);
  EXPECT_GT(met.crossing(), 5);
  for (const auto& [t, u] : met.pairs) EXPECT_GT(point(a.points, a.triangles[t][0]).x(), 0.5);
  // The same as one mesh of two shells.
  TriMesh both = a;
  both.points.conservativeResize(a.points.size() + b.points.size());
  both.points.tail(b.points.size()) = b.points;
  for (Triangle t : b.triangles) {
    for (int& v : t) v += a.point_count();
    both.triangles.push_back(t);
  }
  Crossings joined = self_crossings(both);
  for (auto& pair : joined.pairs) pair[1] -= a.triangle_count();
  EXPECT_EQ(joined.pairs, met.pairs);
}

TEST(Crossings, OfABallTurnedInsideOutThroughItselfAreFound) {
  const auto unit = [](const Vec3&) { return 1.0; };
  TriMesh mesh = ball(Vec3::Zero(), unit, 10);
  for (int i = 0; i < mesh.point_count(); ++i)
    if (point(mesh.points, i).y() > 0.9) point(mesh.points, i).y() = -1.5;  // the cap is pushed out below
  EXPECT_GT(self_crossings(mesh).crossing(), 0);
}

}  // namespace triangle_overlap_tests
}  // namespace rigspace
