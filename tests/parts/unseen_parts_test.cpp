// Classes of characters that no asset shows: names of other programs and languages, animals, vehicles; and whether they
// stand on a floor.

#include "rigspace/parts/footing.h"
#include "rigspace/parts/part_finder.h"
#include "support/doll.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

namespace rigspace {
namespace {

using testing::Doll;

/// The names of a biped in one program or language; %s: the side.
struct Names {
  const char* what;
  std::array<const char*, 2> sides;
  std::vector<const char*> spine;  ///< from the hips to the shoulders
  std::vector<const char*> above;  ///< neck and head
  std::vector<const char*> arm, leg;
};

std::string named(const char* pattern, const char* side) {
  std::string name = pattern;
  if (const std::size_t at = name.find("%s"); at != std::string::npos) name.replace(at, 2, side);
  return name;
}

const Names kBipeds[] = {
    {"Mixamo",
     {"Left", "Right"},
     {"mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2"},
     {"mixamorig:Neck", "mixamorig:Head"},
     {"mixamorig:%sShoulder", "mixamorig:%sArm", "mixamorig:%sForeArm", "mixamorig:%sHand"},
     {"mixamorig:%sUpLeg", "mixamorig:%sLeg", "mixamorig:%sFoot", "mixamorig:%sToeBase"}},
    {"Unreal",
     {"l", "r"},
     {"pelvis", "spine_01", "spine_02", "spine_03"},
     {"neck_01", "head"},
     {"clavicle_%s", "upperarm_%s", "lowerarm_%s", "hand_%s"},
     {"thigh_%s", "calf_%s", "foot_%s", "ball_%s"}},
    {"Biped",
     {"L", "R"},
     {"Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine1"},
     {"Bip01 Neck", "Bip01 Head"},
     {"Bip01 %s Clavicle", "Bip01 %s UpperArm", "Bip01 %s Forearm", "Bip01 %s Hand"},
     {"Bip01 %s Thigh", "Bip01 %s Calf", "Bip01 %s Foot", "Bip01 %s Toe0"}},
    {"Rigify",
     {"L", "R"},
     {"DEF-spine", "DEF-spine.001", "DEF-spine.002", "DEF-spine.003"},
     {"DEF-spine.004", "DEF-spine.005", "DEF-spine.006"},
     {"DEF-shoulder.%s", "DEF-upper_arm.%s", "DEF-forearm.%s", "DEF-hand.%s"},
     {"DEF-thigh.%s", "DEF-shin.%s", "DEF-foot.%s", "DEF-toe.%s"}},
    {"VRM",
     {"L", "R"},
     {"J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Chest"},
     {"J_Bip_C_Neck", "J_Bip_C_Head"},
     {"J_Bip_%s_Shoulder", "J_Bip_%s_UpperArm", "J_Bip_%s_LowerArm", "J_Bip_%s_Hand"},
     {"J_Bip_%s_UpperLeg", "J_Bip_%s_LowerLeg", "J_Bip_%s_Foot", "J_Bip_%s_ToeBase"}},
    {"Japanese",
     {"左", "右"},
     {"下半身", "上半身", "上半身2"},
     {"首", "頭"},
     {"%s肩", "%s腕", "%sひじ", "%s手首"},
     {"%s足", "%sひざ", "%s足首", "%sつま先"}},
    {"German",
     {"L", "R"},
     {"Becken", "Wirbel1", "Wirbel2"},
     {"Hals", "Kopf"},
     {"Oberarm_%s", "Unterarm_%s", "Hand_%s"},
     {"Oberschenkel_%s", "Unterschenkel_%s", "Fuss_%s"}},
    {"Spanish",
     {"izq", "der"},
     {"cadera", "columna1", "columna2"},
     {"cuello", "cabeza"},
     {"brazo_%s", "antebrazo_%s", "mano_%s"},
     {"muslo_%s", "pierna_%s", "pie_%s"}},
};

/// A biped of these names, `unit` scene units to the metre.
Doll biped(const Names& names, double unit = 1) {
  Doll doll;
  int last = -1;
  const auto up = [&](const std::vector<const char*>& list, double from, double to, double radius) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      const double y = from + (to - from) * static_cast<double>(k) / static_cast<double>(list.size());
      last = doll.add(list[k], last, unit * Vec3(0, y, 0), unit * radius);
    }
  };
  up(names.spine, 1.0, 1.45, 0.12);
  const int chest = last;
  up(names.above, 1.5, 1.75, 0.09);
  doll.head = last;
  for (int side = 0; side < 2; ++side) {
    const double x = side == 0 ? 1 : -1;
    int joint = chest;
    for (std::size_t k = 0; k < names.arm.size(); ++k)
      joint = doll.add(named(names.arm[k], names.sides[static_cast<std::size_t>(side)]), joint,
                       unit * Vec3(x * (0.2 + 0.2 * static_cast<double>(k)), 1.4, 0), unit * 0.05);
    joint = 0;
    for (std::size_t k = 0; k < names.leg.size(); ++k) {
      joint = doll.add(named(names.leg[k], names.sides[static_cast<std::size_t>(side)]), joint,
                       unit * Vec3(x * 0.1, std::max(0.05, 0.9 - 0.42 * static_cast<double>(k)), k == 3 ? 0.12 : 0),
                       unit * 0.05);
      doll.key(joint);
    }
  }
  return doll;
}

