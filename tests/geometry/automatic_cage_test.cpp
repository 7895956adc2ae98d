#include "cages.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/automatic_cage.h"
#include "rigspace/geometry/triangle_overlap.h"

#include <gtest/gtest.h>

namespace rigspace::automatic_cage_test {

using namespace testing;

void expect_encloses(const TriMesh& cage, const TriMesh& shape) {
  EXPECT_EQ(self_crossings(cage).crossing(), 0);
  EXPECT_EQ(count_crossings(cage, shape).crossing(), 0);
  const WindingTree winding(cage);
  for (int i = 0; i < shape.point_count(); ++i) ASSERT_NEAR(winding.exact(point(shape.points, i)), 1, 1e-6) << i;
}

TEST(AutomaticCage, EnclosesCoarselyWithoutCrossing) {
  for (const TriMesh& shape :
       {blob(3), horseshoe(), together(ball(Vec3::Zero(), 1, 10), ball(Vec3(3, 0, 0), 0.5, 8))}) {
    const AutomaticCage cage = automatic_cage(shape, {.faces = 100});
    EXPECT_TRUE(cage.reached);
    EXPECT_LE(cage.mesh.triangle_count(), 100);
    EXPECT_GT(cage.grid_faces, 500);
    EXPECT_GT(cage.clearance, 0);
    EXPECT_GT(cage.volume, signed_volume(shape));
    expect_encloses(cage.mesh, shape);
    // Any family of concave cages may be bound in it.
    const CageCoordinates at = cage_coordinates(cage.mesh, shape.points);
    EXPECT_LT((at.evaluate(cage.mesh.points) - shape.points).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(AutomaticCage, SheetsBesideABodyAreEnclosedToo) {
  const TriMesh shape = together(ball(Vec3::Zero(), 1, 10), sheet(Vec3(-0.5, 0.8, 0), 1, 1, 0.2));
  expect_encloses(automatic_cage(shape, {.faces = 80}).mesh, shape);
}

TEST(AutomaticCage, RefusesAMeshWithoutInside) {
  try {
    automatic_cage(sheet(Vec3::Zero(), 1, 1, 0.2));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("has no inside"), std::string::npos) << error.what();
  }
}

}  // namespace rigspace::automatic_cage_test
