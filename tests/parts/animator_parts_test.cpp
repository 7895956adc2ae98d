// Classes of characters as an animator meets them, made in code: what moves by itself is decided by evidence where no
// word says it.

#include "rigspace/parts/part_finder.h"
#include "support/doll.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace rigspace {
namespace {

using testing::Doll;

std::set<std::string> names_of_parts(const Character& character) {
  std::set<std::string> names;
  for (const Part& part : find_parts(character)) names.insert(part.name);
  return names;
}

/// Joints of an animal on four legs, called Bone, Bone.001 .. as Blender does.
Doll nameless_quadruped(int tail_joints) {
  Doll doll;
  const int rear = doll.add("Bone", -1, {0, 1, -0.5}, 0.2);
  const int front = doll.add("Bone.001", rear, {0, 1, 0.3}, 0.2);
  doll.add("Bone.002", front, {0, 1.4, 0.8}, 0.2);
  int number = 3;
  for (const double z : {-0.5, 0.3}) {
    const int upper = doll.add_pair("x", z < 0 ? rear : front, {0.2, 0.6, z});
    const int lower = doll.add_pair("x", upper, {0.2, 0.08, z});
    for (const int joint : {upper, upper + 1, lower, lower + 1}) {
      doll.rename(joint, "Bone.00" + std::to_string(number++));
      doll.key(joint);
    }
  }
  int last = rear;
  for (int k = 0; k < tail_joints; ++k)
    last = doll.add("Bone.0" + std::to_string(20 + k), last, {0, 1, -0.85 - 0.25 * k}, 0.08);
  return doll;
}

TEST(AnimatorParts, ATailOfOneJointIsFoundWithoutAName) {
  for (const int joints : {1, 2, 3}) {
    const std::set<std::string> parts = names_of_parts(nameless_quadruped(joints).make());
    EXPECT_TRUE(parts.contains("tail")) << joints;
    EXPECT_TRUE(parts.contains("belly")) << joints;
  }
  EXPECT_FALSE(names_of_parts(nameless_quadruped(0).make()).contains("tail"));
}

TEST(AnimatorParts, ATailOnAHeadIsAPonytailInAnyLanguage) {
  for (const char* name : {"queue_de_cheval", "cola.001", "coda_capelli", "马尾", "RabodeCavalo", "TailHair"}) {
    Doll doll = Doll::quadruped();
    doll.add("Bone.050", doll.add(name, doll.head, {0, 1.5, 0.75}, 0.05), {0, 1.3, 0.7}, 0.05);
    const std::vector<Part> parts = find_parts(doll.make());
    bool hair = false;
    for (const Part& part : parts) {
      EXPECT_NE(part.preset, "tail") << name;
      hair |= part.preset == "hair";
    }
    EXPECT_TRUE(hair) << name;
  }
}

TEST(AnimatorParts, TheMantleOfAnOctopusIsItsBody) {
  for (const bool carries : {true, false}) {
    Doll octopus;
    const int body = octopus.add("Root", -1, {0, 0.6, 0}, 0.1);
    const int mantle = octopus.add("Mantle", body, {0, 1.0, 0}, 0.35);
    for (int k = 0; k < 8; ++k) {
      const double angle = 2 * std::numbers::pi * (k + 0.3) / 8;
      int last = carries ? mantle : body;
      for (int j = 1; j <= 3; ++j)
        last = octopus.add("Tentacle" + std::to_string(k) + "_" + std::to_string(j), last,
                           {0.25 * j * std::cos(angle), 0.6 - 0.15 * j, 0.25 * j * std::sin(angle)}, 0.06);
    }
    const std::set<std::string> parts = names_of_parts(octopus.make());
    EXPECT_FALSE(parts.contains("cape")) << carries;
    EXPECT_EQ(parts.size(), 8u) << carries;
  }
  Doll mage = Doll::quadruped();
  mage.add("Mantle2", mage.add("Mantle1", 1, {0, 1.2, 0.1}, 0.08), {0, 1.0, -0.1}, 0.08);
  EXPECT_TRUE(names_of_parts(mage.make()).contains("cape"));
}

TEST(AnimatorParts, TailAndWingsOfAnAircraftAreHard) {
  Doll plane;
  plane.rigid = true;
  const int hull = plane.add("Fuselage", -1, {0, 1, 0}, 0.5);
  const int propeller = plane.add("Propeller", hull, {0, 1, 1.2}, 0.3);
  plane.add_pair("Wing", hull, {1.2, 1.1, 0}, 0.5);
  plane.add("TailFin", plane.add("Tail", hull, {0, 1.1, -1}, 0.3), {0, 1.4, -1.4}, 0.2);
  for (int k = 0; k < 3; ++k) plane.add("Wheel" + std::to_string(k), hull, {k - 1.0, 0.2, k == 1 ? 0.8 : -0.2}, 0.2);
  plane.key(propeller);
  EXPECT_TRUE(names_of_parts(plane.make()).empty());
}

TEST(AnimatorParts, CablesOfARobotMoveAndItsPlatesDoNot) {
  Doll robot = Doll::quadruped();
  robot.rigid = true;
  for (const double x : {0.1, -0.1}) {
    int last = 1;
    for (int k = 0; k < 4; ++k)
      last = robot.add("Cable" + std::to_string(k) + (x > 0 ? ".L" : ".R"), last, {x, 1.2 - 0.08 * k, 0.1 - 0.15 * k},
                       0.03);
  }
  const std::vector<Part> parts = find_parts(robot.make("robot"));
  EXPECT_EQ(parts.size(), 2u);
  for (const Part& part : parts) EXPECT_EQ(part.bones.size(), 4u) << part.name;
}

TEST(AnimatorParts, ATasselOnAHatMovesAndTheHatDoesNot) {
  Doll doll = Doll::quadruped();
  const int hat = doll.add("Hat", doll.head, {0, 1.6, 0.9}, 0.12);
  doll.add("Tassel_2", doll.add("Tassel_1", hat, {0, 1.75, 0.8}, 0.03), {0, 1.65, 0.7}, 0.03);
  const std::set<std::string> parts = names_of_parts(doll.make());
  EXPECT_TRUE(parts.contains("tassel"));
  for (const Part& part : find_parts(doll.make()))
    for (const int bone : part.bones) EXPECT_NE(bone, hat);
}

TEST(AnimatorParts, BeadsThatNoClipTurnsMove) {
  Doll doll = Doll::quadruped();
  int last = 2;
  for (int k = 0; k < 4; ++k) last = doll.add("Bead_" + std::to_string(k), last, {0, 1.1 - 0.08 * k, 0.75}, 0.03);
  bool beads = false;
  for (const Part& part : find_parts(doll.make())) beads |= part.bones.size() == 4 && part.preset != "belly";
  EXPECT_TRUE(beads);
}

TEST(AnimatorParts, LongEarsOfARabbitArePairsOfWholeChains) {
  Doll rabbit = Doll::quadruped();
  int last = rabbit.head;
  for (int k = 1; k <= 4; ++k)
    last = rabbit.add_pair("Ear" + std::to_string(k), last, {0.1, 1.5 + 0.12 * k, 0.85}, 0.05);
  rabbit.add("Tail", rabbit.hips, {0, 1, -0.8}, 0.08);
  std::map<std::string, std::size_t> joints;
  for (const Part& part : find_parts(rabbit.make())) joints[part.name] = part.bones.size();
  EXPECT_EQ(joints["ear_l"], 4u);
  EXPECT_EQ(joints["ear_r"], 4u);
  EXPECT_EQ(joints["tail"], 1u);
}

TEST(AnimatorParts, AllPanelsOfALongSkirtMove) {
  Doll doll = Doll::quadruped();
  for (const char* side : {"F", "B", "L", "R", "FL", "FR", "BL", "BR"}) {
    const double angle = static_cast<double>(side[0]) + (side[1] != 0 ? 0.1 * static_cast<double>(side[1]) : 0);
    int last = doll.hips;
    for (int k = 1; k <= 3; ++k)
      last = doll.add(std::string("Skirt_") + side + "_" + std::to_string(k), last,
                      {0.3 * std::cos(angle), 1 - 0.2 * k, -0.5 + 0.3 * std::sin(angle)}, 0.05);
  }
  std::size_t panels = 0;
  for (const Part& part : find_parts(doll.make())) panels += part.name.starts_with("skirt") ? 1 : 0;
  EXPECT_EQ(panels, 8u);
}

}  // namespace
}  // namespace rigspace
