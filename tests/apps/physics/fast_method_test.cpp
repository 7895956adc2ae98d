// The fast method against the full one, as an animator meets it: through simulate_parts.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <cstring>

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
