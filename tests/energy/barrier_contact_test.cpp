#include "rigspace/energy/barrier_contact.h"
#include "energy/bodies.h"
#include "energy/sheets.h"
#include "rigspace/testing/check_energy.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace barrier_contact_test {

using namespace testing;

// A sheet over a ball, nearer than the contact distance, and bent so that edges lie askew.
struct Scene {
  TriMesh cloth = sheet(0.4, 0.4, 4, 4), body = ball(Vec3(0.01, -0.305, 0.02), 0.3, 6, 9);
  Vec x = cloth.points;

  Scene() {
    for (int i = 0; i < cloth.point_count(); ++i) x(3 * i + 1) = -0.6 * point(x, i).squaredNorm();
    x += noise(static_cast<int>(x.size()), 4, 0.002);
  }
};

TEST(BarrierContact, KeepsTheLawsOfEnergies) {
  const Scene s;
  BarrierContact contact(s.cloth, s.body, {.distance = 0.03, .stiffness = 5});
  ASSERT_GT(contact.report(s.x).touching, 10);
  LawReport report = check_energy(contact, s.x, {.length = 0.01, .tolerance = 1e-5});
  EXPECT_TRUE(report.ok()) << report;
  contact.begin_step(s.x, 0.01);
  const Vec slid = s.x + noise(static_cast<int>(s.x.size()), 9, 1e-4);
  report = check_energy(contact, slid, {.length = 0.001, .tolerance = 1e-5});
  EXPECT_TRUE(report.ok()) << report;
}

TEST(BarrierContact, KeepsTheLawsOfEnergiesForEdgesThatAreNearlyParallel) {
  TriMesh cloth;
  cloth.points.resize(18);
  cloth.points << 0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0, 1, 2, 1, 1, 2, 0.5, 1, 3;  // two triangles, far apart at rest
  cloth.triangles = {{0, 1, 2}, {3, 4, 5}};
  Vec x(18);
  x << 0, 0, 0, 1, 0, 0, 0.5, 1, -0.2, 0.1, 0.004, 0.025, 0.9, 0.002, 0.03, 0.4, -0.4, 1;
  const BarrierContact contact(cloth, {}, {.distance = 0.05, .stiffness = 5});
  ASSERT_GT(contact.report(x).own, 0);
  const LawReport report = check_energy(contact, x, {.length = 0.002, .tolerance = 1e-5});
  EXPECT_TRUE(report.ok()) << report;
}

TEST(BarrierContact, PushesASheetAndABallApartWithOppositeForces) {
  const Scene s;
  const BarrierContact contact(s.cloth, s.body, {.distance = 0.03, .stiffness = 5});
  EXPECT_GT(contact.report(s.x).obstacle_force.y(), 0);
  // Within the sheet alone, forces and moments sum to zero.
  Vec folded = s.cloth.points;
  for (int i = 0; i < s.cloth.point_count(); ++i)
    if (folded(3 * i) > 0) folded(3 * i) *= -0.93, folded(3 * i + 1) = 0.01;
  const BarrierContact alone(s.cloth, {}, {.distance = 0.03, .stiffness = 5});
  ASSERT_GT(alone.report(folded).own, 10);
  const Vec g = gradient(alone, folded);
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  for (int i = 0; i < s.cloth.point_count(); ++i) force += point(g, i), moment += point(folded, i).cross(point(g, i));
  EXPECT_NEAR(force.norm(), 0, 1e-12 * g.norm());
  EXPECT_NEAR(moment.norm(), 0, 1e-12 * g.norm());
}

TEST(BarrierContact, IsSilentAtRestWhereTheMeshIsFinerThanTheDistance) {
  const TriMesh cloth = sheet(0.1, 0.1, 10, 10);
  const BarrierContact contact(cloth, {}, {.distance = 0.05});
  EXPECT_EQ(contact.report(cloth.points).touching, 0);
}

TEST(BarrierContact, StopsEveryPathBeforeItCrosses) {
  const Scene s;
  const BarrierContact contact(s.cloth, s.body, {.distance = 0.03, .stiffness = 5});
  const auto state = contact.make_state();
  Vec through = s.x;
  for (int i = 0; i < s.cloth.point_count(); ++i) through(3 * i + 1) -= 0.9;
  const double part = contact.max_step(*state, s.x, through);
  EXPECT_LT(part, 0.01);
  EXPECT_GT(part, 0);
  Vec away = s.x;
  for (int i = 0; i < s.cloth.point_count(); ++i) away(3 * i + 1) += 0.9;
  EXPECT_EQ(contact.max_step(*state, s.x, away), 1);
}

}  // namespace barrier_contact_test
}  // namespace rigspace
