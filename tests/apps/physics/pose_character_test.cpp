// One function does what `rigspace pose` does: texts for vertices, targets and controls, and the files of the result.

#include "rigspace/apps/physics/pose_character.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/gltf.h"
#include "support/drawn_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace rigspace::pose_character_test {
namespace {

const Character& bar() {
  static const Character character = make_character("bar");
  return character;
}

std::filesystem::path scratch_file(const std::string& name) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "pose_character_test";
  std::filesystem::create_directories(folder);
  return folder / name;
}

/// The end of the bar pulled up by a tenth; only its modes are free.
PoseRequest lifted() {
  const int end = farthest_drawn_point(bar(), Vec3::UnitX());
  return {.pulls = {pose_target(std::to_string(end) + "=+-0.015,0.1,0")}, .controls = {.free = {"modes"}}};
}

TEST(PoseCharacter, IsThePoserWithPointsAndControlsByName) {
  const PoseRequest request = lifted();
  const PosedCharacter posed = pose_character(bar(), "bar", request);
  const int end = farthest_drawn_point(bar(), Vec3::UnitX());
  std::vector<int> modes;
  for (int c = 0; c < static_cast<int>(bar().rig->controls().size()); ++c)
    if (bar().rig->controls()[c].group == "modes") modes.push_back(c);
  EXPECT_EQ(posed.free, modes);
  const Vec rest = bar().rig->rest();
  Poser poser(bar(), rest, {.pulled = {end}, .free = modes, .use_cache = true});
  const Vec3 target = point(points_at(bar(), rest), end) + Vec3(-0.015, 0.1, 0);
  poser.drag(std::span(&target, 1));
  EXPECT_EQ(posed.last(), poser.controls());
  EXPECT_EQ(posed.start, rest);
  EXPECT_FALSE(posed.moves);
  EXPECT_EQ(posed.posed.unreached(), 0);
  EXPECT_EQ(posed.clip.name, "Pose");
  EXPECT_EQ(posed.clip.duration, 0);
}

TEST(PoseCharacter, ATargetIsATextOrNumbers) {
  PoseRequest request = lifted();
  const Vec by_text = pose_character(bar(), "bar", request).last();
  const int end = farthest_drawn_point(bar(), Vec3::UnitX());
  const Vec3 target = point(points_at(bar(), bar().rig->rest()), end) + Vec3(-0.015, 0.1, 0);
  request.pulls = {{.vertex = std::to_string(end), .times = {0}, .points = {target}}};
  EXPECT_EQ(pose_character(bar(), "bar", request).last(), by_text);
}

TEST(PoseCharacter, PathsFromAFileAndFromNumbersAreTheSameMotion) {
  const int end = farthest_drawn_point(bar(), Vec3::UnitX());
  const Vec3 home = point(points_at(bar(), bar().rig->rest()), end), up = home + Vec3(-0.02, 0.12, 0);
  const auto file = scratch_file("path.csv");
  std::string lines = "time,x,y,z\n";
  for (const auto& [time, x] : {std::pair{0.0, home}, std::pair{0.5, up}})
    lines += std::to_string(time) + "," + std::to_string(x.x()) + "," + std::to_string(x.y()) + "," +
             std::to_string(x.z()) + "\n";
  write_file(file, lines);
  const auto rounded = [](const Vec3& x) {  // as std::to_string writes it
    return Vec3(std::stod(std::to_string(x.x())), std::stod(std::to_string(x.y())), std::stod(std::to_string(x.z())));
  };
  PoseRequest request{.pulls = {pose_target(std::to_string(end) + "=" + file.string())},
                      .controls = {.free = {"modes"}},
                      .fps = 8,
                      .name = "Up"};
  const PosedCharacter from_file = pose_character(bar(), "bar", request);
  request.pulls = {{.vertex = std::to_string(end), .times = {0, 0.5}, .points = {rounded(home), rounded(up)}}};
  const PosedCharacter from_numbers = pose_character(bar(), "bar", request);
  EXPECT_TRUE(from_file.moves);
  EXPECT_EQ(from_file.posed.times.size(), 5u);
  EXPECT_EQ(from_file.posed.poses, from_numbers.posed.poses);
  EXPECT_EQ(from_file.clip.name, "Up");
}

TEST(PoseCharacter, IsWrittenAsCurvesPointsAndModel) {
  const PosedCharacter posed = pose_character(bar(), "bar", lifted());
  const CharacterSource none;  // a character without a file: the rig is converted
  const auto curves = scratch_file("pose.rigspace.json"), points = scratch_file("pose.npy"),
             model = scratch_file("pose.glb");
  for (const auto& file : {curves, points, model}) save_pose(posed, bar(), none, file);
  const CurveFile read = read_curves(curves);
  ASSERT_EQ(read.clips.size(), 1u);
  EXPECT_EQ(read.clips[0].name, "Pose");
  EXPECT_GT(std::filesystem::file_size(points), 24u * static_cast<unsigned>(bar().rig->point_count()));
  EXPECT_NE(load_gltf(model).clip("Pose"), nullptr);
  PosedCharacter motion = posed;
  motion.moves = true;
  EXPECT_THROW(save_pose(motion, bar(), none, points), Error);
  EXPECT_THROW(save_pose(posed, bar(), none, scratch_file("pose.fbx")), Error);
}

TEST(PoseCharacter, RefusesWhatItCannotDo) {
  EXPECT_THROW(pose_target("12"), Error);
  EXPECT_THROW(pose_target("=1,2,3"), Error);
  EXPECT_THROW(pose_target("12="), Error);
  const auto pose = [](PoseRequest request) { return pose_character(bar(), "bar", request); };
  PoseRequest request = lifted();
  request.dynamic = true;  // nothing moves
  EXPECT_THROW(pose(request), Error);
  request = lifted();
  request.controls.keep = {"*"};
  EXPECT_THROW(pose(request), Error);
  request = lifted();
  request.holds = {"nobody"};
  EXPECT_THROW(pose(request), Error);
  EXPECT_THROW(pose({.pulls = {pose_target("0=1,2")}}), Error);
}

}  // namespace
}  // namespace rigspace::pose_character_test
