#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/winding_number.h"
#include "solid_shapes.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace rigspace {
namespace {

using testing::ball;
using testing::blob;

Vec3 random_point(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> at(-size, size);
  return {at(random), at(random), at(random)};
}

double distance_to_all(const TriMesh& mesh, const Vec3& x) {
  double best = 1e300;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = point(mesh.points, t[0]), b = point(mesh.points, t[1]), c = point(mesh.points, t[2]);
    const Vec3 w = closest_barycentric(x, a, b, c);
    best = std::min(best, (x - w[0] * a - w[1] * b - w[2] * c).norm());
  }
  return best;
}

TEST(Bvh, HoldsEveryItemOnceForAnyCount) {
  for (int count = 0; count < 40; ++count) {
    std::vector<Box> boxes(count);
    for (int i = 0; i < count; ++i) boxes[i].include(Vec3(i % 3, i % 5, i % 7));
    const Bvh tree(boxes);
    std::multiset<int> seen;
    tree.traverse([](const Bvh::Node&) { return true; }, [&](int item) { seen.insert(item); });
    ASSERT_EQ(static_cast<int>(seen.size()), count);
    for (int i = 0; i < count; ++i) EXPECT_EQ(seen.count(i), 1u);
  }
}

TEST(ClosestPoint, IsNoFartherThanAnySampleOfTheTriangle) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int k = 0; k < 300; ++k) {
    const Vec3 a = random_point(random, 1), b = random_point(random, 1);
    // Every tenth triangle is flat.
    const Vec3 c = k % 10 == 0 ? Vec3(a + unit(random) * (b - a)) : random_point(random, 1);
    const Vec3 x = random_point(random, 2);
    const Vec3 w = closest_barycentric(x, a, b, c);
    EXPECT_GE(w.minCoeff(), -1e-15);
    EXPECT_NEAR(w.sum(), 1, 1e-14);
    const double found = (x - w[0] * a - w[1] * b - w[2] * c).norm();
    for (int s = 0; s < 60; ++s) {
      double u = unit(random), v = unit(random);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      EXPECT_LE(found, (x - (1 - u - v) * a - u * b - v * c).norm() + 1e-9);
    }
  }
}

TEST(TriangleTree, AgreesWithAskingAllTriangles) {
  const TriMesh mesh = blob(1);
  const TriangleTree tree(mesh);
  std::mt19937 random(4);
  for (int k = 0; k < 200; ++k) {
    const Vec3 x = random_point(random, 2);
    const double exact = distance_to_all(mesh, x);
    EXPECT_NEAR(tree.closest(x).distance, exact, 1e-14);
    EXPECT_EQ(tree.closest(x, 0.5 * exact).triangle, -1);
  }
}

TEST(TriangleTree, AnswersForMovedPointsAfterRefitting) {
  TriMesh mesh = blob(2);
  TriangleTree tree(mesh);
  std::mt19937 random(5);
  for (int i = 0; i < mesh.point_count(); ++i) point(mesh.points, i) += random_point(random, 0.2) + Vec3(3, 0, 0);
  tree.refit(mesh.points);
  for (int k = 0; k < 50; ++k) {
    const Vec3 x = random_point(random, 4);
    EXPECT_NEAR(tree.closest(x).distance, distance_to_all(mesh, x), 1e-14);
  }
}

TEST(TriangleTree, SegmentsCrossAClosedSurfaceAsOftenOutAsIn) {
  const TriangleTree tree(blob(3));
  std::mt19937 random(6);
  std::vector<double> crossings;
  int crossed = 0;
  for (int k = 0; k < 300; ++k) {
    const Vec3 from = 5 * random_point(random, 1).normalized(), to = 5 * random_point(random, 1).normalized();
    tree.crossings(from, to, crossings);
    EXPECT_EQ(crossings.size() % 2, 0u);
    EXPECT_EQ(tree.any_crossing(from, to), !crossings.empty());
    EXPECT_TRUE(std::is_sorted(crossings.begin(), crossings.end()));
    for (const double t : crossings) EXPECT_NEAR(tree.closest((1 - t) * from + t * to).distance, 0, 1e-13);
    crossed += !crossings.empty();
  }
  EXPECT_GT(crossed, 10);
}

TEST(WindingNumber, IsOneInsideAndZeroOutside) {
  const TriMesh mesh = blob(4);
  const WindingTree winding(mesh);
  const TriangleTree tree(mesh);
  std::mt19937 random(7);
  std::vector<double> crossings;
  for (int k = 0; k < 400; ++k) {
    const Vec3 x = random_point(random, 1.6);
    tree.crossings(x, Vec3(9, 0.3, 0.2), crossings);
    const double expected = static_cast<double>(crossings.size() % 2);
    EXPECT_NEAR(winding.exact(x), expected, 1e-9);
    EXPECT_NEAR(winding(x), expected, 0.03);  // what winding_number.h promises
  }
}

TEST(WindingNumber, OfHalfASphereIsHalfAtTheCentreOfItsRim) {
  TriMesh half = ball(Vec3::Zero(), 1.0, 48);
  std::erase_if(half.triangles, [&](const Triangle& t) {
    return point(half.points, t[0])[1] + point(half.points, t[1])[1] + point(half.points, t[2])[1] < 0;
  });
  EXPECT_NEAR(WindingTree(half).exact(Vec3::Zero()), 0.5, 1e-9);
  EXPECT_NEAR(WindingTree(half)(Vec3::Zero()), 0.5, 0.03);
}

TEST(WindingNumber, OfAFarPointIsItsDipole) {
  // The expansion must be right, not merely small: an open surface has a field that falls with the square.
  const TriMesh patch = testing::sheet(Vec3(-0.5, -0.5, 0), 1, 1, 0.3, 16);
  const WindingTree winding(patch);
  std::mt19937 random(8);
  for (int k = 0; k < 50; ++k) {
    const Vec3 x = 4 * random_point(random, 1).normalized();
    EXPECT_NEAR(winding(x), winding.exact(x), 5e-4);
  }
  EXPECT_GT(std::abs(winding.exact(Vec3(0, 0, -4))), 4e-3);
}

}  // namespace
}  // namespace rigspace
