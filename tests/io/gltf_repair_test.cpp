// Files whose numbers are not finite where that can be repaired: they open with a warning, and what is written is
// clean.

#include "gltf_maker.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rigspace::gltf_repair_test {
namespace {

using namespace rigspace::testing;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

/// The i-th float of the k-th accessor of the small character becomes `value`; all its views begin where they are
/// added.
std::vector<std::byte> with_number(const char* accessor_use, int i, float value) {
  SmallCharacter small;
  const std::string key = std::string("\"") + accessor_use + "\":";
  const auto at = small.members.find(key);
  const int accessor = std::atoi(small.members.c_str() + at + key.size());
  const std::string& view = small.maker.views[accessor];  // the maker adds a view for each accessor
  const auto offset = static_cast<std::size_t>(std::atoi(view.c_str() + view.find("byteOffset\":") + 12));
  std::memcpy(small.maker.bin.data() + offset + 4 * static_cast<std::size_t>(i), &value, 4);
  return small.glb();
}

bool warns(const Character& character, const std::string& words) {
  for (const std::string& warning : character.warnings)
    if (warning.find(words) != std::string::npos) return true;
  return false;
}

/// No float of any accessor of the bytes is other than finite: the loader refuses what it needs, the repair warns of
/// all else.
void expect_clean(const std::vector<std::byte>& glb) {
  const Character again = load_gltf(glb, "again.glb");
  for (const std::string& warning : again.warnings) EXPECT_EQ(warning.find("not finite"), std::string::npos) << warning;
}

TEST(GltfRepair, AVertexWhoseWeightsAreNoNumbersFollowsTheNearestOne) {
  const auto broken = [] {
    SmallCharacter small;
    const std::string key = "\"WEIGHTS_0\":";
    const int accessor = std::atoi(small.members.c_str() + small.members.find(key) + key.size());
    const std::string& view = small.maker.views[accessor];
    const auto offset = static_cast<std::size_t>(std::atoi(view.c_str() + view.find("byteOffset\":") + 12));
    const float bad[4] = {kNaN, kNaN, kInf, kNaN};
    std::memcpy(small.maker.bin.data() + offset + 3 * 16, bad, 16);  // vertex 3 at (1, 1); 1 and 2 are as near
    return small.glb();
  }();
  const GltfFile file(broken, "f.glb");
  EXPECT_TRUE(warns(file.character(), "WEIGHTS_0 of mesh \"strip\") has 1 entries that are not finite"));
  Vec p = file.character().rig->rest();
  p[file.character().rig->find("root.tx")] = 5;  // both joints move by 5, and all that they hold
  const Vec moved = evaluate(file.character(), p) - rest_points(file.character());
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(moved[3 * i], 5, 1e-12) << i;
  expect_clean(file.to_glb());
}

TEST(GltfRepair, NormalsCoordinatesMorphsAndKeysAreMadeFinite) {
  for (const char* use : {"NORMAL", "TEXCOORD_0", "targets\":[{\"POSITION"}) {
    SCOPED_TRACE(use);
    const GltfFile file(with_number(use, 4, kInf), "f.glb");
    EXPECT_TRUE(warns(file.character(), "not finite; they are taken as zero"));
    EXPECT_TRUE(rest_points(file.character()).allFinite());
    expect_clean(file.to_glb());
  }
  const GltfFile file(with_number("output", 4, kNaN), "f.glb");  // the second key of the turn is as the first
  EXPECT_TRUE(warns(file.character(), "keys of animation \"wave\") has 1 entries that are not finite"));
  EXPECT_EQ(points_at(file.character(), "wave", 0)[3 * 3], points_at(file.character(), "wave", 0.999)[3 * 3]);
  expect_clean(file.to_glb());
}

TEST(GltfRepair, WhatNothingUsesDoesNotStopAFile) {
  SmallCharacter small;
  small.maker.floats("VEC3", {0, kNaN, 0, kInf, 0, 0});
  const GltfFile file(small.glb(), "f.glb");
  EXPECT_TRUE(warns(file.character(), "which nothing uses"));
  expect_clean(file.to_glb());
}

TEST(GltfRepair, WithoutPositionsTimesAndBindMatricesNothingIsDefined) {
  for (const char* use : {"POSITION", "inverseBindMatrices", "input"}) {
    SCOPED_TRACE(use);
    EXPECT_NE(message_of(with_number(use, 1, kNaN)).find("not finite"), std::string::npos);
  }
}

TEST(GltfRepair, AMissingPictureIsNamed) {
  SmallCharacter small;
  small.members.insert(small.members.find("\"baseColorFactor\""), "\"baseColorTexture\":{\"index\":0},");
  small.members += ",\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"skins/red coat.png\"}]";
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "rigspace_missing_picture";
  std::filesystem::create_directories(folder);
  const auto glb = small.glb();
  write_file(folder / "f.glb", glb);
  EXPECT_TRUE(warns(load_character(folder / "f.glb"), "skins/red coat.png"));
  std::filesystem::remove_all(folder);
}

TEST(GltfRepair, TheWaspOpens) {
  RIGSPACE_ASSET_OR_SKIP(wasp, "census/Wasp.glb");
  const GltfFile file(wasp);
  EXPECT_TRUE(warns(file.character(), "vertices without weights follow the vertex nearest to them"));
  expect_clean(file.to_glb());
}

}  // namespace
}  // namespace rigspace::gltf_repair_test
