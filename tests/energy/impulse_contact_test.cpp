#include "rigspace/energy/impulse_contact.h"
#include "energy/bodies.h"
#include "energy/sheets.h"
#include "rigspace/base/parallel.h"
#include "rigspace/geometry/triangle_overlap.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace impulse_contact_test {

using namespace testing;

int crossings(const TriMesh& surface, In x, const TriMesh& obstacle, In body) {
  const TriMesh at{x, surface.triangles};
  return self_crossings(at).crossing() + count_crossings(at, {body, obstacle.triangles}).crossing();
}

// A patch on a plane is to sink by 1 mm and to slide by `slide`: where it ends.
Vec3 patch_end(double slide, double friction) {
  TriMesh patch = sheet(0.2, 0.2, 3, 3);
  const TriMesh plane = sheet(2, 2, 1, 1);
  constexpr double kDistance = 0.002;
  for (int i = 0; i < patch.point_count(); ++i) patch.points(3 * i + 1) = kDistance;
  Vec to = patch.points, safe;
  for (int i = 0; i < patch.point_count(); ++i) point(to, i) += Vec3(slide, -0.001, 0);
  ImpulseContact contact(patch, plane, {.distance = kDistance, .friction = friction, .sweeps = 50});
  contact.resolve({patch.points, to, plane.points, plane.points}, Vec::Constant(patch.point_count(), 0.01), safe);
  return point(safe, 5) - point(patch.points, 5);
}

TEST(ImpulseContact, HoldsWithinTheConeOfFrictionAndSlipsBeyond) {
  EXPECT_NEAR((patch_end(0.0004, 0.5) - Vec3::Zero()).norm(), 0, 1e-5) << "0.4 of the normal motion, mu = 0.5";
  EXPECT_NEAR((patch_end(0.002, 0.5) - Vec3(0.002 - 0.5 * 0.001, 0, 0)).norm(), 0, 2e-5);
  EXPECT_NEAR((patch_end(0.002, 0) - Vec3(0.002, 0, 0)).norm(), 0, 1e-5);
}

TEST(ImpulseContact, KeepsTheMomentumOfASurfaceThatMeetsItself) {
  // A sheet folded over; its upper half flies through the lower one, at random too: impulses and zones act.
  const TriMesh flat = sheet(0.4, 0.2, 8, 4);
  Vec x = flat.points, to;
  for (int i = 0; i < flat.point_count(); ++i)
    if (auto p = point(x, i); p.x() > 1e-9) p = Vec3(-0.98 * p.x(), 0.03 * std::min(1.0, p.x() / 0.05), p.z() + 0.003);
  to = x + noise(static_cast<int>(x.size()), 3, 0.02);
  for (int i = 0; i < flat.point_count(); ++i)
    if (flat.points(3 * i) > 1e-9) to(3 * i + 1) -= 0.1;
  const Vec masses = Vec::LinSpaced(flat.point_count(), 0.001, 0.004);
  ImpulseContact contact(flat, {}, {.distance = 0.004, .friction = 0.4});
  Vec safe;
  contact.resolve({x, to, Vec(), Vec()}, masses, safe);
  EXPECT_GT(contact.report().touching, 0);
  Vec3 change = Vec3::Zero(), before = Vec3::Zero();
  for (int i = 0; i < flat.point_count(); ++i) {
    change += masses(i) * (point(safe, i) - point(to, i));
    before += masses(i) * (point(to, i) - point(x, i));
  }
  EXPECT_LT(change.norm(), 1e-9 * before.norm());
  EXPECT_EQ(crossings(flat, safe, {}, Vec()), 0);
}

TEST(ImpulseContact, EndsWithoutIntersectionsWhateverIsWanted) {
  const TriMesh cloth = sheet(0.4, 0.4, 8, 8);
  TriMesh body = ball(Vec3(0.01, -0.304, 0.02), 0.3, 8, 12);
  int zones = 0, carried = 0;
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    Vec x = cloth.points, at = body.points, safe;
    ImpulseContact contact(cloth, body, {.distance = 0.004});
    for (int step = 0; step < 6; ++step) {
      // Far more than an edge's length, at random, while the ball comes up through where the cloth is, and turns.
      const Vec to = x + noise(static_cast<int>(x.size()), 10 * seed + static_cast<unsigned>(step), 0.06);
      Vec next = at;
      const Eigen::AngleAxisd turn(0.1, Vec3::UnitZ());
      for (int i = 0; i < body.point_count(); ++i) point(next, i) = turn * Vec3(point(at, i)) + Vec3(0, 0.03, 0);
      contact.resolve({x, to, at, next}, Vec::Constant(cloth.point_count(), 0.01), safe);
      ASSERT_EQ(crossings(cloth, safe, body, next), 0) << "seed " << seed << ", step " << step;
      x = safe, at = next;
    }
    EXPECT_EQ(contact.report().released, 0);
    zones += contact.report().zones, carried += contact.report().carried;
  }
  EXPECT_GT(zones, 0);
  EXPECT_GT(carried, 0);
}

TEST(ImpulseContact, LetsGoOfPlatesThatPassEachOtherAndCountsIt) {
  const TriMesh cloth = sheet(0.2, 0.2, 4, 4);
  TriMesh plates = sheet(0.5, 0.5, 2, 2);
  const int half = plates.point_count();
  plates.points.conservativeResize(6 * half);
  plates.points.tail(3 * half) = plates.points.head(3 * half);
  const std::vector<Triangle> lower = plates.triangles;
  for (const Triangle& t : lower) plates.triangles.push_back({t[0] + half, t[1] + half, t[2] + half});
  Vec next = plates.points, safe;
  for (int i = 0; i < 2 * half; ++i)
    plates.points(3 * i + 1) = i < half ? -0.01 : 0.01, next(3 * i + 1) = -plates.points(3 * i + 1);
  ImpulseContact contact(cloth, plates, {.distance = 0.004});
  contact.resolve({cloth.points, cloth.points, plates.points, next}, Vec::Constant(cloth.point_count(), 0.01), safe);
  EXPECT_GT(contact.report().released, 0);
  EXPECT_TRUE(safe.allFinite());
  int marked = 0;
  for (const char each : contact.released()) marked += each;
  EXPECT_EQ(marked, contact.report().released);
}

TEST(ImpulseContact, ComesToTheSameBitsOnAnyNumberOfThreads) {
  const TriMesh cloth = sheet(0.4, 0.4, 8, 8), body = ball(Vec3(0.01, -0.304, 0.02), 0.3, 8, 12);
  const Vec to = cloth.points + noise(static_cast<int>(cloth.points.size()), 5, 0.03);
  const auto end_on = [&](int threads) {
    const ThreadCountScope scope(threads);
    ImpulseContact contact(cloth, body, {.distance = 0.004});
    Vec safe;
    contact.resolve({cloth.points, to, body.points, body.points}, Vec::Constant(cloth.point_count(), 0.01), safe);
    return safe;
  };
  EXPECT_EQ(end_on(1), end_on(2));
}

}  // namespace impulse_contact_test
}  // namespace rigspace
