// The part finder: words, pairs, legs, hard and soft.

#include "rigspace/parts/part_finder.h"

#include "rigspace/cast/cast.h"
#include "support/doll.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace rigspace {
namespace {

using testing::Doll;

std::map<std::string, std::vector<std::string>> joints_of(const Character& character) {
  std::map<std::string, std::vector<std::string>> joints;
  for (const Part& part : find_parts(character))
    for (const int bone : part.bones) joints[part.name].push_back(character.bones[static_cast<std::size_t>(bone)].name);
  return joints;
}

using Found = std::map<std::string, std::vector<std::string>>;

TEST(PartFinder, ReadsTailsInManyLanguagesAndBehindPrefixes) {
  for (const char* name : {"tail", "yeti_tailbase", "b_Tail01_012", "Schwanz.001", "queue_1", "DEF-cola", "coda",
                           "rabo", "shippo01", "尻尾", "mixamorig:FoxTail", "hvost", "Bip01 Tail", "TAIL_JNT"}) {
    Doll doll = Doll::quadruped();
    const int tail = doll.add(name, doll.hips, {0, 1, -0.9});
    doll.add("Bone.007", tail, {0, 1, -1.2});
    const Found found = joints_of(doll.make());
    ASSERT_TRUE(found.contains("tail")) << name;
    EXPECT_EQ(found.at("tail"), (std::vector<std::string>{name, "Bone.007"}));
  }
}

TEST(PartFinder, DoesNotReadPartsInOtherWords) {
  for (const char* name : {"gear", "detail", "rear", "forearm", "bear_root", "ring", "fingertip", "chair", "escape"}) {
    Doll doll = Doll::quadruped();
    const int odd = doll.add(name, doll.hips, {0, 1.3, -0.2});
    doll.key(odd);
    for (const PartCandidate& each : find_part_candidates(doll.make()).candidates)
      EXPECT_TRUE(!each.chosen || each.part.name == "belly") << name;
  }
}

TEST(PartFinder, ReadsOtherPartsInOtherLanguages) {
  const std::pair<const char*, const char*> names[] = {
      {"Ohr.L", "ear_l"},       {"oreille_gauche", "ear_l"}, {"OrejaIzq", "ear_l"},
      {"耳.L", "ear_l"},        {"cheveux_1", "hair"},       {"pelo", "hair"},
      {"Mähne", "mane"},        {"crinière", "mane"},        {"Pferdeschwanz", "ponytail"},
      {"PonyTail", "ponytail"}, {"Zopf", "braid"},           {"Fühler.L", "antenna_l"},
      {"dewlap", "dewlap"},     {"wattle", "wattle"},        {"hump", "hump"},
      {"Umhang", "cape"},       {"J_Sec_Hair1", "hair"},     {"SkirtFront", "skirt"},
      {"Rüssel", "trunk"}};
  for (const auto& [name, part] : names) {
    Doll doll = Doll::quadruped();
    doll.add(name, doll.head, {0, 1.6, 0.9}, 0.05);
    EXPECT_TRUE(joints_of(doll.make()).contains(part)) << name;
  }
}

TEST(PartFinder, TakesBothEarsOrNone) {
  Doll both = Doll::quadruped();
  both.add_pair("Ear", both.head, {0.1, 1.6, 0.9}, 0.05);
  const Found found = joints_of(both.make());
  EXPECT_TRUE(found.contains("ear_l") && found.contains("ear_r"));
  Doll one = Doll::quadruped();
  const int left = one.add_pair("Ear", one.head, {0.1, 1.6, 0.9}, 0.05);
  one.add("UpperArm.R", left + 1, {-0.2, 1.7, 0.9});  // the right one carries a limb
  EXPECT_FALSE(joints_of(one.make()).contains("ear_l"));
}

TEST(PartFinder, NeverTakesLegsWithoutNames) {
  Doll doll;
  const int root = doll.add("Bone", -1, {0, 1, -0.5}, 0.2);
  const int front = doll.add("Bone.001", root, {0, 1, 0.3}, 0.2);
  doll.add("Bone.002", front, {0, 1.3, 0.8}, 0.2);
  int number = 3;
  std::set<std::string> legs;
  for (const double z : {-0.5, 0.3}) {
    const int upper = doll.add_pair("x", z < 0 ? root : front, {0.2, 0.6, z});
    const int lower = doll.add_pair("x", upper, {0.2, 0.08, z});
    for (const int joint : {upper, upper + 1, lower, lower + 1}) {
      legs.insert("Bone.00" + std::to_string(number));
      doll.rename(joint, "Bone.00" + std::to_string(number++));
    }
  }
  const int tail = doll.add("Bone.020", root, {0, 1, -0.9}, 0.06);
  doll.add("Bone.021", tail, {0, 1, -1.2}, 0.05);
  for (const bool keyed : {true, false}) {
    if (keyed) doll.key(3), doll.key(4), doll.key(5), doll.key(6);
    const Found found = joints_of(doll.make());
    for (const auto& [part, joints] : found)
      for (const std::string& joint : joints) EXPECT_FALSE(legs.contains(joint)) << part;
    ASSERT_TRUE(found.contains("tail"));
    EXPECT_EQ(found.at("tail"), (std::vector<std::string>{"Bone.020", "Bone.021"}));
  }
}

TEST(PartFinder, TakesATrunkThatCarriesAHeadForATorso) {
  Doll doll;
  const int hips = doll.add("Hips", -1, {0, 1, 0}, 0.1);
  const int trunk = doll.add("Trunk", hips, {0, 1.3, 0}, 0.1);
  doll.add("Head", trunk, {0, 1.7, 0}, 0.1);
  const int upper = doll.add_pair("UpperLeg", hips, {0.15, 0.5, 0});
  doll.add_pair("Foot", upper, {0.15, 0.08, 0});
  EXPECT_FALSE(joints_of(doll.make()).contains("trunk"));
}

TEST(PartFinder, GivesAFishTheRearHalfOfItsSpine) {
  Doll fish;
  for (int k = 0, parent = -1; k < 6; ++k) {
    parent = fish.add("Main" + std::to_string(k + 1), parent, {0, 0, 1.5 - 0.6 * k}, 0.4 - 0.05 * k);
    fish.key(parent);
  }
  const Found found = joints_of(fish.make("Salmon fish"));
  EXPECT_EQ(found, (Found{{"tail", {"Main4", "Main5", "Main6"}}}));
}

TEST(PartFinder, LeavesWingsToTheClipsThatBeatThem) {
  for (const bool beaten : {true, false}) {
    Doll doll = Doll::quadruped();
    const int wing = doll.add_pair("Wing", 1, {0.4, 1.2, 0.3});
    if (beaten) doll.key(wing), doll.key(wing + 1);
    EXPECT_EQ(joints_of(doll.make()).contains("wing_l"), !beaten);
  }
}

TEST(PartFinder, LeavesHardBodiesAlone) {
  Doll robot = Doll::quadruped();
  robot.rigid = true;
  const PartSearch search = find_part_candidates(robot.make());
  EXPECT_TRUE(std::none_of(search.candidates.begin(), search.candidates.end(), [](auto& each) { return each.chosen; }));
  EXPECT_FALSE(search.remark.empty());
  EXPECT_TRUE(search.movable);
}

TEST(PartFinder, TakesOfSolidPiecesOnlyWhatIsNamed) {
  Doll toy;
  toy.rigid = true;
  int last = toy.add("body", -1, Vec3(0, 0.6, 0), 0.2);
  toy.key(last);
  for (int k = 0; k < 3; ++k) last = toy.add("Cube." + std::to_string(k), last, Vec3(0, 0.6, -0.4 - 0.3 * k));
  const PartSearch unnamed = find_part_candidates(toy.make());
  EXPECT_TRUE(std::none_of(unnamed.candidates.begin(), unnamed.candidates.end(),
                           [](const PartCandidate& each) { return each.chosen; }));
  EXPECT_FALSE(unnamed.remark.empty());
  for (int k = 0; k < 3; ++k) toy.rename(1 + k, "tail_" + std::to_string(k));
  const std::vector<Part> named = find_parts(toy.make());
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].name, "tail");
  EXPECT_EQ(named[0].bones.size(), 3u);
}

