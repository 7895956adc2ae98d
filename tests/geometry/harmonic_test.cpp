#include "rigspace/geometry/harmonic.h"

#include "rigspace/geometry/nearby_weights.h"
#include "rigspace/geometry/stuffing.h"
#include "solid_shapes.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

TetMesh ball() {
  return stuff(testing::ball(
                   Vec3::Zero(), [](const Vec3&) { return 1.0; }, 16),
               {.cell = 0.25})
      .mesh;
}

std::vector<char> boundary_of(const TetMesh& mesh) {
  std::vector<char> carriers(mesh.point_count(), 0);
  for (const int i : boundary_nodes(mesh)) carriers[i] = 1;
  return carriers;
}

TEST(HarmonicWeights, CarryEveryNodeToItsPlace) {
  const TetMesh mesh = ball();
  const CarrierWeights weights = harmonic_weights(mesh, boundary_of(mesh), {.drop_below = 0});
  int inner = 0;
  for (int i = 0; i < mesh.point_count(); ++i) {
    Vec3 carried = Vec3::Zero();
    double sum = 0;
    for (const auto& [c, w] : weights[i]) carried += w * mesh.points.segment<3>(3 * c), sum += w;
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_LT((carried - mesh.points.segment<3>(3 * i)).norm(), 1e-10);
    inner += weights[i].size() > 1;
  }
  EXPECT_GT(inner, 50);
}

TEST(HarmonicWeights, OfTheMiddleOfABallAreSpreadEvenly) {
  // The mean value property: at the centre, the integral over any half of the sphere is a half.
  const TetMesh mesh = ball();
  const CarrierWeights weights = harmonic_weights(mesh, boundary_of(mesh));
  int centre = 0;
  for (int i = 0; i < mesh.point_count(); ++i)
    if (mesh.points.segment<3>(3 * i).norm() < mesh.points.segment<3>(3 * centre).norm()) centre = i;
  for (int axis = 0; axis < 3; ++axis) {
    double half = 0;
    for (const auto& [c, w] : weights[centre]) {
      const double x = mesh.points[3 * c + axis];
      half += w * (x > 1e-9 ? 1 : x < -1e-9 ? 0 : 0.5);
    }
    EXPECT_NEAR(half, 0.5, 0.05);
  }
}

TEST(HarmonicWeights, OfTwoCarriersAreBetweenThemUnlessMadeAffine) {
  // The maximum principle, for a mesh without obtuse angles to speak of; two points cannot keep an affine motion.
  const TetMesh mesh = ball();
  std::vector<char> carriers(mesh.point_count(), 0);
  carriers.front() = carriers.back() = 1;
  const CarrierWeights weights = harmonic_weights(mesh, carriers, {.drop_below = 0, .affine = false});
  for (const PointWeights& each : weights) {
    double sum = 0;
    for (const auto& [c, w] : each) {
      sum += w;
      EXPECT_GE(w, -1e-9);
      EXPECT_LE(w, 1 + 1e-9);
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(HarmonicWeights, KeepAffineMotionsWhenSmallOnesAreDropped) {
  const TetMesh mesh = ball();
  const CarrierWeights weights = harmonic_weights(mesh, boundary_of(mesh));
  const Mat3 A = (Mat3() << 1.2, 0.3, 0, -0.1, 0.8, 0.2, 0, 0.4, 1.1).finished();
  for (int i = 0; i < mesh.point_count(); ++i) {
    Vec3 rest = Vec3::Zero(), moved = Vec3::Zero();
    for (const auto& [c, w] : weights[i]) {
      rest += w * mesh.points.segment<3>(3 * c);
      moved += w * (A * mesh.points.segment<3>(3 * c) + Vec3(1, 2, 3));
    }
    EXPECT_LT((moved - (A * rest + Vec3(1, 2, 3))).norm(), 1e-12);
    EXPECT_LT((rest - mesh.points.segment<3>(3 * i)).norm(), 1e-12);
  }
}

TEST(HarmonicWeights, CarryABoundaryThatCarriesNothing) {
  // Half of the skin is free: of Laplace's equation alone its nodes would come out elsewhere.
  const TetMesh mesh = ball();
  std::vector<char> carriers = boundary_of(mesh);
  for (int i = 0; i < mesh.point_count(); ++i)
    if (mesh.points[3 * i] > 0.2) carriers[i] = 0;
  const CarrierWeights weights = harmonic_weights(mesh, carriers);
  for (int i = 0; i < mesh.point_count(); ++i) {
    Vec3 rest = Vec3::Zero();
    for (const auto& [c, w] : weights[i]) rest += w * mesh.points.segment<3>(3 * c);
    EXPECT_LT((rest - mesh.points.segment<3>(3 * i)).norm(), 1e-10);
  }
}

TEST(WeightsAround, GiveAPlaceBesideASurfaceWhosePointsAreThereSeveralTimes) {
  // As a glTF has them, a point for each triangle: sixteen points of it are three or four places.
  const TriMesh shared = testing::ball(
      Vec3::Zero(), [](const Vec3&) { return 1.0; }, 12);
  TriMesh split;
  split.points.resize(9 * shared.triangle_count());
  for (int t = 0; t < shared.triangle_count(); ++t) {
    for (int c = 0; c < 3; ++c) point(split.points, 3 * t + c) = point(shared.points, shared.triangles[t][c]);
    split.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  const std::vector<int> used = points_to_choose(split, ball());
  EXPECT_EQ(used.size(), points_to_choose(shared, ball()).size());
  for (const Vec3& x : {Vec3(0.9, 0.3, 0), Vec3(0.2, -1.05, 0.3), Vec3(0.1, 0.2, 0.8)}) {
    Vec3 there = Vec3::Zero();
    double sum = 0;
    for (const auto& [i, weight] : weights_around(x, split.points, used))
      there += weight * point(split.points, i), sum += weight;
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_LT((there - x).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace rigspace
