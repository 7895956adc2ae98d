// Garments before and after a simulation: relaxation, files.

#include "energy/sheets.h"
#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/apps/clothing/relax_garment.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/geometry/triangle_overlap.h"
#include "rigspace/io/point_motion.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace garment_test {

using namespace testing;

TEST(RelaxGarment, BringsATubeOutOfABall) {
  Garment garment{.mesh = tube(0.5, 0.285, 8, 24)};
  const Vec given = garment.mesh.points;
  const ClothBody body{.mesh = ball(Vec3(0.01, 0.005, 0.002), 0.3, 10, 18)};
  EXPECT_THROW(ClothSimulation(garment, body), Error) << "it starts inside";
  const RelaxReport report = relax_garment(garment, body.mesh);
  EXPECT_GT(report.crossings_before, 0);
  EXPECT_TRUE(report.free());
  EXPECT_EQ(report.own_crossings, 0);
  EXPECT_EQ(self_crossings(garment.mesh).crossing() + count_crossings(garment.mesh, body.mesh).crossing(), 0);
  EXPECT_LT(report.farthest, 0.05) << "15 mm too narrow";
  EXPECT_EQ(garment.rest, given) << "the cloth keeps its size";
  ClothSimulation cloth(garment, body);
  cloth.advance(1.0 / 24);
  EXPECT_EQ(count_crossings({cloth.points(), garment.mesh.triangles}, body.mesh).crossing(), 0);
}

TEST(RelaxGarment, LeavesAGarmentThatIsFreeAsItIs) {
  Garment garment{.mesh = tube(0.5, 0.35, 8, 24)};
  const Vec given = garment.mesh.points;
  const RelaxReport report = relax_garment(garment, ball(Vec3::Zero(), 0.3, 10, 18));
  EXPECT_EQ(report.rounds, 0);
  EXPECT_EQ(garment.mesh.points, given);
  EXPECT_EQ(garment.rest.size(), 0);
}

TEST(GarmentFile, IsReadBackAsWritten) {
  const TriMesh mesh = sheet(1, 1, 2, 3);
  const std::vector<Vec> frames = {mesh.points, 2 * mesh.points, 3 * mesh.points};
  const auto folder = std::filesystem::temp_directory_path() / "rigspace-garment-test";
  std::filesystem::create_directories(folder);
  for (const char* ending : {".mdd", ".pc2", ".obj"}) {
    const auto written = write_cloth_motion(folder / (std::string("cloth") + ending), mesh.triangles, frames, 24);
    const PointMotion back = read_point_motion(written.front(), 24);
    ASSERT_EQ(back.X.cols(), 3) << ending;
    for (int k = 0; k < 3; ++k)
      EXPECT_LT((back.X.col(k) - frames[static_cast<std::size_t>(k)]).lpNorm<Eigen::Infinity>(), 1e-6) << ending;
    EXPECT_NEAR(back.times[2], 2 / 24.0, 1e-6);
  }
  const TriMesh again = read_obj_mesh(folder / "cloth_0000.obj");
  EXPECT_EQ(again.triangles, mesh.triangles);
  write_file(folder / "bad.obj", "v 0 0 0\nf 1 2 3\n");
  try {
    read_obj_mesh(folder / "bad.obj");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bad.obj:2: face names vertex 2"), std::string::npos) << error.what();
  }
  std::filesystem::remove_all(folder);
  EXPECT_THROW(write_cloth_motion("x.txt", mesh.triangles, frames, 24), Error);
}

}  // namespace garment_test
}  // namespace rigspace
