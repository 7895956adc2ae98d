// A sleeve on an arm that bends: simulated, trained, stopped and gone on with, reduced, and written as joints and
// morphs.

#include "rigspace/apps/clothing/dressed_character.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/geometry/triangle_overlap.h"
#include "rigspace/rig/skeleton.h"
#include "tube_arm.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace rigspace::dressed_character_test {
namespace {

constexpr int kSides = 8;

/// An arm of two joints along x that bends by 40 degrees within half a second.
Character arm() {
  const testing::SleeveOnArm shape(10, kSides);
  auto graph = std::make_shared<ControlGraph>();
  Character character{.name = "arm"};
  const int upper = add_node(*graph, {.name = "upper"});
  const int lower = add_node(*graph, {.name = "lower", .parent_slot = upper});
  SkinDescription skin{.joint_slots = {upper, lower},
                       .inverse_bind = {identity_affine(), identity_affine()},
                       .influences = shape.weights};
  character.rig = std::make_shared<BuiltInRig>(
      graph, shape.x_rest, std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(skin)});
  character.pieces.push_back({.name = "skin", .point_count = shape.point_count(), .triangles = shape.triangles});
  character.bones = {{"upper", -1, upper}, {"lower", 0, lower}};
  Animation clip{.name = "Bend", .duration = 0.5};
  const Quat bent(Eigen::AngleAxisd(40 * kDegree, Vec3::UnitZ()));
  clip.rotations.push_back({.node = "lower", .times = {0, 0.5}, .values = {Vec4(0, 0, 0, 1), bent.coeffs()}});
  character.clips.push_back(clip);
  // Two ways to 20 degrees: from above, and from below.
  const Vec4 straight(0, 0, 0, 1), half = Quat(Eigen::AngleAxisd(20 * kDegree, Vec3::UnitZ())).coeffs();
  for (const auto& [name, on_the_way] : {std::pair{"From below", half}, std::pair{"From above", bent.coeffs()}}) {
    Animation way{.name = name, .duration = 0.75};
    way.rotations.push_back(
        {.node = "lower", .times = {0, 0.25, 0.5, 0.75}, .values = {straight, on_the_way, half, half}});
    character.clips.push_back(way);
  }
  return character;
}

/// A wider and shorter tube around the elbow.
std::string sleeve_file() {
  const testing::SleeveOnArm shape(8, kSides);
  const auto path = std::filesystem::path(::testing::TempDir()) / "sleeve.obj";
  std::string text;
  for (int i = 0; i < shape.point_count(); ++i) {
    const Vec3 x = point(shape.x_rest, i);
    text += "v " + std::to_string(0.6 * x.x()) + " " + std::to_string(1.3 * x.y()) + " " + std::to_string(1.3 * x.z()) +
            "\n";
  }
  for (const auto& t : shape.triangles)
    text += "f " + std::to_string(t[0] + 1) + " " + std::to_string(t[1] + 1) + " " + std::to_string(t[2] + 1) + "\n";
  write_file(path, text);
  return path.string();
}

DressOptions coarse() {
  DressOptions options{.unit = 1, .lead = 0.1};
  options.cloth.step = 1.0 / 30;
  options.cloth.contact.distance = 0.005;
  return options;
}

TEST(DressedCharacter, FollowsTheArmWithoutCrossingIt) {
  const Character character = arm();
  const DressedCharacter dressed(character, sleeve_file(), coarse());
  const Animation* clip = &character.clips[0];
  const ClothMotion motion = dressed.simulate(clip, {.start = 0, .end = 0.5, .rate = 12});
  ASSERT_EQ(motion.frames.size(), 7u);
  const ClothBody body = dressed.body(clip, 0);
  Vec x;
  for (std::size_t k = 0; k < motion.frames.size(); ++k) {
    body.points(motion.times[k], x);
    const TriMesh cloth{motion.frames[k], dressed.garment().mesh.triangles}, skin{x, body.mesh.triangles};
    EXPECT_EQ(count_crossings(cloth, skin).crossing(), 0) << k;
  }
  EXPECT_GT((motion.frames.back() - motion.frames.front()).cwiseAbs().maxCoeff(), 0.1);  // it went along
  const WornPiece piece = dressed.worn_piece("sleeve");
  PlayedPoints played{.clip = "Bend", .times = motion.times};
  for (const Vec& frame : motion.frames) played.points.push_back(dressed.as_given(frame));
  const Worn worn = with_worn_piece(character, piece, std::vector{played});
  EXPECT_LT(worn.error, 1.3 * 0.002 * worn.size);
}