TEST(PartFinder, SaysWhyEachPartWasChosen) {
  for (const Part& part : find_parts(make_character("bobbin"))) EXPECT_FALSE(part.reason.empty()) << part.name;
}

TEST(PartFinder, GivesPatternsThatNameTheSameParts) {
  Doll doll = Doll::quadruped();
  const int ear = doll.add_pair("Ear1", doll.head, {0.1, 1.6, 0.9}, 0.05);
  doll.add_pair("Ear2", ear, {0.1, 1.7, 0.9}, 0.05);
  const Character character = doll.make();
  for (const Part& part : find_parts(character)) {
    const auto named = parts_from_pattern(character, part_pattern(character, part));
    ASSERT_EQ(named.size(), 1u) << part_pattern(character, part);
    EXPECT_EQ(named.front().bones, part.bones);
  }
}

TEST(PartFinder, FindsAtMostSixPartsThatShareNoJoint) {
  Doll doll = Doll::quadruped();
  int k = 0;
  for (const char* name : {"Hair", "Scarf", "Tail", "Trunk", "Ribbon", "Sash", "Braid", "Whisker"})
    for (int twice = 0; twice < 2; ++twice, ++k) {
      const int root = doll.add(name + std::to_string(twice), doll.head, {0.02 * k, 1.6, 0.8}, 0.04);
      doll.add("Bone" + std::to_string(k), root, {0.02 * k, 1.8, 0.8}, 0.04);
    }
  std::set<int> taken;
  const auto parts = find_parts(doll.make());
  EXPECT_EQ(parts.size(), 6u);
  for (const Part& part : parts)
    for (const int bone : part.bones) EXPECT_TRUE(taken.insert(bone).second);
}

}  // namespace
}  // namespace rigspace