std::set<std::string> moving_joints(const Character& character) {
  std::set<std::string> joints;
  for (const Part& part : find_parts(character))
    for (const int bone : part.bones) joints.insert(character.bones[static_cast<std::size_t>(bone)].name);
  return joints;
}

std::set<std::string> part_names(const Character& character) {
  std::set<std::string> names;
  for (const Part& part : find_parts(character)) names.insert(part.name);
  return names;
}

TEST(UnseenParts, NoLimbAndNoHeadOfABipedMovesWhateverItsNames) {
  for (const Names& names : kBipeds)
    for (const double unit : {1.0, 100.0}) {
      const Character character = biped(names, unit).make();
      const std::set<std::string> torso(names.spine.begin(), names.spine.end());
      for (const std::string& joint : moving_joints(character))
        EXPECT_TRUE(torso.contains(joint)) << names.what << ": " << joint;
    }
}

TEST(UnseenParts, HairAndTailOfABipedMoveWhateverItsNames) {
  for (const Names& names : kBipeds) {
    Doll doll = biped(names);
    int last = doll.head;
    for (int k = 0; k < 3; ++k) last = doll.add("hair_0" + std::to_string(k), last, {0, 1.7 - 0.15 * k, -0.15}, 0.03);
    last = 0;
    for (int k = 0; k < 3; ++k) last = doll.add("Tail" + std::to_string(k), last, {0, 1.0, -0.2 - 0.2 * k}, 0.05);
    const std::set<std::string> parts = part_names(doll.make());
    EXPECT_TRUE(parts.contains("hair") && parts.contains("tail")) << names.what;
  }
}

TEST(UnseenParts, AllTentaclesMoveTogether) {
  Doll octopus;
  const int body = octopus.add("Body", -1, {0, 0.7, 0}, 0.25);
  octopus.add("Head", body, {0, 1.1, 0}, 0.3);
  for (int k = 0; k < 8; ++k) {
    const double angle = 2 * std::numbers::pi * (k + 0.3) / 8;
    int last = body;
    for (int j = 1; j <= 4; ++j)
      last = octopus.add("Tentacle" + std::to_string(k) + "_" + std::to_string(j), last,
                         {0.25 * j * std::cos(angle), 0.6 - 0.1 * j, 0.25 * j * std::sin(angle)}, 0.06);
  }
  const Character character = octopus.make();
  int chains = 0;
  for (const Part& part : find_parts(character)) chains += part.name.starts_with("tentacle") ? 1 : 0;
  EXPECT_EQ(chains, 8);
}

TEST(UnseenParts, AHorseHasManeTailEarsAndBelly) {
  Doll horse = Doll::quadruped();
  int last = horse.hips;
  for (int k = 1; k <= 3; ++k) last = horse.add("Tail" + std::to_string(k), last, {0, 1 - 0.1 * k, -0.6 - 0.1 * k});
  horse.add_pair("Ear", horse.head, {0.1, 1.6, 0.9}, 0.05);
  for (int k = 1; k <= 3; ++k) {
    const int root = horse.add("Mane" + std::to_string(k) + "_1", 2, {0.05, 1.2 + 0.05 * k, 0.55 + 0.1 * k}, 0.03);
    horse.add("Mane" + std::to_string(k) + "_2", root, {0.12, 1.1 + 0.05 * k, 0.55 + 0.1 * k}, 0.03);
  }
  EXPECT_EQ(part_names(horse.make()),
            (std::set<std::string>{"tail", "ear_l", "ear_r", "mane", "mane_2", "mane_3", "belly"}));
}

