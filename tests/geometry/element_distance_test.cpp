#include "rigspace/geometry/element_distance.h"

#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/collision_pairs.h"
#include "rigspace/geometry/surface_crossings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace rigspace {
namespace element_distance_test {

PairPoints random_points(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> place(-size, size);
  PairPoints x;
  for (Vec3& p : x) p = Vec3(place(random), place(random), place(random));
  return x;
}

TEST(ElementDistance, HasTheDerivativesOfItsDifferences) {
  std::mt19937 random(1);
  constexpr double h = 1e-6;
  for (int trial = 0; trial < 200; ++trial)
    for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
      const PairPoints x = random_points(random, 1);
      const PairDistance at = pair_distance(kind, x);
      const auto g = distance_gradient(at);
      const auto H = distance_hessian(at, x);
      for (int i = 0; i < 12; ++i) {
        PairPoints up = x, down = x;
        up[i / 3][i % 3] += h, down[i / 3][i % 3] -= h;
        const PairDistance above = pair_distance(kind, up), below = pair_distance(kind, down);
        EXPECT_NEAR((above.squared - below.squared) / (2 * h), g[i], 1e-7);
        if (above.free != at.free || below.free != at.free) continue;  // D has a kink of its second derivative there
        const auto slope = ((distance_gradient(above) - distance_gradient(below)) / (2 * h)).eval();
        EXPECT_NEAR((slope - H.col(i)).norm(), 0, 1e-5 * (1 + H.norm()));
      }
    }
}

TEST(SafeMotion, IsTheSameBelowWhatIsEnough) {
  std::mt19937 random(3);
  int below = 0;
  for (int trial = 0; trial < 500; ++trial)
    for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
      const PairPoints x = random_points(random, 1), dx = random_points(random, 3);
      const double safe = safe_motion(kind, x, dx), enough = safe_motion(kind, x, dx, 0.1, 0.3);
      if (safe < 0.3) {
        EXPECT_EQ(enough, safe);
        ++below;
      } else {
        EXPECT_GE(enough, 0.3);
      }
    }
  EXPECT_GT(below, 20);
}

TEST(SafeMotion, OfWhatSlidesAlongIsWhole) {
  // A point a tenth of a millimetre above a triangle, which goes a metre along it and comes a hundredth nearer.
  const PairPoints x = {Vec3(0, 1e-4, 0), Vec3(-1, 0, -1), Vec3(1, 0, -1), Vec3(0, 0, 2)};
  const PairPoints along = {Vec3(0.4, -1e-5, 0), Vec3(-0.6, 0, 0), Vec3(-0.6, 0, 0), Vec3(-0.6, 0, 0)};
  EXPECT_EQ(safe_motion(PairKind::point_triangle, x, along), 1);
  const PairPoints into = {Vec3(0.4, -2e-4, 0), Vec3(-0.1, 0, 0), Vec3(-0.1, 0, 0), Vec3(-0.1, 0, 0)};
  EXPECT_NEAR(safe_motion(PairKind::point_triangle, x, into), 0.45, 1e-6) << "0.9 of the distance";
}

TEST(SafeMotion, NeverReachesAContactAndAlmostGetsThere) {
  std::mt19937 random(2);
  int hits = 0;
  for (int trial = 0; trial < 2000; ++trial)
    for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
      const PairPoints x = random_points(random, 1), dx = random_points(random, 3);
      const double safe = safe_motion(kind, x, dx);
      // On a fine grid: nothing comes near on the safe part, and the part ends soon before they do.
      const double start = std::sqrt(pair_distance(kind, x).squared);
      const auto distance_at = [&](double t) {
        PairPoints at = x;
        for (int c = 0; c < 4; ++c) at[c] += t * dx[c];
        return std::sqrt(pair_distance(kind, at).squared);
      };
      double first = 1;
      for (int k = 1; k <= 200; ++k) {
        const double t = k / 200.0, d = distance_at(t);
        if (t <= safe) {
          EXPECT_GE(d, 0.0099 * start);
        }
        if (d < 0.1 * start) first = std::min(first, t);
      }
      EXPECT_GE(distance_at(safe), 0.0999 * start);
      if (first == 1) continue;
      ++hits;
      EXPECT_GT(safe, 0.7 * first - 0.01);
    }
  EXPECT_GT(hits, 100);
}

