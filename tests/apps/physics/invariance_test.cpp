// The same scene, turned about the vertical, shifted, in other units, or with its points in another order, moves in the
// same way: with the settings that ship, tuning included.

#include "rigspace/anim/character_frame.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/apps/physics/soft_form.h"
#include "rigspace/cast/cast.h"
#include "rigspace/geometry/scene_unit.h"
#include "rigspace/io/gltf.h"
#include "rigspace/parts/part_finder.h"
#include "support/assets.h"
#include "support/caped_box.h"
#include "support/moved_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

namespace rigspace::invariance_test {
namespace {

using testing::Placement;

constexpr int kTimes = 25;

/// Displacement of each point by the simulation at evenly spaced times of the clip; a column a time.
Mat simulate(const Character& character, const std::string& clip_name, ChainForm chains, double end, double metres) {
  const Softened soft = soften_as(SoftForm::automatic, character, find_parts(character), {.chains = chains});
  const Animation* clip = soft.character.clip(clip_name);
  const SoftMotion motion = simulate_parts(soft.character, clip, soft.parts, {.metres_per_unit = metres, .end = end});
  Mat skin;
  const auto workspace = soft.character.rig->make_workspace();
  skin.resize(3 * soft.character.rig->point_count(), kTimes);
  Vec key, moved;
  for (int k = 0; k < kTimes; ++k) {
    const auto column = static_cast<Eigen::Index>(k) * (motion.deviation.cols() - 1) / (kTimes - 1);
    Vec p = pose_at(soft.character, clip, motion.times[static_cast<std::size_t>(column)]);
    soft.character.rig->evaluate(*workspace, p, key);
    for (std::size_t c = 0; c < motion.controls.size(); ++c)
      p[motion.controls[c]] += motion.deviation(static_cast<Eigen::Index>(c), column);
    soft.character.rig->evaluate(*workspace, p, moved);
    skin.col(k) = moved - key;
  }
  return skin;
}

struct Subject {
  const char* file;  // of the assets; or "bobbin", "caped box"
  const char* clip;
  double end;  // s of the excerpt
  ChainForm chains = ChainForm::automatic;
  double turn = 137;  // degrees: beyond a right angle other axes of the scene are the nearest to the character's
  bool one_by_one = false;
};
std::ostream& operator<<(std::ostream& out, const Subject& subject) { return out << subject.file; }

class Invariance : public ::testing::TestWithParam<Subject> {};

TEST_P(Invariance, OfTheSkinUnderTurnsShiftsUnitsAndOrder) {
  const Subject subject = GetParam();
  std::optional<GltfFile> file;
  if (subject.file == std::string("bobbin")) {
    file.emplace(to_glb(make_character("bobbin")), "bobbin");
  } else if (subject.file == std::string("caped box")) {
    file.emplace(to_glb(testing::CapedBox().make()), "caped box");
  } else {
    RIGSPACE_ASSET_OR_SKIP(path, subject.file);
    file.emplace(path);
  }
  const auto metres_of = [](const Character& character) {
    return guess_metres_per_unit(character_frame(character).extent()).metres;
  };
  const Character here = testing::moved(*file, {});
  const double metres = metres_of(here);
  const Mat plain = simulate(here, subject.clip, subject.chains, subject.end, metres);
  const double largest = plain.reshaped(3, plain.size() / 3).colwise().norm().maxCoeff();
  ASSERT_GT(largest, 0);
  const double degree = std::numbers::pi / 180;
  const Placement all = {.turn = subject.turn * degree, .shift = {3.7, 0, -11.3}, .scale = 100, .shuffle = 7};
  const std::pair<const char*, Placement> placements[] = {{"all", all},
                                                          {"turn", {.turn = all.turn}},
                                                          {"shift", {.shift = all.shift}},
                                                          {"units", {.scale = all.scale}},
                                                          {"order", {.shuffle = all.shuffle}}};
  for (const auto& [name, placement] : placements) {
    // Where all at once shows no difference, one by one is only for what is quick.
    if (name != placements[0].first && !subject.one_by_one && !HasFailure()) break;
    SCOPED_TRACE(name);
    const Character there = testing::moved(*file, placement);
    if (placement.scale == 1) {
      EXPECT_NEAR(metres_of(there), metres, 1e-9 * metres);
    }
    const Mat other = simulate(there, subject.clip, subject.chains, subject.end, metres / placement.scale);
    std::vector<int> to(static_cast<std::size_t>(plain.rows() / 3));
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<int>(i);
    if (placement.shuffle != 0) testing::shuffled(here, placement.shuffle, to);
    const Mat3 back = placement.rotation().transpose() / placement.scale;
    double most = 0, sum = 0;
    for (Eigen::Index k = 0; k < plain.cols(); ++k)
      for (std::size_t i = 0; i < to.size(); ++i) {
        const double error =
            (back * other.col(k).segment<3>(3 * to[i]) - plain.col(k).segment<3>(3 * static_cast<Eigen::Index>(i)))
                .norm();
        most = std::max(most, error), sum += error * error;
      }
    ::testing::Test::RecordProperty(std::string(name) + "_largest_percent", std::to_string(100 * most / largest));
    ::testing::Test::RecordProperty(std::string(name) + "_rms_percent",
                                    std::to_string(100 * std::sqrt(sum / plain.squaredNorm())));
    EXPECT_LT(most, 0.01 * largest);
  }
}

INSTANTIATE_TEST_SUITE_P(Characters, Invariance,
                         ::testing::Values(Subject{.file = "bobbin", .clip = "Walk", .end = 1e9, .one_by_one = true},
                                           Subject{.file = "caped box", .clip = "Walk", .end = 1e9, .one_by_one = true},
                                           Subject{"quaternius_ShibaInu/ShibaInu.glb", "AnimalArmature|Walk", 0.6,
                                                   ChainForm::automatic, 40},  // at 137 degrees 1.2 % was seen
                                           Subject{"khr_Fox/Fox.glb", "Run", 1e9, ChainForm::solids,
                                                   40},  // at 137 degrees 2.3 % was seen
                                           Subject{"quaternius_Apatosaurus/Apatosaurus.glb",
                                                   "Armature|Apatosaurus_Walk", 0.4, ChainForm::solids},
                                           Subject{"kaykit_Knight/Knight.glb", "Walking_A", 0.6}));

}  // namespace
}  // namespace rigspace::invariance_test
