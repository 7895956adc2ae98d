// Parts on black boxes evaluate few poses, and move as with many.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "support/black_bar.h"
#include "support/claiming_rig.h"
#include "support/own_cache.h"

#include <gtest/gtest.h>

namespace rigspace::few_evaluation_parts_test {
namespace {

using FrugalParts = OwnCache;

/// The far half of the bar follows its lattice points; its rate is looked for.
std::vector<Part> parts_of(const Character& character) {
  return {with_solid(character, control_part_from_pattern(character, "p?=flesh"), {.use_cache = true})};
}

const SimulationOptions kOnce{.end = 1, .looping = Looping::never, .use_cache = true};

SoftMotion run(const Character& character, const SimulationOptions& options = kOnce) {
  return simulate_parts(character, &character.clips.front(), parts_of(character), options);
}

TEST_F(FrugalParts, MoveAsWithAJacobianEveryStep) {
  Character black = small_bar();
  const auto rig = std::make_shared<ClaimingRig>(black.rig);
  black.rig = rig;
  std::vector<Part> parts = parts_of(black);
  parts.front().settings.rate = 2;
  SimulationOptions options = kOnce;
  options.use_cache = false;
  const auto run = [&](bool claims) {
    return run_claiming(*rig, claims, [&](const ProgressCallback& progress) {
      return simulate_parts(black, &black.clips.front(), parts, options, progress);
    });
  };
  const SoftMotion seen = run(false), expected = run(true);
  ASSERT_EQ(seen.failed_steps, 0);
  const double largest = expected.deviation.cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.01);
  EXPECT_LT((seen.deviation - expected.deviation).cwiseAbs().maxCoeff(), 0.01 * largest);
}

TEST_F(FrugalParts, AskForTwoPosesAStepOnceWarm) {
  const auto asked = std::make_shared<AskedPoses>();
  const Character black = as_black_box(small_bar(), asked);
  run(black);
  const std::size_t cold = asked->size();
  asked->clear();
  const SoftMotion motion = run(black);
  ASSERT_EQ(motion.failed_steps, 0);
  const double seconds = motion.times.back() - motion.times.front(), controls = motion.deviation.rows();
  EXPECT_LT(static_cast<double>(asked->size()), (240 + 1.5 * controls) * seconds);
  EXPECT_LT(asked->size(), cold);
}

TEST_F(FrugalParts, AreTheSameToTheBitColdAndWarm) {
  const Character black = as_black_box(small_bar());
  const SoftMotion cold = run(black), warm = run(black);
  EXPECT_EQ(cold.deviation, warm.deviation);
  EXPECT_EQ(cold.parts.front().rate, warm.parts.front().rate);
  EXPECT_EQ(cold.parts.front().amount, warm.parts.front().amount);
  EXPECT_LT(warm.steps, cold.steps + 1);
}

TEST_F(FrugalParts, GoOnFromWhereTheyStoodToTheBit) {
  const Character black = as_black_box(small_bar());
  SimulationOptions options = kOnce;
  options.use_cache = false;
  options.checkpoints.every = 35;
  std::vector<std::vector<std::byte>> saved;
  options.checkpoints.save = [&](std::span<const std::byte> bytes) { saved.emplace_back(bytes.begin(), bytes.end()); };
  const SoftMotion whole = run(black, options);
  ASSERT_GT(saved.size(), 4u);  // of the run that learns and of the last one
  options.checkpoints.save = {};
  for (const std::size_t k : {std::size_t{0}, saved.size() / 2, saved.size() - 1}) {
    options.checkpoints.resume = saved[k];
    EXPECT_EQ(run(black, options).deviation, whole.deviation) << "from save " << k;
  }
}

TEST_F(FrugalParts, ALoopAsksForItsKeyedPosesOnce) {
  const auto asked = std::make_shared<AskedPoses>();
  const Character black = as_black_box(small_bar(), asked);
  SimulationOptions loop{.looping = Looping::always, .use_cache = true};
  run(black, loop);
  asked->clear();
  const SoftMotion motion = run(black, loop);
  const double grid = static_cast<double>(motion.times.size() - 1);
  ASSERT_GT(motion.steps, 1.9 * grid);  // more than one turn
  // The keyed poses of one turn, and at most one look a step.
  EXPECT_LT(static_cast<double>(asked->size()), grid + motion.steps);
}

}  // namespace
}  // namespace rigspace::few_evaluation_parts_test