TEST(CollisionPairs, AreAllThatComeNear) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-1, 1);
  const auto soup = [&](int triangles) {
    TriMesh mesh;
    mesh.points.resize(9 * triangles);
    for (double& c : mesh.points) c = place(random);
    for (int t = 0; t < triangles; ++t) {
      mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
      for (int k = 1; k < 3; ++k)  // small ones
        point(mesh.points, 3 * t + k) = 0.9 * point(mesh.points, 3 * t) + 0.1 * point(mesh.points, 3 * t + k);
    }
    return mesh;
  };
  const TriMesh surface = soup(40), obstacle = soup(30);
  CollisionPairFinder finder(surface, obstacle);
  std::vector<CollisionPair> found;
  const double reach = 0.2;
  finder.find({surface.points, surface.points, obstacle.points, obstacle.points}, reach, found);
  const auto at = [&](int i) { return Vec3(i < 120 ? point(surface.points, i) : point(obstacle.points, i - 120)); };
  const auto has = [&](PairKind kind, std::array<int, 4> points) {
    return std::find(found.begin(), found.end(), CollisionPair{kind, points}) != found.end();
  };
  const auto near = [&](PairKind kind, std::array<int, 4> p) {
    return pair_distance(kind, {at(p[0]), at(p[1]), at(p[2]), at(p[3])}).squared < reach * reach;
  };
  int expected = 0;
  for (int i = 0; i < 210; ++i)
    for (int t = 0; t < 70; ++t) {
      const std::array<int, 4> points = {i, 3 * t, 3 * t + 1, 3 * t + 2};
      if (i / 3 == t || (i >= 120 && t >= 40) || !near(PairKind::point_triangle, points)) continue;
      ++expected;
      EXPECT_TRUE(has(PairKind::point_triangle, points)) << i << " " << t;
    }
  const auto edge = [](int e) {
    const int a = e % 3 == 2 ? 1 : 0, b = e % 3 == 0 ? 1 : 2;
    return std::array{3 * (e / 3) + a, 3 * (e / 3) + b};
  };
  for (int e = 0; e < 120; ++e)
    for (int o = e + 1; o < 210; ++o) {
      const std::array<int, 4> points = {edge(e)[0], edge(e)[1], edge(o)[0], edge(o)[1]};
      if (e / 3 == o / 3 || !near(PairKind::edge_edge, points)) continue;
      ++expected;
      EXPECT_TRUE(has(PairKind::edge_edge, points)) << e << " " << o;
    }
  EXPECT_GT(expected, 100);
  std::vector<char> absent(30, 1);
  finder.set_absent(absent);
  finder.find({surface.points, surface.points, obstacle.points, obstacle.points}, reach, found);
  for (const CollisionPair& pair : found)
    for (const int i : pair.points) EXPECT_LT(i, 120) << "absent triangles take no part";
}

