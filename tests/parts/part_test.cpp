#include "rigspace/parts/part.h"

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace {
namespace {

std::vector<std::string> names_of(const std::vector<Part>& parts) {
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.name);
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Parts, OfBobbinAreHisBellyTailAndEars) {
  const auto parts = find_parts(make_character("bobbin"));
  EXPECT_EQ(names_of(parts), (std::vector<std::string>{"belly", "ear_l", "ear_r", "tail"}));
  for (const Part& part : parts) EXPECT_EQ(part.bones.size(), part.name == "tail" ? 5u : 3u);
}

TEST(Parts, OfAShibaAreFoundWithoutFeetAndPoles) {
  RIGSPACE_ASSET_OR_SKIP(path, "quaternius_ShibaInu/ShibaInu.glb");
  EXPECT_EQ(names_of(find_parts(load_gltf(path))), (std::vector<std::string>{"belly", "ear_l", "ear_r", "tail"}));
}

TEST(Parts, OfAFoxAreItsBellyAndTail) {
  RIGSPACE_ASSET_OR_SKIP(path, "khr_Fox/Fox.glb");
  EXPECT_EQ(names_of(find_parts(load_gltf(path))), (std::vector<std::string>{"belly", "tail"}));
}

TEST(Parts, ByPatternMakeOneForEachChain) {
  const Character bobbin = make_character("bobbin");
  EXPECT_EQ(parts_from_pattern(bobbin, "ear_*=hair").size(), 2u);
}

TEST(Parts, SayWhatIsWrongWithAPattern) {
  const Character bobbin = make_character("bobbin");
  EXPECT_THROW(parts_from_pattern(bobbin, "wheel*=tail"), Error);
  EXPECT_THROW(parts_from_pattern(bobbin, "tail*=fluffy"), Error);
  PartSettings settings;
  EXPECT_THROW(settings.set("colour", 1), Error);
  EXPECT_THROW(settings.set("amount", -1), Error);
  settings.set("amount", 0.5);
  EXPECT_EQ(settings.amount, 0.5);
}

TEST(KeyedMotion, OfAWalkGoesOnWhereItEnded) {
  const Character bobbin = make_character("bobbin");
  KeyedMotion walk(bobbin, bobbin.clip("Walk"));
  ASSERT_TRUE(walk.loops());
  EXPECT_EQ(walk.play().traveller, "root");
  EXPECT_NEAR(walk.play().travel.z(), 0.4, 0.01);
  walk.set_cyclic(true);
  const int tz = bobbin.rig->find("root.tz");
  Vec before, after, turns;
  walk.controls(walk.duration() - 1e-9, before);
  walk.controls(walk.duration() + 1e-9, after);
  EXPECT_LT((before - after).cwiseAbs().maxCoeff(), 1e-6);
  walk.controls(0.3 + 5 * walk.duration(), turns);
  walk.controls(0.3, before);
  EXPECT_NEAR(turns[tz] - before[tz], 5 * walk.play().travel.z(), 1e-9);
}

TEST(KeyedMotion, WithoutAClipRestsForEver) {
  const Character bobbin = make_character("bobbin");
  const KeyedMotion rest(bobbin, nullptr);
  Vec p;
  rest.controls(17, p);
  EXPECT_EQ(p, bobbin.rig->rest());
}

}  // namespace
}  // namespace rigspace
