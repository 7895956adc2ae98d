// A lattice and its forces go from a slender arm to a stout one (PBR 4.4).

#include "rigspace/apps/forces/lattice_transfer.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"

#include "arm_body.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

using testing::arm_body;

TEST(LatticeMap, IsTheIdentityFromACharacterToItself) {
  const ForceBody& body = *arm_body();
  const LatticeMap map = map_lattice(body, testing::arm());
  EXPECT_LT(map.skeleton_error, 1e-3);
  EXPECT_LT(map.surface_error, 1e-3);
  EXPECT_EQ(map.contained_rounds, 0);
  for (const Mat3& J : map.affine) EXPECT_LT((J - Mat3::Identity()).norm(), 0.05);
}

TEST(LatticeMap, CoversAnotherArmWithoutFoldedCellsAndCarriesABulge) {
  const auto slender = arm_body();
  const Character& stout = testing::arm("stout_arm");
  const LatticeMap map = map_lattice(*slender, stout);
  EXPECT_GT(map.least_volume, 0.02);
  EXPECT_LT(map.skeleton_error, 0.02);
  EXPECT_LT(map.surface_error, 0.02);
  const auto body = std::make_shared<const ForceBody>(make_force_body(stout, {}, map.lattice));  // contains the skin

  const ForceRig from(slender, testing::arm_rigs(*slender)), to(body, {});
  const Vec p = testing::curled(from, 90), q = testing::curled(to, 90);
  std::vector<Affine> C;
  PosedLattice a(*slender), b(*body);
  from.joints_at(p, C), a.set_pose(C);
  to.joints_at(q, C), b.set_pose(C);
  Vec Q = Vec::Zero(3 * slender->vertex_count()), y, plain, shaped, flat;
  add_rig_force(*slender, from.rigs()[0], 90 * kDegree, Q);
  const auto rise = [&](PosedLattice& lattice, const Vec& force) {  // of the skin of the upper arm's front
    lattice.shape_of(force, y), lattice.body().surface.evaluate(y, shaped);
    lattice.shape_of(Vec(), plain), lattice.body().surface.evaluate(plain, flat);
    double most = 0;
    for (int i = 0; i < lattice.body().surface.count(); ++i) {
      const Vec3 rest = point(lattice.body().points_rest, i);
      if (rest.x() < 0.2 && rest.y() > 0.43) most = std::max(most, shaped[3 * i + 1] - flat[3 * i + 1]);
    }
    return most;
  };
  const double here = rise(a, Q), there = rise(b, transfer_force(a, b, map.affine, Q));
  EXPECT_GT(here, 0.003);
  EXPECT_GT(there, 0.7 * here);  // metres; the stout arm is thicker, so its bulge is higher
  EXPECT_LT(there, 3 * here);
}

TEST(LatticeMap, RefusesSkeletonsWithoutNamesInCommon) {
  EXPECT_THROW(map_lattice(*arm_body(20), make_character("bar", Version::skeleton)), Error);
}

}  // namespace
}  // namespace rigspace