TEST(UnseenParts, ABirdKeepsItsBodyFirmAndItsTailFeathersLoose) {
  Doll bird;
  const int body = bird.add("Body", -1, {0, 0.5, 0}, 0.2);
  bird.add("Head", bird.add("Neck", body, {0, 0.7, 0.2}), {0, 0.85, 0.3}, 0.1);
  const int wing = bird.add_pair("Wing1", body, {0.25, 0.55, 0}, 0.1);
  bird.add_pair("Wing2", wing, {0.5, 0.55, 0}, 0.1);
  bird.key(wing), bird.key(wing + 1);
  bird.add_pair("Foot", bird.add_pair("Leg", body, {0.08, 0.25, 0}, 0.03), {0.08, 0.03, 0}, 0.03);
  bird.add("TailFeathers2", bird.add("TailFeathers1", body, {0, 0.5, -0.25}), {0, 0.5, -0.45});
  bird.clip = "Fly";
  EXPECT_EQ(part_names(bird.make()), (std::set<std::string>{"tail"}));
}

TEST(UnseenParts, OfATankOnlyTheAntennaMoves) {
  Doll tank;
  tank.rigid = true;
  const int hull = tank.add("Hull", -1, {0, 0.5, 0}, 0.5);
  tank.add("Barrel", tank.add("Turret", hull, {0, 1.1, 0}, 0.3), {0, 1.1, 0.6}, 0.1);
  for (int k = 0; k < 4; ++k) tank.add_pair("Wheel" + std::to_string(k), hull, {0.7, 0.2, -0.9 + 0.6 * k}, 0.2);
  tank.add("Antenna", hull, {0.4, 1.4, -0.6}, 0.1);
  tank.key(hull);
  const Character character = tank.make();
  EXPECT_EQ(part_names(character), (std::set<std::string>{"antenna"}));
  EXPECT_EQ(find_part_candidates(character).body, "a thing of solid pieces");
}

TEST(UnseenParts, AToyAnimalOnWheelsHasATail) {
  Doll duck;
  duck.rigid = true;
  const int body = duck.add("Body", -1, {0, 0.4, 0}, 0.3);
  duck.add("Beak", duck.add("Head", body, {0, 0.8, 0.2}, 0.2), {0, 0.8, 0.4}, 0.05);
  for (const double z : {-0.2, 0.2})
    duck.add_pair("Wheel" + std::string(z < 0 ? "Back" : "Front"), body, {0.3, 0.1, z});
  duck.add("Tail.001", duck.add("Tail", body, {0, 0.5, -0.3}), {0, 0.6, -0.4});
  duck.key(body);
  EXPECT_EQ(part_names(duck.make()), (std::set<std::string>{"tail"}));
}

TEST(UnseenParts, AFishHasFinsOfTwoJoints) {
  Doll fish;
  int body = -1, last = -1;
  for (int k = 0; k < 6; ++k) {
    last = fish.add("Bone.00" + std::to_string(k), last, {0, 0, 1.5 - 0.6 * k}, 0.4 - 0.05 * k);
    if (k == 1) body = last;
    fish.key(last);
  }
  fish.add_pair("Bone.007", fish.add_pair("Bone.006", body, {0.4, -0.1, 0.8}), {0.7, -0.2, 0.6});
  fish.clip = "Swim";
  EXPECT_EQ(part_names(fish.make()), (std::set<std::string>{"tail", "fin_l", "fin_r"}));
}

TEST(UnseenParts, ANecksJointsAreNoBellyAndARootWithSkinIs) {
  Doll dog;
  const int root = dog.add("Bone", -1, {0, 1, -0.5}, 0.2), spine = dog.add("Bone.001", root, {0, 1, 0.3}, 0.2);
  const int neck = dog.add("Bone.002", spine, {0, 1.2, 0.6});
  dog.add("Bone.003", neck, {0, 1.4, 0.9}, 0.25);
  for (const double z : {-0.5, 0.3}) {
    const std::string of = z < 0 ? "Bone.01" : "Bone.02";
    const int upper = dog.add_pair(of + "0", z < 0 ? root : spine, {0.2, 0.6, z});
    const int lower = dog.add_pair(of + "1", upper, {0.2, 0.08, z});
    for (const int joint : {upper, upper + 1, lower, lower + 1}) dog.key(joint);
  }
  EXPECT_EQ(moving_joints(dog.make()), (std::set<std::string>{"Bone", "Bone.001"}));
  dog.rename(spine, "Body");
  EXPECT_EQ(moving_joints(dog.make()), (std::set<std::string>{"Bone", "Body"}));
}

