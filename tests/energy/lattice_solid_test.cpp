#include "rigspace/energy/lattice_solid.h"
#include "rigspace/testing/check_energy.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace::lattice_test {
namespace {

LatticeElements two_cells() {
  HexLattice lattice;
  for (int i = 0; i < 12; ++i) lattice.vertices.emplace_back(i % 3, i / 3 % 2, i / 6);
  lattice.vertices[4] += Vec3(0.1, 0.05, -0.1);
  lattice.cells = {{0, 1, 3, 4, 6, 7, 9, 10}, {1, 2, 4, 5, 7, 8, 10, 11}};
  return {lattice, lattice_samples(lattice, [](const Vec3& x) { return x.x() + x.z() < 2.3; }, {.per_edge = 3})};
}

Vec shaken(const LatticeElements& elements, double by) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-by, by);
  Vec x = elements.lattice.points();
  for (double& each : x) each += uniform(random);
  return x;
}

const Mat3 kTurn = Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();

TEST(LatticeSolid, KeepsTheLawsOfEnergies) {
  const LatticeElements elements = two_cells();
  const LatticeSolid solid(elements, {.kind = MaterialKind::stable_neo_hookean, .young = 10});
  const auto report = testing::check_energy(solid, shaken(elements, 0.15));
  EXPECT_TRUE(report.ok()) << report;
}

TEST(WarpedLattice, KeepsTheLawsOfEnergies) {
  const LatticeElements elements = two_cells();
  WarpedLattice warped(elements, {.young = 10});
  warped.set_frames(std::vector<Mat3>{kTurn, Mat3::Identity()});
  const auto report = testing::check_energy(warped, shaken(elements, 0.3));
  EXPECT_TRUE(report.ok()) << report;
}

TEST(LatticeTwist, KeepsTheLawsOfEnergies) {
  const LatticeElements elements = two_cells();
  const LatticeTwist::Bone bone{Vec3(0.2, 0.5, 0.5), Vec3(1.5, 0.5, 0.4), 0.6, 0};
  LatticeTwist twist(elements, {&bone, 1}, 7);
  Affine turn = identity_affine();
  linear(turn) = kTurn;
  twist.set_transforms({&turn, 1});
  const auto report = testing::check_energy(twist, shaken(elements, 0.3));
  EXPECT_TRUE(report.ok()) << report;
}

// In a frame that turns with the body, a turned body is at rest; and the linear forces are those of the solid to first
// order.
TEST(WarpedLattice, IsAtRestWhenTurnedAndEqualsTheSolidToFirstOrder) {
  const LatticeElements elements = two_cells();
  const Material material{.young = 10};
  WarpedLattice warped(elements, material);
  warped.set_frames(std::vector<Mat3>(2, kTurn));
  const State state;
  const Vec rest = elements.lattice.points();
  const auto turned = [&](Vec x) {
    for (int i = 0; i < x.size() / 3; ++i) point(x, i) = (kTurn * point(x, i) + Vec3(1, 2, 3)).eval();
    return x;
  };
  Vec g = Vec::Zero(rest.size());
  warped.add_gradient(state, turned(rest), 1, g);
  EXPECT_LT(g.norm(), 1e-12);
  double last = 0;
  for (const double by : {1e-3, 5e-4}) {
    const Vec x = turned(shaken(elements, by));
    Vec linear_force = Vec::Zero(rest.size()), force = linear_force;
    warped.add_gradient(state, x, 1, linear_force);
    LatticeSolid(elements, material).add_gradient(state, x, 1, force);
    const double error = (linear_force - force).norm();
    EXPECT_LT(error, 0.02 * force.norm());
    if (last > 0) {
      EXPECT_NEAR(last / error, 4, 0.3);  // what is left is of second order
    }
    last = error;
  }
}

}  // namespace
}  // namespace rigspace::lattice_test
