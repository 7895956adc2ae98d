#include "rigspace/geometry/cover_lattice.h"
#include "rigspace/geometry/lattice_samples.h"
#include "rigspace/geometry/polygonise.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <numbers>

namespace rigspace {
namespace {

HexLattice bent_cell() {
  HexLattice lattice;
  for (int c = 0; c < 8; ++c) lattice.vertices.emplace_back(c & 1, c >> 1 & 1, c >> 2 & 1);
  lattice.vertices[7] += Vec3(0.3, -0.1, 0.2);
  lattice.vertices[0] += Vec3(-0.1, 0.15, 0.05);
  lattice.cells.push_back({0, 1, 2, 3, 4, 5, 6, 7});
  return lattice;
}

TriMesh ball_of(double radius) {
  return polygonise([=](const Vec3& p) { return p.norm() - radius; }, {.cell = 0.1});
}

TEST(HexLattice, FindsPlacesInABentCell) {
  const HexLattice lattice = bent_cell();
  const HexTree tree(lattice);
  for (const Vec3& u : {Vec3(0.1, 0.9, 0.5), Vec3(0.99, 0.98, 0.97), Vec3(0, 0, 0)}) {
    const HexPlace place = tree.find(lattice.position(0, u));
    ASSERT_EQ(place.cell, 0);
    EXPECT_LT((place.u - u).norm(), 1e-9);
  }
  EXPECT_EQ(tree.find(Vec3(1.5, 0.5, 0.5)).cell, -1);
}

TEST(HexLattice, RefusesFoldedCellsAndSurfacesOutside) {
  HexLattice lattice = bent_cell();
  Vec far(6);
  far << 0.5, 0.5, 0.5, 0.5, 0.5, 3;
  try {
    embed(lattice, far, "lattice");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("does not contain the surface: 1 of 2"), std::string::npos)
        << error.what();
  }
  lattice.vertices[7] = Vec3(-0.5, 0.2, 0.2);
  EXPECT_THROW(lattice.validate("lattice"), Error);
}

// The volume of a ball from a lattice of cubes that is not aligned with it, and its second moment.
TEST(LatticeSamples, IntegrateOverTheTrueInside) {
  const TriMesh ball = ball_of(0.8);
  const WindingTree winding(ball);
  const CoverLattice cover = cover_lattice(ball, winding, {}, {.cells = 200});
  double volume = 0, moment = 0;
  for (const LatticeSample& sample :
       lattice_samples(cover.lattice, [&](const Vec3& x) { return winding(x) > 0.5; }, {.filling = 1e-9})) {
    volume += sample.volume;
    moment += sample.volume * cover.lattice.position(sample.cell, sample.u).squaredNorm();
  }
  const double exact = 4.0 / 3 * std::numbers::pi * std::pow(0.8, 3);
  EXPECT_NEAR(volume, exact, 0.02 * exact);  // the mesh itself lacks 1 %
  EXPECT_NEAR(moment, exact * 0.6 * 0.64, 0.03 * exact * 0.6 * 0.64);
}

// A bone that is aligned with nothing: vertices from its start to its end lie on it, and no cell is folded.
TEST(CoverLattice, FollowsABoneAndContainsTheSurface) {
  const BoneLine bone{Vec3(-0.42, -0.2, -0.11), Vec3(0.4, 0.23, 0.17)};
  const TriMesh ball = ball_of(0.9);
  const WindingTree winding(ball);
  const CoverLattice cover = cover_lattice(ball, winding, {&bone, 1}, {.cells = 250});
  EXPECT_NO_THROW(cover.lattice.validate("lattice"));
  EXPECT_EQ(embed(cover.lattice, ball.points, "lattice").count(), ball.point_count());
  double first = 1, last = 0;
  for (const HeldVertex& held : cover.held) {
    const Vec3 along = bone.to - bone.from, from = cover.lattice.vertices[held.vertex] - bone.from;
    const double t = from.dot(along) / along.squaredNorm();
    EXPECT_LT((from - t * along).norm(), 1e-12);
    first = std::min(first, t), last = std::max(last, t);
  }
  EXPECT_GE(cover.held.size(), 4u);
  EXPECT_LT(first, 1e-9);
  EXPECT_GT(last, 1 - 1e-9);
}

}  // namespace
}  // namespace rigspace