TEST(DressedCharacter, TrainingThatWasStoppedComesToTheSameBits) {
  const Character character = arm();
  const DressedCharacter dressed(character, sleeve_file(), coarse());
  const std::vector<const Animation*> clips = {&character.clips[0]};
  const std::filesystem::path base = ::testing::TempDir();
  for (const char* name : {"whole.training", "stopped.training"}) std::filesystem::remove_all(base / name);
  const TrainClothOptions options{.fps = 12, .database = {.sites = 2}};
  train_cloth(dressed, clips, base / "whole.training", options).save(base / "whole.cloth");
  int calls = 0;
  EXPECT_THROW(
      train_cloth(dressed, clips, base / "stopped.training", options, [&](const Progress&) { return ++calls < 9; }),
      Cancelled);
  for (const auto& file : std::filesystem::directory_iterator(base / "stopped.training"))  // as kill -9 may leave it
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 5);
  train_cloth(dressed, clips, base / "stopped.training", options).save(base / "stopped.cloth");
  EXPECT_EQ(read_file(base / "stopped.cloth"), read_file(base / "whole.cloth"));
}

std::shared_ptr<const PoseSpaceDatabase> trained(const DressedCharacter& dressed, const Character& character) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "few.training";
  return std::make_shared<PoseSpaceDatabase>(
      train_cloth(dressed, {&character.clips[0]}, folder, {.fps = 24, .database = {.sites = 2}}));
}

TEST(DressedCharacter, InFewDirectionsDoesNotCrossEither) {
  const Character character = arm();
  const DressedCharacter dressed(character, sleeve_file(), coarse());
  const auto database = trained(dressed, character);
  const Animation* clip = &character.clips[0];
  const ClothClip times{.start = 0, .end = 0.5, .rate = 12};
  const ClothMotion full = dressed.simulate(clip, times), few = dressed.simulate(clip, times, {}, database);
  EXPECT_GT(few.report.subspace.solves, 0);
  const ClothBody body = dressed.body(clip, 0);
  Vec x;
  double apart = 0;
  for (std::size_t k = 0; k < few.frames.size(); ++k) {
    body.points(few.times[k], x);
    EXPECT_EQ(count_crossings({few.frames[k], dressed.garment().mesh.triangles}, {x, body.mesh.triangles}).crossing(),
              0);
    apart = std::max(apart, (few.frames[k] - full.frames[k]).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(apart, 0.05);  // of a sleeve of 1.2 m
}

// Friction keeps folds: in one pose a garment lies otherwise by where it came from. A map from poses could not do that.
TEST(DressedCharacter, RemembersInFewDirectionsWhereItCameFrom) {
  const Character character = arm();
  const DressedCharacter dressed(character, sleeve_file(), coarse());
  const auto database = trained(dressed, character);
  const ClothClip times{.start = 0, .end = 0.75, .rate = 12};
  const Vec below = dressed.simulate(&character.clips[1], times, {}, database).frames.back(),
            above = dressed.simulate(&character.clips[2], times, {}, database).frames.back(),
            again = dressed.simulate(&character.clips[1], times, {}, database).frames.back();
  EXPECT_EQ(below, again);
  EXPECT_GT((below - above).reshaped(3, below.size() / 3).colwise().norm().maxCoeff(), 0.002);
}

TEST(DressedCharacter, SaysWhatCannotBeWorn) {
  const Character character = arm();
  try {
    const DressedCharacter dressed(character, "skirt", coarse());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is no piece of this character"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rigspace::dressed_character_test
