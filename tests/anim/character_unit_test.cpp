#include "rigspace/anim/character_unit.h"

#include "support/rods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

/// A rod of this height in units, and a clip of this name that moves its root and comes back.
Character walker(double height, const char* clip, double period) {
  Character rod = testing::make_rod(1);
  const auto& rig = dynamic_cast<const BuiltInRig&>(*rod.rig);
  rod.rig = std::make_shared<BuiltInRig>(rig.shared_graph(), Vec(height * rig.points_rest()),
                                         std::vector<std::shared_ptr<const Deformer>>{});
  std::vector<double> times, values;
  for (int k = 0; k <= 30; ++k)
    times.push_back(period * k / 30), values.push_back(0.02 * height * std::sin(2 * std::numbers::pi * k / 30));
  rod.clips.push_back(testing::root_clip("root.ty", times, values, Interpolation::linear));
  rod.clips.back().name = clip;
  return rod;
}

TEST(CharacterUnit, IsAMetreWhereTheSizeIsThatOfACharacter) {
  const CharacterUnit unit = guess_unit(walker(1.8, "Walk", 1.1));
  EXPECT_EQ(unit.metres, 1);
  EXPECT_FALSE(unit.guessed);
}

// Legs of 0.92 m stride once in 1.1 s: 170 units are 1.7 m, so that a unit is a centimetre.
TEST(CharacterUnit, FollowsThePaceOfAWalk) {
  const CharacterUnit unit = guess_unit(walker(170, "Walk", 1.1));
  EXPECT_TRUE(unit.by_pace);
  EXPECT_DOUBLE_EQ(unit.metres, 0.01);
  const CharacterUnit slow = guess_unit(walker(170, "Walk", 2.2));  // four times as long legs, near no common unit
  EXPECT_NEAR(slow.metres, 9.81 * std::pow(1.75 * 2.2 / (2 * std::numbers::pi), 2) / 85, 1e-9);
}

// The same legs jog with 1.36 strides a second and run with 1.52; a swimmer's period says nothing of its legs.
TEST(CharacterUnit, AJogAndARunAreQuickerThanAWalk) {
  EXPECT_DOUBLE_EQ(guess_unit(walker(170, "Jog", 0.74)).metres, 0.01);
  EXPECT_DOUBLE_EQ(guess_unit(walker(170, "ANIM_run_loop", 0.66)).metres, 0.01);
  EXPECT_NEAR(guess_unit(walker(300, "Jog", 0.4)).metres, 9.81 * std::pow(2.6 * 0.4 / (2 * std::numbers::pi), 2) / 150,
              1e-9);
  EXPECT_FALSE(guess_unit(walker(170, "Swim", 0.74)).by_pace);
}

TEST(CharacterUnit, AClipOfSeveralStridesCountsByOne) {
  Character character = walker(170, "Walk", 3.3);
  RotationTrack leg{.node = "root"};
  for (int k = 0; k <= 90; ++k) {
    const double half = 0.2 * std::sin(2 * std::numbers::pi * k / 30);
    leg.times.push_back(3.3 * k / 90), leg.values.emplace_back(std::sin(half), 0, 0, std::cos(half));
  }
  character.clips.back().rotations.push_back(leg);
  EXPECT_DOUBLE_EQ(guess_unit(character).metres, 0.01);
}

TEST(CharacterUnit, IsThatOfAPersonWhereNobodyWalks) {
  const CharacterUnit unit = guess_unit(walker(170, "Wave", 1.1));
  EXPECT_FALSE(unit.by_pace);
  EXPECT_DOUBLE_EQ(unit.metres, 1.7 / 170);
}

}  // namespace
}  // namespace rigspace