TEST(UnseenParts, APairThatStandsUpOnTheHeadIsEars) {
  for (const bool up : {true, false}) {
    Doll animal = Doll::quadruped();
    const int root = animal.add_pair("joint12", animal.head, {0.1, 1.55, 0.9}, 0.05);
    animal.add_pair("joint13", root, {0.15, up ? 1.9 : 1.2, 0.8}, 0.05);
    const std::set<std::string> parts = part_names(animal.make());
    EXPECT_TRUE(parts.contains(up ? "ear_l" : "hair_l") && parts.contains(up ? "ear_r" : "hair_r"));
  }
}

TEST(UnseenParts, OneBallIsJellyOnlyIfClipsSquashIt) {
  Doll ball;
  ball.rigid = true;
  const int bone = ball.add("Bone", -1, {0, 0.3, 0}, 0.3);
  ball.key(bone);
  Character character = ball.make();
  EXPECT_EQ(find_part_candidates(character).remark, "no part moves by itself: all of it follows Bone, in one piece");
  character.clips[0].tracks = {{"Bone.sx", {.times = {0, 1}, .values = {1, 1.2}}},
                               {"Bone.sy", {.times = {0, 1}, .values = {1, 0.8}}}};
  EXPECT_EQ(part_names(character), (std::set<std::string>{"jelly"}));
}

TEST(UnseenParts, OfASnakeOnTheGroundOnlyTheEndMoves) {
  for (const char* name : {"Bone.0", "spine0"}) {
    Doll snake;
    int last = -1;
    for (int k = 0; k < 12; ++k) {
      last = snake.add(name + std::to_string(k), last, {0, 0.06, 1.2 - 0.2 * k}, 0.06);
      snake.key(last);
    }
    snake.clip = "Slither";
    EXPECT_LE(moving_joints(snake.make()).size(), 1u) << name;
  }
}

TEST(UnseenParts, ARiderAndACentaursUpperHalfAreNoBelly) {
  for (const bool legs : {true, false}) {
    Doll horse = Doll::quadruped();
    const int hips = horse.add("pelvis", 1, {0, 1.45, 0.1}, 0.15),
              chest = horse.add("spine_01", hips, {0, 1.7, 0.1}, 0.15);
    horse.add_pair("hand",
                   horse.add_pair("lowerarm", horse.add_pair("upperarm", chest, {0.2, 1.8, 0.1}), {0.3, 1.6, 0.2}),
                   {0.3, 1.5, 0.4});
    if (legs) {
      const int thigh = horse.add_pair("thigh", hips, {0.25, 1.3, 0.2}),
                calf = horse.add_pair("calf", thigh, {0.3, 0.9, 0.2});
      horse.key(thigh), horse.key(thigh + 1), horse.key(calf), horse.key(calf + 1);
    }
    const std::set<std::string> joints = moving_joints(horse.make());
    EXPECT_TRUE(joints.contains("Spine")) << legs;
    EXPECT_FALSE(joints.contains("pelvis") || joints.contains("spine_01")) << legs;
  }
}

TEST(UnseenParts, ATadpolesTailIsNoHair) {
  Doll tadpole;
  int last = tadpole.add("Head", -1, {0, 1, 0.5}, 0.3);
  tadpole.key(last);
  for (int k = 0; k < 6; ++k) last = tadpole.add("tail_0" + std::to_string(k), last, {0, 1, -0.3 * k}, 0.1);
  tadpole.clip = "fly";
  const std::vector<Part> parts = find_parts(tadpole.make());
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].preset, "tail");
}

TEST(UnseenParts, FourLongTentaclesMoveTogether) {
  Doll squid;
  const int body = squid.add("Body", -1, {0, 1, 0}, 0.3);
  squid.key(body);
  for (int k = 0; k < 4; ++k) {
    const double angle = 2 * std::numbers::pi * (k + 0.3) / 4;
    int last = body;
    for (int j = 1; j <= 8; ++j)
      last = squid.add("T" + std::to_string(k) + "x" + std::to_string(j), last,
                       {0.2 * j * std::cos(angle), 0.9 - 0.1 * j, 0.2 * j * std::sin(angle)}, 0.06);
  }
  squid.clip = "Swim";
  const std::vector<Part> parts = find_parts(squid.make());
  EXPECT_EQ(parts.size(), 4u);
  for (const Part& part : parts) EXPECT_EQ(part.bones.size(), 8u) << part.name;
}

