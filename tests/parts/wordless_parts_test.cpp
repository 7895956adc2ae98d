// What names do not say, or say of something else: tentacles that are called arms, arms of a swimmer, ears on a head
// without a name, a lamp on its chain.

#include "rigspace/parts/part_finder.h"
#include "support/doll.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>

namespace rigspace {
namespace {

using testing::Doll;

/// Joints of each part that moves.
std::map<std::string, std::size_t> parts_of(const Character& character) {
  std::map<std::string, std::size_t> sizes;
  for (const Part& part : find_parts(character)) sizes[part.name] = part.bones.size();
  return sizes;
}

/// Chains of joints around a body; a clip turns the body and the first `turned` joints of each.
Doll with_chains(const char* name, int chains, int joints, int turned) {
  Doll doll;
  const int body = doll.add("Body", -1, {0, 1, 0}, 0.25);
  doll.key(body);
  for (int k = 0; k < chains; ++k) {
    const double angle = 2 * std::numbers::pi * (k + 0.3) / chains;
    int last = body;
    for (int j = 1; j <= joints; ++j) {
      last = doll.add(name + std::string(1, static_cast<char>('A' + k)) + "_" + std::to_string(j), last,
                      {(0.2 + 0.1 * j) * std::cos(angle), 0.9 - 0.12 * j, (0.2 + 0.1 * j) * std::sin(angle)}, 0.05);
      if (j <= turned) doll.key(last);
    }
  }
  return doll;
}

TEST(WordlessParts, ChainsAroundABodyWhoseEndsNoClipTurnsAreTentacles) {
  for (const char* name : {"arm", "brazo_", "t", "Bone"}) {
    const auto parts = parts_of(with_chains(name, 6, 5, 2).make());
    EXPECT_EQ(parts.size(), 6u) << name;
    for (const auto& [part, joints] : parts) {
      EXPECT_TRUE(part.starts_with("tentacle")) << name << ": " << part;
      EXPECT_EQ(joints, 5u) << name;
    }
  }
}

TEST(WordlessParts, LegsAroundABodyAreNoTentacles) {
  const auto moves = [](const Doll& doll) {
    for (const auto& [part, joints] : parts_of(doll.make()))
      if (part.starts_with("tentacle")) return true;
    return false;
  };
  EXPECT_FALSE(moves(with_chains("leg", 8, 4, 2))) << "called legs";
  EXPECT_FALSE(moves(with_chains("Bone", 8, 4, 4))) << "the clip turns their feet";
  EXPECT_FALSE(moves(with_chains("arm", 4, 5, 2))) << "two pairs";
}

/// Upright, of joints without names: arms at the side, a tail of a fish below; the clip says swim.
TEST(WordlessParts, ArmsAndHeadOfAMermaidStay) {
  Doll mermaid;
  const int hips = mermaid.add("Bone", -1, {0, 1, 0}, 0.15), chest = mermaid.add("Bone.001", hips, {0, 1.35, 0}, 0.15);
  mermaid.add("Bone.003", mermaid.add("Bone.002", chest, {0, 1.5, 0}, 0.06), {0, 1.65, 0}, 0.15);
  const int upper = mermaid.add_pair("Bone.010", chest, {0.2, 1.4, 0}, 0.06);
  const int lower = mermaid.add_pair("Bone.011", upper, {0.3, 1.15, 0}, 0.06);
  mermaid.add_pair("Bone.012", lower, {0.35, 0.95, 0.05}, 0.06);
  for (const int joint : {upper, upper + 1, lower, lower + 1}) mermaid.key(joint);
  int last = hips;
  for (int k = 0; k < 6; ++k) {
    last = mermaid.add("Bone.02" + std::to_string(k), last, {0, 0.85 - 0.15 * k, -0.02 * k}, 0.12 - 0.015 * k);
    if (k < 3) mermaid.key(last);
  }
  mermaid.clip = "Swim";
  mermaid.shift = Vec3(0, 1, 0);
  EXPECT_EQ(parts_of(mermaid.make()), (std::map<std::string, std::size_t>{{"tail", 3}}));
}

TEST(WordlessParts, APairThatStandsUpFromAHeadWithoutANameIsEars) {
  for (const bool up : {true, false}) {
    Doll rabbit;
    const int root = rabbit.add("b0", -1, {0, 1, -0.5}, 0.2), spine = rabbit.add("b1", root, {0, 1, 0.3}, 0.2);
    const int head = rabbit.add("b2", spine, {0, 1.4, 0.8}, 0.25);
    for (const double z : {-0.5, 0.3}) {
      const std::string of = z < 0 ? "c" : "d";
      const int upper = rabbit.add_pair(of + "0", z < 0 ? root : spine, {0.2, 0.6, z});
      const int lower = rabbit.add_pair(of + "1", upper, {0.2, 0.08, z});
      for (const int joint : {upper, upper + 1, lower, lower + 1}) rabbit.key(joint);
    }
    const double way = up ? 0.2 : -0.2;
    rabbit.add_pair("e1", rabbit.add_pair("e0", head, {0.1, 1.6, 0.8}, 0.05), {0.12, 1.6 + way, 0.75}, 0.05);
    const auto parts = parts_of(rabbit.make());
    EXPECT_EQ(parts.contains("ear_l") && parts.contains("ear_r"), up);
    EXPECT_EQ(parts.contains("hair_l"), false) << "what hangs from a head without a name may be an arm";
  }
}

TEST(WordlessParts, AllOfALampHangsFromWhatAClipMoves) {
  Doll lamp;
  int last = lamp.add("hook", -1, {0, 2, 0}, 0.05);
  lamp.key(last);
  for (int k = 1; k <= 6; ++k) last = lamp.add("link" + std::to_string(k), last, {0, 2 - 0.15 * k, 0}, 0.05);
  lamp.clip = "Sway";
  EXPECT_EQ(parts_of(lamp.make()), (std::map<std::string, std::size_t>{{"strand", 6}}));
}

}  // namespace
}  // namespace rigspace
