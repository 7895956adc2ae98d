#include "energy/sheets.h"
#include "rigspace/apps/clothing/simulate_cloth.h"
#include "rigspace/base/error.h"
#include "rigspace/geometry/surface_crossings.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace cloth_motion_test {

using namespace testing;

TEST(Cloth, DroppedOnASphereEndsWithoutIntersections) {
  Garment garment{.mesh = sheet(1, 1, 20, 20)};
  for (int i = 0; i < garment.mesh.point_count(); ++i) garment.mesh.points(3 * i + 1) += 0.01;
  const ClothBody body{.mesh = ball(Vec3(0.02, -0.31, 0.01), 0.3, 12, 20)};
  ClothSimulation cloth(garment, body, {.contact = {.distance = 0.005}});
  for (int frame = 1; frame <= 24; ++frame) {
    cloth.advance(frame / 24.0);
    const SurfaceCrossings found = count_edge_crossings({cloth.points(), garment.mesh.triangles}, body.mesh);
    ASSERT_EQ(found.total(), 0) << "frame " << frame;
  }
  const ClothReport& r = cloth.report();
  printf("steps %d iterations %d pushes %d unfinished %d nearest %g stretch %g\n", r.steps, r.iterations, r.pushes,
         r.unfinished, r.nearest, r.worst_stretch);
  // It hangs over the sphere: the middle lies on top, the corners are far below.
  EXPECT_GT(point(cloth.points(), 220).y(), -0.02);
  EXPECT_LT(point(cloth.points(), 0).y(), -0.3);
}

}  // namespace cloth_motion_test
}  // namespace rigspace
