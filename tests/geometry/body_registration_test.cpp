#include "rigspace/geometry/body_registration.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/polygonise.h"
#include "rigspace/geometry/signed_distance.h"

#include <gtest/gtest.h>

namespace rigspace::body_registration_test {
namespace {

/// A star of four limbs of different lengths in a plane, the first one turned up by an angle at its root.
TriMesh star(double turned, double longer = 1) {
  return polygonise(
      [=](const Vec3& x) {
        const Vec3 up(longer * 1.6 * std::cos(turned), longer * 1.6 * std::sin(turned), 0);
        double body = sphere(x, Vec3::Zero(), 0.4);
        body = std::min(body, tapered_capsule(x, Vec3::Zero(), up, 0.16, 0.14));
        body = std::min(body, tapered_capsule(x, Vec3::Zero(), Vec3(-1.2, 0.3, 0), 0.16, 0.14));
        body = std::min(body, tapered_capsule(x, Vec3::Zero(), Vec3(0.4, -1.4, 0), 0.16, 0.14));
        return std::min(body, tapered_capsule(x, Vec3::Zero(), Vec3(-0.4, -1.4, 0), 0.16, 0.14));
      },
      {.low = Vec3(-2, -2, -0.7), .high = Vec3(2.6, 2, 0.7), .cell = 0.07});
}

TEST(BodyTips, AreTheEndsOfTheLimbs) {
  const TriMesh mesh = star(0);
  const SolidVoxels voxels(mesh, {.across = 64});
  const BodyTips tips = find_body_tips(voxels);
  ASSERT_EQ(tips.tips.size(), 4u);
  for (const Vec3& end : {Vec3(1.74, 0, 0), Vec3(-1.34, 0.33, 0), Vec3(0.43, -1.53, 0), Vec3(-0.43, -1.53, 0)}) {
    double least = 1e300;
    for (const BodyTip& tip : tips.tips) least = std::min(least, (tip.position - end).norm());
    EXPECT_LT(least, 0.12);
  }
  for (const BodyTip& tip : tips.tips)
    for (const Vec3& middle : tip.middle)
      EXPECT_LT(std::abs(middle.z()), 0.05);  // in the middle of the limb, all of which lie in this plane
}

TEST(DeformationGraph, IsASimilarityWhereAllNodesAre) {
  const TriMesh mesh = star(0);
  const SolidVoxels voxels(mesh, {.across = 40});
  DeformationGraph graph(voxels, 60);
  EXPECT_EQ(graph.count(), 60);
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  graph.set_similarity(turn, 1.3, Vec3(0.1, -2, 5));
  for (int i = 0; i < mesh.point_count(); i += 17) {
    const Vec3 x = point(mesh.points, i);
    EXPECT_LT((graph(x) - (1.3 * (turn * x) + Vec3(0.1, -2, 5))).norm(), 1e-12);
  }
}

TEST(BodyRegistration, OfABodyWithItselfIsTheIdentity) {
  const TriMesh mesh = star(0.2);
  const BodyRegistration registration(mesh, mesh, {});
  EXPECT_EQ(registration.matches().size(), 4u);
  for (const auto& [a, b] : registration.matches()) EXPECT_EQ(a, b);
  for (int i = 0; i < mesh.point_count(); i += 11)
    EXPECT_LT((registration(point(mesh.points, i)) - point(mesh.points, i)).norm(), 0.03);
  EXPECT_LT(registration.residual(), 0.005);
}

TEST(BodyRegistration, FollowsALimbIntoAnotherPoseAndLength) {
  constexpr double kTurn = 0.9, kLonger = 1.2;
  const BodyRegistration registration(star(0), star(kTurn, kLonger), {.heading = 0});
  EXPECT_EQ(registration.matches().size(), 4u);
  EXPECT_LT(registration.residual(), 0.01);
  const Vec3 along(std::cos(kTurn), std::sin(kTurn), 0);
  for (const double at : {0.8, 1.2, 1.6}) {
    const Vec3 there = registration(Vec3(at, 0, 0));
    EXPECT_LT((there - there.dot(along) * along).norm(), 0.08) << at;  // on the limb's axis
    EXPECT_NEAR(there.dot(along), kLonger * at, 0.2) << at;
  }
  EXPECT_GT(registration.turn(Vec3(1.3, 0, 0)).col(0).dot(along), 0.97);
}

TEST(BodyRegistration, FindsTheHeading) {
  const TriMesh mesh = star(0.2);
  TriMesh turned = mesh;
  const Mat3 turn = Eigen::AngleAxisd(M_PI / 2, Vec3::UnitY()).toRotationMatrix();
  for (int i = 0; i < mesh.point_count(); ++i) point(turned.points, i) = 3 * (turn * point(mesh.points, i));
  const BodyRegistration registration(mesh, turned, {});
  EXPECT_LT((registration.facing() - turn).norm(), 1e-9);
  EXPECT_NEAR(registration.scale(), 3, 0.05);
}

TEST(BodyRegistration, NeedsAnInside) {
  const TriMesh sheet{.points = (Vec(9) << 0, 0, 0, 1, 0, 0, 0, 1, 0).finished(), .triangles = {{0, 1, 2}}};
  EXPECT_THROW(BodyRegistration(star(0), sheet, {}), Error);
  EXPECT_THROW(BodyRegistration(sheet, star(0), {}), Error);
}

}  // namespace
}  // namespace rigspace::body_registration_test
