#pragma once
// A character and a clip for files of curves.

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

namespace rigspace::curve_fixture {

/// Writes to a file of its own, and takes it away again.
class Written {
 public:
  Written(const std::string& ending, const Character& character, const Animation& clip,
          const CurveOptions& options = {})
      : path_(std::filesystem::temp_directory_path() / ("rigspace_" + std::to_string(::getpid()) + "." + ending)) {
    notes = write_curves(path_, character, clip, options);
    text = read_text(path_);
    if (std::filesystem::exists(path_.string() + ".txt")) list = read_text(path_.string() + ".txt");
  }
  ~Written() {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_.string() + ".txt");
  }
  std::vector<std::string> notes;
  std::string text, list;

 private:
  std::filesystem::path path_;
};

inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

/// Three joints that turn, one that moves; two morphs; names that other programs do not like.
inline Character make_hero() {
  auto graph = std::make_shared<ControlGraph>();
  Character character{.name = "hero"};
  const Quat bent(Eigen::AngleAxisd(0.3, Vec3(1, 1, 0).normalized()));
  int parent = -1;
  for (const char* name : {"hips", "tail.01", "tail 02"}) {
    parent =
        add_node(*graph, {.name = name, .parent_slot = parent, .translation = Vec3(0, 0.5, 0.1), .rotation = bent});
    character.bones.push_back({.name = name, .parent = static_cast<int>(character.bones.size()) - 1, .slot = parent});
  }
  add_scalar(*graph, {.name = "face:smile", .node = "face"});
  add_scalar(*graph, {.name = "face:blink-l", .node = "face"});
  character.rig = std::make_shared<BuiltInRig>(graph, Vec(), std::vector<std::shared_ptr<const Deformer>>{});
  return character;
}

/// The tail turns round and round about an axis that is none of the three.
inline Animation make_walk() {
  Animation clip{.name = "Walk", .duration = 1};
  RotationTrack tail{.node = "tail.01"};
  for (int k = 0; k <= 24; ++k) {
    tail.times.push_back(k / 24.0);
    const Quat q(Eigen::AngleAxisd(5 * std::numbers::pi * k / 24, Vec3(0.2, 1, 0.3).normalized()));
    tail.values.push_back((k % 5 == 0 ? -1 : 1) * q.coeffs());
  }
  clip.rotations.push_back(tail);
  clip.tracks.push_back({"hips.ty",
                         {.interpolation = Interpolation::hermite,
                          .after = Extrapolation::cycle_offset,
                          .times = {0, 0.25, 1},
                          .values = {0.5, 0.625, 0.5},
                          .in_tangents = {0, 0.5, 0},
                          .out_tangents = {0, 0.5, 1}}});
  clip.tracks.push_back({"tail 02.rz", {.times = {0, 1}, .values = {0, 30 * kDegree}}});
  clip.tracks.push_back({"face:smile", {.interpolation = Interpolation::step, .times = {0, 0.5}, .values = {0, 1}}});
  clip.tracks.push_back(
      {"face:blink-l", {.interpolation = Interpolation::natural, .times = {0, 0.5, 1}, .values = {0, 1, 0}}});
  return clip;
}

inline Mat3 rotation_at(const Character& character, const Animation& clip, double time, const std::string& node) {
  const Vec p = pose_at(character, &clip, time);
  const auto at = [&](const char* suffix) { return p[find_control(character.rig->controls(), node + suffix)]; };
  return Quat(Vec4(at(".qx"), at(".qy"), at(".qz"), at(".qw")).normalized()).toRotationMatrix() *
         rotation_exp(Vec3(at(".rx"), at(".ry"), at(".rz")));
}

inline Mat3 about(int axis, double degrees) {
  return Eigen::AngleAxisd(degrees * kDegree, Vec3::Unit(axis)).toRotationMatrix();
}

}  // namespace rigspace::curve_fixture
