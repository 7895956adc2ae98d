#include "rigspace/anim/character_frame.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"
#include "support/moved_scene.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

TEST(CharacterFrame, TurnsShiftsAndScalesWithTheCharacter) {
  const GltfFile file(to_glb(make_character("bobbin")), "bobbin");
  const OwnFrame here = character_frame(testing::moved(file, {}));
  EXPECT_GT(here.size, 0.1);
  for (const double turn : {0.7, 1.9, -2.8}) {
    const testing::Placement placement{.turn = turn, .shift = {3.7, 0, -11.3}, .scale = 100};
    const OwnFrame there = character_frame(testing::moved(file, placement));
    EXPECT_LT((there.turn - here.turn * placement.rotation().transpose()).norm(), 1e-12);
    EXPECT_NEAR(there.size, 100 * here.size, 1e-9 * there.size);
    EXPECT_LT((there.origin - (100 * placement.rotation() * here.origin + placement.shift)).norm(), 1e-9 * there.size);
  }
}

TEST(CharacterFrame, OfACharacterThatStandsAlongTheAxesHasTheirExtent) {
  const Character character = make_character("bobbin");
  const Box box = bounding_box(rest_surface(character).points);
  EXPECT_NEAR(character_frame(character).extent(), box.size().maxCoeff(), 1e-9 * box.diagonal());
  EXPECT_LT((character_frame(character).axes_near_scene() - Mat3::Identity()).norm(), 1e-9);
}

}  // namespace
}  // namespace rigspace
