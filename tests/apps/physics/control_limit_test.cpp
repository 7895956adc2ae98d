// The look's `limit` on parts that move a rig's own controls.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace::control_limit_test {
namespace {

/// The bar thrown up and down, by 40 cm four times a second: some 25 g.
Animation violent_shake() {
  Animation clip{.name = "Shake", .duration = 1};
  Track up{.control = "bar.ty", .curve = {.interpolation = Interpolation::catmull_rom}};
  for (int k = 0; k <= 60; ++k) {
    up.curve.times.push_back(k / 60.0);
    up.curve.values.push_back(0.5 + 0.4 * std::sin(2 * std::numbers::pi * 4 * k / 60.0));
  }
  clip.tracks.push_back(std::move(up));
  return clip;
}

/// The largest deviation of a node as a share of the part's size, in that shake.
struct Reach {
  double most = 0;
  int failed_steps = 0;
};
Reach shaken(const char* part_of_bar, double limit, double amount = 1) {
  Character character = make_character("bar");
  character.clips.push_back(violent_shake());
  Part part = control_part_from_pattern(character, part_of_bar);
  part.settings.rate = 1.5;  // given, so that nothing is searched for and nothing is tamed
  part.settings.limit = limit;
  part.settings.amount = amount;
  const Part parts[] = {with_solid(character, part)};
  const SoftMotion motion =
      simulate_parts(character, &character.clips.back(), parts, {.end = 0.35, .looping = Looping::never});
  return {motion.parts[0].largest, motion.failed_steps};
}

TEST(ControlLimit, HoldsInAViolentShake) {
  const double unhindered = shaken("p?=rubber", 10).most;
  ASSERT_GT(unhindered, 0.3);  // what the limits below are up against
  for (const double limit : {0.05, 0.1, 0.25}) {
    const Reach reach = shaken("p?=rubber", limit);
    EXPECT_LT(reach.most, limit);
    EXPECT_GT(reach.most, 0.6 * limit);  // nothing is felt up to there
    EXPECT_EQ(reach.failed_steps, 0);
  }
}

TEST(ControlLimit, IsOnWhatIsSeenWhateverTheAmount) {
  for (const double amount : {0.5, 1.4, 3.0}) EXPECT_LT(shaken("p?=rubber", 0.1, amount).most, 0.1);
}

TEST(ControlLimit, NeedsNoGroupsOfThreeControls) {
  EXPECT_LT(shaken("p1,p4=rubber", 0.1).most, 0.1);
  EXPECT_LT(shaken("p?,bar.rx=rubber", 0.1).most, 0.1);
}

TEST(ControlLimit, IsNotFeltFarBelowIt) {
  Character character = make_character("bar");
  Part part = control_part_from_pattern(character, "p?=rubber");
  part.settings.rate = 2.5;
  Mat deviations[2];
  for (int k = 0; k < 2; ++k) {
    part.settings.limit = k == 0 ? 0.5 : 10;
    const Part parts[] = {with_solid(character, part)};
    const SoftMotion motion =
        simulate_parts(character, character.clip("Swing"), parts, {.end = 0.5, .looping = Looping::never});
    ASSERT_LT(motion.parts[0].largest, 0.3);
    deviations[k] = motion.deviation;
  }
  EXPECT_EQ(deviations[0], deviations[1]);  // to the bit
}

}  // namespace
}  // namespace rigspace::control_limit_test
