// Real characters, where they are present.
#include "gltf_maker.h"
#include "rigspace/io/formats.h"
#include "support/assets.h"

#include <gtest/gtest.h>

namespace rigspace::gltf_assets_test {
namespace {

using testing::points_at;
using testing::rest_points;

struct Asset {
  const char* file;
  int points, joints, morphs, clips, warnings;  // joints: nodes with pieces, where there is no skin
};

// Counts from the assets' README (vertices unwelded); the springbone scenes, which show one mesh several times, counted
// from their JSON; warnings as seen.
constexpr Asset kAssets[] = {
    {"khr_Fox/Fox.glb", 1728, 24, 0, 3, 0},
    {"khr_CesiumMan/CesiumMan.glb", 3273, 19, 0, 1, 0},
    {"khr_RiggedSimple/RiggedSimple.glb", 160, 2, 0, 1, 0},
    {"khr_MorphStressTest/MorphStressTest.glb", 1528, 1, 8, 3, 0},
    {"three_RobotExpressive/RobotExpressive.glb", 7214, 43, 3, 14, 4},
    {"kaykit_Knight/Knight.glb", 7024, 41, 0, 76, 0},
    {"gdquest_mannequiny/mannequiny-0.3.0.glb", 10366, 45, 0, 10, 0},
    {"quaternius_ShibaInu/ShibaInu.glb", 3966, 46, 0, 12, 0},
    {"quaternius_Apatosaurus/Apatosaurus.glb", 2870, 29, 0, 6, 0},
    {"webxr_generic_hand/left.glb", 1360, 25, 0, 0, 0},
    {"rocketbox_Female_Adult_01/Female_Adult_01_facial_wave.glb", 5563, 80, 175, 1, 0},
    {"ict_face_generic/ict_face_generic.glb", 24591, 1, 57, 0, 0},
    {"makehuman_female_dressed/mh_female.glb", 15177, 31, 34, 2, 0},
    {"vrm_springbone_min/sphere-collider.gltf", 378, 6, 0, 0, 0},
    {"vrm_springbone_min/plane-collider.gltf", 319, 6, 0, 0, 0},
    {"vrm_springbone_min/inside-collider.gltf", 378, 6, 0, 0, 0},
};

class GltfAssets : public ::testing::TestWithParam<Asset> {};

TEST_P(GltfAssets, LoadsWholeAndMovesFinitely) {
  const Asset& asset = GetParam();
  RIGSPACE_ASSET_OR_SKIP(path, asset.file);
  const Character character = load_character(path);
  EXPECT_EQ(character.rig->point_count(), asset.points);
  EXPECT_EQ(static_cast<int>(character.bones.size()), asset.joints);
  EXPECT_EQ(static_cast<int>(character.clips.size()), asset.clips);
  int morphs = 0;
  for (const Control& control : character.rig->controls()) morphs += control.name.starts_with(control.node + ":");
  EXPECT_GE(morphs, asset.morphs);
  std::string warnings;
  for (const std::string& warning : character.warnings) warnings += warning + "\n";
  EXPECT_EQ(static_cast<int>(character.warnings.size()), asset.warnings) << warnings;
  const Vec rest = rest_points(character);
  EXPECT_TRUE(rest.allFinite());
  EXPECT_GT(rest.maxCoeff() - rest.minCoeff(), 0);
  for (const Animation& clip : character.clips)
    for (const double u : {0.0, 0.5, 1.0})
      EXPECT_TRUE(points_at(character, clip.name, u * clip.duration).allFinite()) << clip.name;
}

INSTANTIATE_TEST_SUITE_P(All, GltfAssets, ::testing::ValuesIn(kAssets), [](const auto& asset) {
  std::string name = asset.param.file;
  name = name.substr(name.find('/') + 1);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(GltfAssets, TheRobotsHandsAreNormalisedAndItIsSaid) {
  RIGSPACE_ASSET_OR_SKIP(path, "three_RobotExpressive/RobotExpressive.glb");
  const Character character = load_gltf(path);
  std::string all;
  for (const std::string& warning : character.warnings) all += warning + "\n";
  EXPECT_NE(all.find("weights do not sum to one (worst 1.755)"), std::string::npos) << all;
}

}  // namespace
}  // namespace rigspace::gltf_assets_test
