#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace::control_parts_test {
namespace {

const Character& peanut() {
  static const Character character = make_character("peanut");
  return character;
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

}  // namespace
}  // namespace rigspace::control_parts_test
