#include "rigspace/parts/sheet.h"

#include "rigspace/base/error.h"
#include "rigspace/io/gltf.h"
#include "rigspace/parts/part_finder.h"
#include "support/assets.h"
#include "support/caped_box.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace {
namespace {

using testing::CapedBox;

const Sheet* of_piece(const std::vector<Sheet>& sheets, const std::string& piece) {
  const auto found = std::find_if(sheets.begin(), sheets.end(), [&](const Sheet& s) { return s.piece == piece; });
  return found == sheets.end() ? nullptr : &*found;
}

TEST(Sheets, ACapeBelowABoneIsFoundWithItsEnds) {
  CapedBox box;
  const Character character = box.make();
  const std::vector<Sheet> sheets = find_sheets(character);
  ASSERT_EQ(sheets.size(), 1u);
  EXPECT_EQ(sheets[0].name, "cape");
  EXPECT_EQ(sheets[0].preset, "cape");
  EXPECT_EQ(character.bones[sheets[0].bone].name, "chest");
  EXPECT_EQ(sheets[0].points, box.cape_points());
  EXPECT_TRUE(sheets[0].open);
  EXPECT_NEAR(sheets[0].length, 0.88, 0.02);
  EXPECT_GT(sheets[0].attached.y(), sheets[0].free.y() + 0.7);
  EXPECT_FALSE(sheets[0].reasons.empty());
}

TEST(Sheets, ACapeWithoutANameInTheBodysMeshIsFoundToo) {
  CapedBox box({.skinned = true});
  const std::vector<Sheet> sheets = find_sheets(box.make());
  ASSERT_EQ(sheets.size(), 1u);
  EXPECT_EQ(sheets[0].points, box.cape_points());
  EXPECT_EQ(sheets[0].name, "sheet");
}

TEST(Sheets, AShieldOnAnArmAndAFaceAreNone) {
  const std::vector<Sheet> all = sheet_candidates(CapedBox({.cape = ""}).make());
  const Sheet *shield = of_piece(all, "plate_07"), *face = of_piece(all, "Face");
  ASSERT_NE(shield, nullptr);
  ASSERT_NE(face, nullptr);
  EXPECT_FALSE(shield->accepted());
  EXPECT_FALSE(face->accepted());
}

TEST(Sheets, WhatANameCallsHardIsNone) {
  EXPECT_EQ(find_sheets(CapedBox({.cape = "Back_Armor"}).make()).size(), 0u);
  EXPECT_EQ(find_sheets(CapedBox({.cape = "Thing"}).make()).size(), 1u);
}

TEST(Sheets, WhatAClipMovesByItselfIsNone) {
  Character character = CapedBox().make();
  character.clips[0].tracks.push_back({"Hero_Cape.rx", {.times = {0, 1}, .values = {0, 0.4}}});
  EXPECT_EQ(find_sheets(character).size(), 0u);
}

TEST(Sheets, TakeTheBellysPlaceAmongTheParts) {
  const std::vector<Part> parts = find_parts(CapedBox().make());
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].name, "cape");
  EXPECT_EQ(parts[0].points.size(), 45u);
  EXPECT_TRUE(parts[0].found);
}

TEST(Sheets, OnSeveralBonesAreNamedAsCloth) {
  const Character character = CapedBox({.draped = true}).make();
  EXPECT_EQ(find_sheets(character).size(), 0u);
  const std::vector<Drape> drapes = find_drapes(character);
  ASSERT_EQ(drapes.size(), 1u);
  EXPECT_EQ(drapes[0].name, "cape");
  EXPECT_EQ(drapes[0].piece, "Hero_Cape");
  EXPECT_EQ(drapes[0].bones.size(), 2u);
  EXPECT_NEAR(drapes[0].height, 0.88, 1e-9);
  const PartSearch search = find_part_candidates(character);
  EXPECT_TRUE(std::ranges::none_of(search.candidates, [](const PartCandidate& each) { return each.chosen; }));
  EXPECT_NE(search.remark.find("Hero_Cape hangs on 2 bones (chest, hips) and gets no joints of its own; as cloth it "
                               "moves: rigspace cloth simulate, with --garment 'Hero_Cape' --attach 0.053"),
            std::string::npos)
      << search.remark;
  EXPECT_TRUE(find_drapes(CapedBox({.cape = "Panel", .draped = true}).make()).empty()) << "no name says cloth";
  EXPECT_TRUE(find_drapes(CapedBox().make()).empty()) << "on one bone it is a sheet";
}

TEST(Sheets, OnJointsOfTheirOwnAreChains) {
  const PartSearch search = find_part_candidates(CapedBox({.draped = true, .jointed = true}).make());
  ASSERT_TRUE(search.candidates.front().chosen);
  EXPECT_EQ(search.candidates.front().part.name, "cape");
  EXPECT_EQ(search.candidates.front().part.bones, (std::vector<int>{4, 5}));
  EXPECT_EQ(search.remark.find("as cloth"), std::string::npos) << search.remark;
}

TEST(Sheets, AreNamedByTheirMesh) {
  CapedBox box({.cape = "Back_Armor"});
  const std::vector<Part> parts = parts_from_pattern(box.make(), "Back*=cape");
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].points, box.cape_points());
  EXPECT_THROW(parts_from_pattern(box.make(), "Body=cape"), Error);  // hips and chest hold it
  EXPECT_THROW(parts_from_pattern(box.make(), "Nothing=cape"), Error);
}

TEST(Sheets, OfTheKnightAreHisCapeAlone) {
  RIGSPACE_ASSET_OR_SKIP(path, "kaykit_Knight/Knight.glb");
  const std::vector<Sheet> sheets = find_sheets(load_gltf(path));
  ASSERT_EQ(sheets.size(), 1u);
  EXPECT_EQ(sheets[0].piece, "Knight_Cape");
  EXPECT_EQ(sheets[0].points.size(), 56u);
}

TEST(Sheets, OfCharactersWithoutAnyThereAreNone) {
  RIGSPACE_ASSET_OR_SKIP(robot, "three_RobotExpressive/RobotExpressive.glb");
  EXPECT_EQ(find_sheets(load_gltf(robot)).size(), 0u);
  for (const char* name : {"census/Leela.glb", "census/KnightCharacter.glb", "census/Stag.glb", "census/Snake.glb",
                           "gdquest_mannequiny/mannequiny-0.3.0.glb", "khr_Fox/Fox.glb"}) {
    RIGSPACE_ASSET_OR_SKIP(path, name);
    EXPECT_EQ(find_sheets(load_gltf(path)).size(), 0u) << name;
  }
}

}  // namespace
}  // namespace rigspace
