// Belts, and skin that meets itself (PBR 3.4).

#include "rigspace/apps/forces/force_simulation.h"
#include "rigspace/base/error.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/winding_number.h"
#include "rigspace/testing/check_rig.h"

#include "arm_body.h"

#include <gtest/gtest.h>

namespace rigspace::crease_test {
namespace {

using testing::arm_body;

std::shared_ptr<const ForceBody> belted(double tight) {
  return std::make_shared<const ForceBody>(make_force_body(
      testing::arm(), {.cover = {.cells = 40},
                       .belts = {{.name = "band", .bone = "upper_arm", .along = 0.5, .width = 0.02, .tight = tight}}}));
}

TEST(Belt, DrawsItsRingTightAndCarriesIt) {
  const auto body = belted(0.85);
  const Belt& belt = body->belts.front();
  EXPECT_GT(belt.points.size(), 40u);
  const ForceRig rig(body, {});
  Vec s;
  for (const double degrees : {0.0, 80.0}) {
    rig.evaluate(*rig.make_workspace(), testing::curled(rig, degrees), s);  // the upper arm stays where it is
    double off = 0, squeeze = 0;
    for (const int i : belt.points) {
      const Vec3 x = point(body->points_rest, i), goal(x.x(), 0.4 + 0.85 * (x.y() - 0.4), 0.85 * x.z());
      off += (point(s, i) - goal).squaredNorm(), squeeze += (x - goal).squaredNorm();
    }
    EXPECT_LT(std::sqrt(off), 0.25 * std::sqrt(squeeze)) << "what the lattice can follow";
    PosedLattice lattice(*body);
    std::vector<Affine> C;
    rig.joints_at(testing::curled(rig, degrees), C);
    lattice.set_pose(C);
    Vec y, held;
    lattice.shape_of(Vec(), y);
    lattice.place_held(held = y);
    EXPECT_LT((held - y).norm(), 1e-10 * y.norm());
  }
  // Elsewhere the flesh is free: the hand does not feel the belt.
  double hand = 0;
  rig.evaluate(*rig.make_workspace(), rig.rest(), s);
  for (int i = 0; i < rig.point_count(); ++i)
    if (point(body->points_rest, i).x() > 0.6)
      hand = std::max(hand, (point(s, i) - point(body->points_rest, i)).norm());
  EXPECT_LT(hand, 2e-4);
}

TEST(Belt, KeepsTheLawsOfRigs) {
  const auto body = belted(0.9);
  const ForceRig rig(body, testing::arm_rigs(*body));
  const auto report = testing::check_rig(rig, {.poses = 1, .tolerance = 1e-5});
  EXPECT_TRUE(report.ok()) << report;
}

TEST(Belt, RefusesWhatItCannotHold) {
  const auto refuses = [](const BeltPlan& first, const BeltPlan& second, const char* sentence) {
    try {
      make_force_body(testing::arm(), {.cover = {.cells = 20}, .belts = {first, second}});
      FAIL() << sentence;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(sentence), std::string::npos) << error.what();
    }
  };
  const BeltPlan good{.name = "a", .bone = "upper_arm"};
  refuses(good, {.name = "b", .bone = "leg"}, "is not a joint of the skin");
  refuses(good, {.name = "b", .bone = "forearm", .width = 1e-9}, "goes round");
  refuses(good, {.name = "b", .bone = "upper_arm"}, "holds flesh that belt");
  refuses(good, {.name = "b", .bone = "forearm", .tight = 3}, "expected 0.2 to 1.5");
}

constexpr double kTouch = 0.2;   // edges: points less deep inside touch
constexpr double kElbow = 0.30;  // metres along the arm

/// Points of the skin that are inside the body elsewhere; those within a cell of the fold itself, which the lattice
/// cannot make, do not count.
int inside(const CreaseSurface& surface, const ForceBody& body, const Vec& y) {
  TriMesh mesh{.points = Vec(3 * surface.count()), .triangles = surface.triangles()};
  for (int i = 0; i < surface.count(); ++i) point(mesh.points, i) = body.surface.evaluate(y, surface.skin_point(i));
  const WindingTree winding(mesh);
  const Vec normals = vertex_normals(mesh);
  const TriangleTree tree(mesh);
  int count = 0;
  for (int i = 0; i < surface.count(); ++i) {
    const Vec3 x = point(mesh.points, i), n = point(normals, i);
    if (std::abs(point(body.points_rest, surface.skin_point(i)).x() - kElbow) < body.cell) continue;
    if (winding(x + 0.1 * surface.mean_edge() * n) < 0.5) continue;
    const SurfacePoint near =
        tree.closest(x, 1, [&](int t) { return !surface.is_near(i, t) && tree.normal(t).dot(n) < 0; });
    count += near.distance > kTouch * surface.mean_edge() ? 1 : 0;
  }
  return count;
}

TEST(Creases, HoldSkinApartAndLetItGo) {
  const auto body = arm_body(60);
  const auto rig = std::make_shared<const ForceRig>(body, std::vector<ForceRigPart>{});
  const auto surface = std::make_shared<const CreaseSurface>(*body);
  constexpr double kBent = 140;
  const auto bent = [&](double degrees) { return testing::curled(*rig, degrees); };
  const CreaseSeeds seeds = find_crease_seeds(*rig, slow_motion(bent(0), bent(kBent), 35));
  ASSERT_GT(seeds.pairs.size(), 0u);
  EXPECT_LT(seeds.pairs.size(), 40u) << "the front finds the others";
  const ForceSimulationOptions options{.step = 1.0 / 60};
  ForceSimulation held(rig, options), plain(rig, options);
  held.hold_creases(Creases(surface, seeds));
  held.restart(bent(0)), plain.restart(bent(0));
  EXPECT_EQ(held.creases()->contacts().size(), 0u);
  int unsettled = 0;
  for (int k = 1; k <= 90; ++k) {
    held.step(bent(std::min(kBent, 2.5 * k))), plain.step(bent(std::min(kBent, 2.5 * k)));
    unsettled += held.last_solve().complete ? 0 : 1;
  }
  const int free = inside(*surface, *body, plain.shape()), kept = inside(*surface, *body, held.shape());
  EXPECT_GT(free, 30);
  EXPECT_EQ(kept, 0);
  EXPECT_LT(unsettled, 5);
  // Complementarity: who presses is held, and nobody pulls.
  double strongest = 0, weakest = 0, others = 0;
  int active = 0;
  for (const CreaseContact& each : held.creases()->contacts()) {
    strongest = std::max(strongest, each.force), weakest = std::min(weakest, each.force);
    active += each.active ? 1 : 0;
    if (!each.active) others = std::max(others, std::abs(each.force));
  }
  EXPECT_GT(active, 0);
  EXPECT_GT(strongest, 0);
  EXPECT_GT(weakest, -0.01 * strongest);
  EXPECT_EQ(others, 0);
  // Straight again there is nothing left of it.
  for (int k = 1; k <= 120; ++k) {
    const Vec p = bent(std::max(0.0, kBent - 4.0 * k));
    held.step(p), plain.step(p);
  }
  EXPECT_EQ(held.last_solve().active, 0);
  EXPECT_LT((held.shape() - plain.shape()).cwiseAbs().maxCoeff(), 0.01 * body->cell);
}

}  // namespace
}  // namespace rigspace::crease_test
