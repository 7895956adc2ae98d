// Bodies of real characters: from file to tetrahedra bound to the skin.
#include "rigspace/geometry/embedding.h"
#include "rigspace/geometry/stuffing.h"
#include "rigspace/io/formats.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <numbers>

namespace rigspace::body_assets_test {
namespace {

struct Asset {
  const char* file;
  std::size_t most_components;  ///< seen, and right by eye
};

class BodyAssets : public ::testing::TestWithParam<Asset> {};

TEST_P(BodyAssets, AreSoundConnectedAndBoundToTheSkin) {
  RIGSPACE_ASSET_OR_SKIP(path, GetParam().file);
  const TriMesh surface = rest_surface(load_character(path));
  const Body body = stuff(surface);
  const TetQuality q = quality(body.mesh);
  EXPECT_EQ(q.inverted, 0);
  EXPECT_GE(q.smallest_angle, 10 * std::numbers::pi / 180);
  EXPECT_GE(q.first_percentile, 18 * std::numbers::pi / 180);
  EXPECT_TRUE(boundary_defects(body.mesh.point_count(), boundary_triangles(body.mesh)).points.empty());
  EXPECT_LE(connected_components(body.mesh).tets.size(), GetParam().most_components);

  const SurfaceBinding binding = bind_boundary(body.mesh, surface);
  const double size = bounding_box(surface.points).diagonal();
  Vec linear, whole;
  binding.apply(surface.points, linear);
  binding.evaluate(surface.points, whole);
  int on_skin = 0;
  for (int i = 0; i < binding.count(); ++i) {
    const Vec3 node = point(body.mesh.points, binding.nodes[i]);
    EXPECT_LT((point(whole, i) - node).norm(), 1e-12 * size);
    if (binding.off_surface[i]) continue;
    EXPECT_LT((point(linear, i) - node).norm(), 1e-6 * size);  // the welding tolerance
    ++on_skin;
  }
  EXPECT_GT(on_skin, binding.count() / 2);
}

INSTANTIATE_TEST_SUITE_P(
    All, BodyAssets,
    ::testing::Values(Asset{"khr_Fox/Fox.glb", 1}, Asset{"quaternius_ShibaInu/ShibaInu.glb", 1},
                      Asset{"quaternius_Apatosaurus/Apatosaurus.glb", 1}, Asset{"khr_CesiumMan/CesiumMan.glb", 1},
                      Asset{"kaykit_Knight/Knight.glb", 1}, Asset{"makehuman_female_dressed/mh_female.glb", 3},
                      Asset{"three_RobotExpressive/RobotExpressive.glb", 3}, Asset{"webxr_generic_hand/left.glb", 1}));

TEST(BodyAssetsParts, TheCapeOfTheKnightIsASheet) {
  RIGSPACE_ASSET_OR_SKIP(path, "kaykit_Knight/Knight.glb");
  const Character knight = load_character(path);
  const Body body = stuff(rest_surface(knight));
  int sheets = 0;
  for (const Piece& piece : knight.pieces)
    for (int i = piece.first_point; i < piece.first_point + piece.point_count; ++i)
      if (body.part_of_point[i] >= 0 && body.cover[i] == Cover::sheet) {
        EXPECT_NE(piece.name.find("Cape"), std::string::npos) << piece.name;
        ++sheets;
      }
  EXPECT_GT(sheets, 20);
}

}  // namespace
}  // namespace rigspace::body_assets_test
