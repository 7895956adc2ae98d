#include "rigspace/anim/bound_skin.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/parts/part.h"
#include "rigspace/rig/black_box.h"
#include "support/doll.h"

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

/// A rig of controls whose process gave its skin: a quadruped with a tail that a clip keys.
Character with_skin(std::map<std::string, std::string> held) {
  testing::Doll doll = testing::Doll::quadruped();
  const int tail = doll.add("tail", doll.hips, {0, 1, -0.9});
  doll.add("tail_tip", tail, {0, 1, -1.2});
  Character character = doll.make();
  auto bound = std::make_shared<BoundSkin>();
  bound->character = std::make_shared<const Character>(character);
  bound->held = std::move(held);
  character.extensions[kBoundSkin] = bound;
  return character;
}

TEST(ControlParts, AreFoundOnTheSkinThatTheRigsProcessGave) {
  const Character character = with_skin({});
  EXPECT_EQ(part_called(find_control_parts(character), "tail"), nullptr);  // no group is called so
  const ControlPartSearch search = search_control_parts(character);
  const Part* tail = part_called(search.parts, "tail");
  ASSERT_NE(tail, nullptr);
  EXPECT_TRUE(tail->found);
  EXPECT_NE(tail->reason.find("a word for tail"), std::string::npos) << tail->reason;
  std::set<std::string> nodes;
  for (const int c : tail->controls) {
    nodes.insert(character.rig->controls()[c].node);
    EXPECT_EQ(character.rig->controls()[c].unit, Unit::angle);
  }
  EXPECT_EQ(nodes, (std::set<std::string>{"tail", "tail_tip"}));
}

TEST(ControlParts, ThatTheRigItselfTurnsOrThatCarryMoreAreLeftOutInWords) {
  const ControlPartSearch search =
      search_control_parts(with_skin({{"tail_tip", "is turned by the constraint \"IK\" of \"tail_tip\""}}));
  EXPECT_EQ(part_called(search.parts, "tail"), nullptr);
  EXPECT_NE(search.remark.find("tail: bone \"tail_tip\" is turned by the constraint \"IK\""), std::string::npos)
      << search.remark;
  EXPECT_EQ(part_called(search.parts, "belly"), nullptr);  // a torso: its legs would move with it
  EXPECT_NE(search.remark.find("has no bone of its own"), std::string::npos) << search.remark;
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