TEST(CollisionPairs, ServeAllMotionsThatTheyCover) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(-1, 1);
  const auto strips = [&](int triangles, double y) {  // of small triangles side by side
    TriMesh mesh;
    mesh.points.resize(9 * triangles);
    for (int t = 0; t < triangles; ++t) {
      mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
      for (int k = 0; k < 3; ++k)
        point(mesh.points, 3 * t + k) =
            Vec3(0.1 * (t % 6) + 0.1 * (k == 1), y + 0.02 * any(random), 0.1 * (t / 6 + k / 2));
    }
    return mesh;
  };
  const TriMesh surface = strips(36, 0), obstacle = strips(36, -0.3);
  const auto moved = [&](const Vec& x, const Vec3& by, double noise) {
    Vec y = x;
    for (int i = 0; i < x.size() / 3; ++i) point(y, i) += by + noise * Vec3(any(random), any(random), any(random));
    return y;
  };
  constexpr double kReach = 0.03, kMargin = 0.02;
  const Vec to = moved(surface.points, {0, -0.25, 0.1}, 0.03), body_to = moved(obstacle.points, {0.02, 0.05, 0}, 0.01);
  CollisionPairFinder finder(surface, obstacle);
  std::vector<CollisionPair> found, wanted;
  finder.find({surface.points, to, obstacle.points, body_to}, kReach, found, kMargin);
  const auto known = [&](const CollisionPair& pair) {
    return std::find(found.begin(), found.end(), pair) != found.end();
  };
  int covered = 0, near = 0;
  for (int trial = 0; trial < 16; ++trial) {
    // Whole, part of it, one that stops on the way, and one that leaves it.
    const double a = trial % 4 == 1 ? 0.5 : 0, b = trial % 4 == 2 ? 0.6 : trial % 4 == 3 ? 1.3 : 1;
    const Vec from = moved(surface.points + a * (to - surface.points), Vec3::Zero(), 0.01);
    const Vec end = moved(surface.points + b * (to - surface.points), Vec3::Zero(), 0.01);
    const Vec body_from = obstacle.points + a * (body_to - obstacle.points);
    const SurfaceMotion motion{from, end, body_from, body_to};
    if (!finder.covers(motion)) continue;
    ++covered;
    for (int k = 0; k <= 10; ++k) {
      const double t = 0.1 * k;
      const Vec x = from + t * (end - from), y = body_from + t * (body_to - body_from);
      CollisionPairFinder fresh(surface, obstacle);
      fresh.find({x, x, y, y}, kReach, wanted);
      const int n = surface.point_count();
      for (const CollisionPair& pair : wanted) {
        PairPoints at;
        for (int c = 0; c < 4; ++c)
          at[c] = pair.points[c] < n ? point(x, pair.points[c]) : point(y, pair.points[c] - n);
        if (pair_distance(pair.kind, at).squared > kReach * kReach) continue;
        ++near;
        EXPECT_TRUE(known(pair)) << "trial " << trial << ", time " << t;
      }
    }
  }
  EXPECT_GE(covered, 4);
  EXPECT_GT(near, 200);
  EXPECT_FALSE(finder.covers({to, moved(to, {0, -0.2, 0}, 0), body_to, body_to})) << "beyond what was searched";
}

TEST(SelfCrossingFinder, FindsWhatAllEdgesAgainstAllTrianglesFind) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  constexpr int kSide = 16;
  TriMesh mesh;
  mesh.points.resize(3 * kSide * kSide);
  for (int j = 0; j < kSide; ++j)
    for (int i = 0; i < kSide; ++i) {
      const double turn = 5.5 * i / kSide;  // a sheet rolled up, crumpled so that it crosses itself
      point(mesh.points, kSide * j + i) =
          Vec3((1 + 0.02 * turn) * std::cos(turn), 0.2 * j, (1 + 0.02 * turn) * std::sin(turn)) +
          0.22 * Vec3(any(random), any(random), any(random));
      if (i + 1 == kSide || j + 1 == kSide) continue;
      const int a = kSide * j + i;
      mesh.triangles.push_back({a, a + 1, a + kSide + 1}), mesh.triangles.push_back({a, a + kSide + 1, a + kSide});
    }
  const EdgeTable edges = edge_table(mesh);
  const auto normal = [&](int t) {
    const Triangle& c = mesh.triangles[static_cast<std::size_t>(t)];
    const Vec3 a = point(mesh.points, c[0]);
    return Vec3((point(mesh.points, c[1]) - a).cross(point(mesh.points, c[2]) - a).normalized());
  };
  SelfCrossingFinder finder(mesh);
  for (const double facing : {1.0, 0.3, -0.2}) {
    std::vector<char> expected(mesh.triangles.size(), 0);
    for (const Crossing& c : edge_crossings(mesh.points, edges.edges, mesh, true))
      for (const int half_edge : edges.uses(c.edge))
        if (facing >= 1 || normal(half_edge / 3).dot(normal(c.triangle)) <= facing)
          expected[static_cast<std::size_t>(half_edge / 3)] = expected[static_cast<std::size_t>(c.triangle)] = 1;
    EXPECT_GT(std::count(expected.begin(), expected.end(), 1), 4) << facing;
    EXPECT_EQ(finder.find(mesh.points, {}, facing), expected) << facing;
  }
}

}  // namespace element_distance_test
}  // namespace rigspace
