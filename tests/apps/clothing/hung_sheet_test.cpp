// The cape of a game character: found, offered, refined, held, simulated and put back on its own points.

#include "rigspace/apps/clothing/dressed_character.h"
#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/jobs/part_claims.h"
#include "rigspace/parts/part_finder.h"
#include "support/caped_box.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace rigspace::hung_sheet_test {
namespace {

using testing::CapedBox;
constexpr int kPoints = testing::kCapeAcross * testing::kCapeDown;

DressOptions coarse() {
  DressOptions options{.unit = 1, .refine = 0.12, .lead = 0.1};
  options.cloth.step = 1.0 / 30;
  options.cloth.contact.distance = 0.01;
  return options;
}

TEST(HungSheet, IsOfferedAsClothByTheApplicationThatClaimsIt) {
  const Character character = CapedBox().make();
  const std::vector<Part> parts = find_parts(character);
  register_cloth_claim();
  const std::vector<std::string> offers = part_offers(character, parts, "my hero.glb");
  ASSERT_EQ(offers.size(), 1u);
  EXPECT_NE(offers[0].find("rigspace cloth simulate 'my hero.glb' --garment Hero_Cape -o 'my hero.cloth.glb'"),
            std::string::npos)
      << offers[0];
}

TEST(HungSheet, HangsByItsUpperEndAndPassesThroughWhatAnArmCarries) {
  const Character character = CapedBox().make();
  const DressedCharacter dressed(character, "Hero_Cape", coarse());
  ASSERT_TRUE(dressed.sheet().has_value());
  EXPECT_EQ(character.bones[static_cast<std::size_t>(dressed.sheet()->bone)].name, "chest");
  EXPECT_GT(dressed.garment().mesh.point_count(), kPoints);
  ASSERT_GE(dressed.garment().pins.size(), 5u);
  // By its upper end, and below that, in the upper third, where it lies on the part of the chest that it passes
  // through.
  int lower = 0;
  for (const ClothPin& pin : dressed.garment().pins) {
    const double height = point(dressed.garment().mesh.points, pin.point).y();
    EXPECT_GT(height, 1.04);
    lower += height < 1.3;
  }
  EXPECT_GT(lower, 0);
  const TriMesh body = dressed.body(nullptr, 0).mesh;
  for (const Triangle& t : body.triangles) ASSERT_LT(point(body.points, t[0]).x(), 0.41) << "the plate on the arm";
}

TEST(HungSheet, ComesBackOnItsOwnPointsHeldByItsBone) {
  const Character character = CapedBox().make();
  const DressedCharacter dressed(character, "Hero_Cape", coarse());
  const Animation& walk = character.clips[0];
  const ClothMotion motion = dressed.simulate(&walk, {.start = 0, .end = 0.3, .rate = 10});
  const WornPiece piece = dressed.worn_piece("cape");
  ASSERT_EQ(piece.rest.size(), 3 * kPoints);
  EXPECT_EQ(piece.influences[3].front().joint, dressed.sheet()->bone);
  PlayedPoints played{.clip = "Walk", .times = motion.times};
  for (const Vec& frame : motion.frames) played.points.push_back(dressed.as_given(frame));
  const Worn worn = with_worn_piece(character, piece, std::vector{played});
  EXPECT_GT(worn.shapes, 0);
  EXPECT_LT(worn.error, 1.3 * 0.002 * worn.size);
  // The upper row goes along with the chest, the lower one lags behind.
  const auto moved = [&](int i) { return (point(played.points[3], i) - point(piece.rest, i)).z(); };
  const double chest = 0.15 * std::sin(2 * std::numbers::pi * 0.3);
  EXPECT_NEAR(moved(2), chest, 0.03);
  EXPECT_GT(std::abs(moved(kPoints - 3) - chest), 0.02);
}

TEST(DressedCharacter, AFileThatIsAPieceTakesItsPlace) {
  const Character character = CapedBox().make();
  const TriMesh cape = garment_of(character, "Hero_Cape", nullptr, 0).mesh;
  const auto folder = std::filesystem::path(::testing::TempDir()) / "rigspace-piece-test";
  std::filesystem::create_directories(folder);
  const auto files = write_cloth_motion(folder / "cape.obj", cape.triangles, {{cape.points}}, 24);
  const DressedCharacter dressed(character, files.front(), coarse());
  ASSERT_NE(dressed.piece(), nullptr);
  EXPECT_EQ(dressed.piece()->name, "Hero_Cape");
  EXPECT_EQ(dressed.worn_piece("cape").look.material, dressed.piece()->material);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace rigspace::hung_sheet_test