TEST(UnseenParts, AToysChimneyOnItsNodeIsNoStrand) {
  Doll train;
  train.rigid = true;
  const int engine = train.add("Engine", -1, {0, 0.4, 0}, 0.3);
  train.add("mesh_Chimney", train.add("Chimney", engine, {0, 0.7, 0.4}, 0), {0, 0.8, 0.4}, 0.1);
  for (const double z : {-0.3, 0.3}) {
    const int wheel = train.add_pair("Wheel" + std::string(z < 0 ? "Back" : "Front"), engine, {0.3, 0.1, z}, 0.1);
    train.key(wheel), train.key(wheel + 1);
  }
  EXPECT_TRUE(find_parts(train.make()).empty());
}

TEST(UnseenParts, ASlimeIsJellyByItsNameToo) {
  Doll blob;
  blob.rigid = true;
  blob.key(blob.add("Bone", -1, {0, 0.3, 0}, 0.3));
  EXPECT_TRUE(find_parts(blob.make("crate")).empty());
  const std::vector<Part> parts = find_parts(blob.make("slime_green"));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].preset, "jelly");
}

TEST(UnseenParts, WhoWalksAndSwimsIsNoFish) {
  Doll dog = Doll::quadruped();
  Character character = dog.make();
  Animation swim = character.clips[0];
  swim.name = "Swim";
  character.clips.push_back(swim);
  EXPECT_EQ(find_part_candidates(character).body, "a body on four legs");
}

TEST(Footing, AFishHasNoneInClipsThatDoNotSayIt) {
  Doll fish;
  for (int k = 0, parent = -1; k < 6; ++k) {
    parent = fish.add("Main" + std::to_string(k + 1), parent, {0, 0, 1.5 - 0.6 * k}, 0.4 - 0.05 * k);
    fish.key(parent);
  }
  fish.clip = "Attack";
  const Character alone = fish.make();
  const Footing below_zero = footing_of(alone, KeyedMotion(alone, &alone.clips[0]));
  EXPECT_FALSE(below_zero.stands) << below_zero.why;

  Doll resting;  // on y = 0, and other clips swim
  for (int k = 0, parent = -1; k < 6; ++k) {
    parent = resting.add("Main" + std::to_string(k + 1), parent, {0, 0.4, 1.5 - 0.6 * k}, 0.4 - 0.05 * k);
    resting.key(parent);
  }
  resting.clip = "Attack";
  Character swimmer = resting.make();
  EXPECT_TRUE(footing_of(swimmer, KeyedMotion(swimmer, &swimmer.clips[0])).stands);
  Animation swim = swimmer.clips[0];
  swim.name = "Swimming_Fast";
  swimmer.clips.push_back(swim);
  const Footing words = footing_of(swimmer, KeyedMotion(swimmer, &swimmer.clips[0]));
  EXPECT_FALSE(words.stands) << words.why;
}

TEST(Footing, LegsStandWhereverTheOriginIs) {
  for (const double shift : {0.0, -1.0}) {
    Doll doll = Doll::quadruped();
    doll.shift = Vec3(0, shift, 0);
    const Character character = doll.make();
    const Footing footing = footing_of(character, KeyedMotion(character, &character.clips[0]));
    EXPECT_TRUE(footing.stands) << footing.why;
  }
}

TEST(Footing, WhatIsHeldUpStandsWithoutNames) {
  Doll table;  // away from y = 0, on four corners
  const int top = table.add("Bone", -1, {0, 3, 0}, 0.3);
  for (int k = 0; k < 4; ++k) table.add("Bone.00" + std::to_string(k), top, {k % 2 - 0.5, 2, k / 2 - 0.5}, 0.1);
  table.key(top + 4);
  table.clip = "Action";
  const Character character = table.make();
  const Footing footing = footing_of(character, KeyedMotion(character, &character.clips[0]));
  EXPECT_TRUE(footing.stands) << footing.why;
}

}  // namespace
}  // namespace rigspace
