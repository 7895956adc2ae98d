#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace rigspace {
namespace {

const Part* named(const std::vector<Part>& parts, std::string_view name) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

const Character& peanut() {
  static const Character character = make_character("peanut");
  return character;
}

TEST(ControlParts, AreFoundByTheirGroups) {
  const std::vector<Part> parts = find_control_parts(peanut());
  ASSERT_NE(named(parts, "belly"), nullptr);
  EXPECT_EQ(named(parts, "belly")->controls.size(), 36u);  // RSP table 1
  ASSERT_NE(named(parts, "trunk"), nullptr);
  EXPECT_EQ(named(parts, "trunk")->controls.size(), 13u);
  ASSERT_NE(named(parts, "tail"), nullptr);
  EXPECT_EQ(named(parts, "tail")->controls.size(), 12u);
  EXPECT_EQ(named(parts, "legs"), nullptr);
}

TEST(ControlParts, AreFoundBesideClipsOnSlidersAndNotWhereAnArtistKeysThem) {
  Character character = peanut();
  const std::string control =
      character.rig->controls()[named(find_control_parts(character), "belly")->controls[0]].name;
  character.clips.push_back({.name = "Walk_soft_modes",
                             .duration = 1,
                             .tracks = {{.control = control, .curve = {.times = {0, 1}, .values = {0, 0.1}}}},
                             .rotations = {}});
  EXPECT_NE(named(find_control_parts(character), "belly"), nullptr);
  character.clips.back().name = "Breathe";
  EXPECT_EQ(named(find_control_parts(character), "belly"), nullptr);
}

TEST(ControlParts, TakeSeveralPatterns) {
  const Part both = control_part_from_pattern(peanut(), "trunk,tail=tail");
  EXPECT_EQ(both.name, "trunk");
  EXPECT_EQ(both.controls.size(), 13u + 12u);
  EXPECT_TRUE(std::is_sorted(both.controls.begin(), both.controls.end()));
}

TEST(ControlParts, ScaleWhereNothingElseIsNamed) {
  const auto units = [](std::string_view pattern) {
    std::set<Unit> met;
    for (const int c : control_part_from_pattern(peanut(), pattern).controls)
      met.insert(peanut().rig->controls()[c].unit);
    return met;
  };
  EXPECT_EQ(units("root.s?"), std::set{Unit::scale});
  EXPECT_FALSE(units("root").contains(Unit::scale));
}

TEST(ControlParts, HaveASolidThatTheirControlsMove) {
  const Part belly = with_solid(peanut(), control_part_from_pattern(peanut(), "belly=belly"));
  ASSERT_NE(belly.flesh, nullptr);
  const auto count = [&](FleshNode kind) {
    return std::count(belly.flesh->nodes.begin(), belly.flesh->nodes.end(), kind);
  };
  EXPECT_GT(count(FleshNode::skin), 100);
  EXPECT_GT(count(FleshNode::interior), 20);
  EXPECT_GT(count(FleshNode::held), 20);
  EXPECT_GT(volumes(belly.flesh->mesh).minCoeff(), 0);
}

TEST(ControlParts, SwingOnTheRigsOwnControls) {
  const Character& character = peanut();
  std::vector<Part> parts{with_solid(character, control_part_from_pattern(character, "belly=belly"))};
  const Animation* walk = character.clip("Walk");
  parts[0].settings.rate = 2.2;  // given, so that nothing is searched for
  const SoftMotion motion = simulate_parts(character, walk, parts, {.end = 0.4, .looping = Looping::never});
  EXPECT_EQ(motion.controls, parts[0].controls);
  EXPECT_EQ(motion.failed_steps, 0);
  EXPECT_GT(motion.parts[0].swing, 0.01);
  EXPECT_LT(motion.parts[0].swing, 0.15);
  EXPECT_GT(motion.parts[0].smallest_volume, 0.2);
  const Animation soft = soft_clip(character, walk, motion, 30);
  // The artist's tracks are all there, and those of the belly beside them.
  EXPECT_EQ(soft.tracks.size(), walk->tracks.size() + 36);
  EXPECT_EQ(soft.rotations.size(), walk->rotations.size());
}

TEST(ControlParts, SayWhatTheyCannotDo) {
  EXPECT_THROW(control_part_from_pattern(peanut(), "nobody*=belly"), Error);
  EXPECT_THROW(control_part_from_pattern(peanut(), "belly=bellly"), Error);
  EXPECT_THROW(control_part_from_pattern(peanut(), "belly,nobody*=belly"), Error);
}

}  // namespace
}  // namespace rigspace
