#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/parts/part.h"
#include "rigspace/rig/black_box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace rigspace {
namespace {

const Part* part_called(const std::vector<Part>& parts, std::string_view name) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

const Character& peanut_rig() {
  static const Character character = make_character("peanut");
  return character;
}

TEST(ControlParts, AreFoundByTheirGroups) {
  const std::vector<Part> parts = find_control_parts(peanut_rig());
  ASSERT_NE(part_called(parts, "belly"), nullptr);
  EXPECT_EQ(part_called(parts, "belly")->controls.size(), 36u);  // RSP table 1
  ASSERT_NE(part_called(parts, "trunk"), nullptr);
  EXPECT_EQ(part_called(parts, "trunk")->controls.size(), 13u);
  ASSERT_NE(part_called(parts, "tail"), nullptr);
  EXPECT_EQ(part_called(parts, "tail")->controls.size(), 12u);
  EXPECT_EQ(part_called(parts, "legs"), nullptr);
}

TEST(ControlParts, AreFoundBesideClipsOnSlidersAndNotWhereAnArtistKeysThem) {
  Character character = peanut_rig();
  const std::string control =
      character.rig->controls()[part_called(find_control_parts(character), "belly")->controls[0]].name;
  character.clips.push_back({.name = "Walk_soft_modes",
                             .duration = 1,
                             .tracks = {{.control = control, .curve = {.times = {0, 1}, .values = {0, 0.1}}}},
                             .rotations = {}});
  EXPECT_NE(part_called(find_control_parts(character), "belly"), nullptr);
  character.clips.back().name = "Breathe";
  EXPECT_EQ(part_called(find_control_parts(character), "belly"), nullptr);
}

TEST(ControlParts, TakeSeveralPatterns) {
  const Part both = control_part_from_pattern(peanut_rig(), "trunk,tail=tail");
  EXPECT_EQ(both.name, "trunk");
  EXPECT_EQ(both.controls.size(), 13u + 12u);
  EXPECT_TRUE(std::is_sorted(both.controls.begin(), both.controls.end()));
}

TEST(ControlParts, ScaleWhereNothingElseIsNamed) {
  const auto units = [](std::string_view pattern) {
    std::set<Unit> met;
    for (const int c : control_part_from_pattern(peanut_rig(), pattern).controls)
      met.insert(peanut_rig().rig->controls()[c].unit);
    return met;
  };
  EXPECT_EQ(units("root.s?"), std::set{Unit::scale});
  EXPECT_FALSE(units("root").contains(Unit::scale));
}

TEST(ControlParts, AreFoundByWordsAndNotByLettersInsideOfWords) {
  BlackBoxDescription box;
  for (const char* group : {"gear", "rear_axle", "ear_l", "LeftEar", "detail"})
    box.controls.push_back({.name = std::string(group) + "_1", .group = group});
  box.point_count = 1;
  box.noise = 0;
  box.evaluate = [](In, Vec& s) { s = Vec::Zero(3); };
  const Character machine{.name = "machine", .rig = std::make_shared<BlackBoxRig>(box)};
  std::set<std::string> names;
  for (const Part& part : find_control_parts(machine)) names.insert(part.name);
  EXPECT_EQ(names, (std::set<std::string>{"LeftEar", "ear_l"}));
}

TEST(ControlParts, SayWhatTheyCannotDo) {
  EXPECT_THROW(control_part_from_pattern(peanut_rig(), "nobody*=belly"), Error);
  EXPECT_THROW(control_part_from_pattern(peanut_rig(), "belly=bellly"), Error);
  EXPECT_THROW(control_part_from_pattern(peanut_rig(), "belly,nobody*=belly"), Error);
}

}  // namespace
}  // namespace rigspace
