// The fast method against the full one, as an animator meets it: through simulate_parts.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace rigspace::fast_method_test {
namespace {

struct Trunk {
  Character peanut = make_character("peanut");
  std::vector<Part> parts;

  Trunk() {
    Part part = control_part_from_pattern(peanut, "trunk_*=tail");
    part.settings.set("rate", 2.2), part.settings.set("settle", 0.9);
    parts.push_back(with_solid(peanut, part, {.use_cache = true}));
  }
  SoftMotion walk(SimulationOptions options) const {
    options.end = 0.5, options.looping = Looping::never;
    return simulate_parts(peanut, peanut.clip("Walk"), parts, options);
  }
};

TEST(FastMethod, MovesATrunkAsTheFullMethodDoes) {
  const Trunk trunk;
  const SoftMotion full = trunk.walk({.method = Method::full}), fast = trunk.walk({.method = Method::fast});
  ASSERT_EQ(fast.controls, full.controls);
  EXPECT_EQ(fast.failed_steps, 0);
  EXPECT_NEAR(fast.parts[0].swing / full.parts[0].swing, 1, 0.05);
  EXPECT_NEAR(fast.parts[0].volume_change, full.parts[0].volume_change, 0.01);
  EXPECT_LT((fast.deviation - full.deviation).norm(), 0.1 * full.deviation.norm());  // 3 % over the whole walk
}

TEST(FastMethod, IsOffByWhatItExpectsOnAMotionThatItWasNotTrainedOn) {
  Trunk trunk;
  const Animation dance = *trunk.peanut.clip("Dance");
  std::erase_if(trunk.peanut.clips, [](const Animation& clip) { return clip.name != "Walk"; });
  const auto dances = [&](Method method) {
    return simulate_parts(
        trunk.peanut, &dance, trunk.parts,
        {.end = 0.4, .looping = Looping::never, .method = method, .corrections = Corrections::none()});
  };
  const SoftMotion full = dances(Method::full), fast = dances(Method::fast);
  const double expected = fast.parts[0].expected_error;
  EXPECT_GT(expected, 0.002);  // or it was not estimated
  const double found = (fast.deviation - full.deviation).norm() / full.deviation.norm();
  EXPECT_LT(found, expected);
  EXPECT_LT(expected, 0.25);  // 0.017 was found where 0.176 is stated
  RecordProperty("found", std::to_string(found)), RecordProperty("expected", std::to_string(expected));
  EXPECT_EQ(fast.parts[0].untrained, 0);
  EXPECT_EQ(fast.inverted_steps + full.inverted_steps, 0);
}

TEST(FastMethod, FlagsStepsBeyondItsTraining) {
  Trunk trunk;
  trunk.parts[0].settings.set("limit", 10), trunk.parts[0].settings.set("rate", 0.7);  // soft, and thrown about
  trunk.parts[0].settings.set("amount", 10);
  const SoftMotion wild = trunk.walk({.corrections = Corrections::none()});
  EXPECT_GT(wild.parts[0].untrained, 0.1);
}

TEST(FastMethod, IsTheSameOutOfTheCache) {
  const Trunk trunk;
  const SoftMotion trained = trunk.walk({}), kept = trunk.walk({.use_cache = true}),
                   recalled = trunk.walk({.use_cache = true});
  for (const SoftMotion* other : {&kept, &recalled})
    EXPECT_EQ(std::memcmp(trained.deviation.data(), other->deviation.data(),
                          sizeof(double) * static_cast<std::size_t>(trained.deviation.size())),
              0);
}

TEST(FastMethod, GivesWayToTheFullOneWhereItsChoicesAreAskedFor) {
  const Trunk trunk;
  const SoftMotion asked = trunk.walk({.interior = Interior::still});
  const SoftMotion full = trunk.walk({.method = Method::full, .interior = Interior::still});
  EXPECT_EQ((asked.deviation - full.deviation).norm(), 0);
}

}  // namespace
}  // namespace rigspace::fast_method_test
