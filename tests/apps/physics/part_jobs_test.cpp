// Parts side by side: the same as one after the other, stopped and gone on with too.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/progress.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

namespace rigspace::part_jobs_test {
namespace {

/// Ears and shoulders of an elephant, at rates that need not be found.
struct Elephant {
  Character character = make_character("peanut");
  std::vector<Part> parts;

  Elephant() {
    for (const char* pattern : {"ear_?.flap=ear", "shoulders.t?=flesh"}) {
      parts.push_back(with_solid(character, control_part_from_pattern(character, pattern), {}));
      parts.back().settings.rate = 3;
    }
  }

  SoftMotion walk(int threads, const SimulationOptions& options = {}, const ProgressCallback& progress = {}) const {
    const ThreadCountScope scope(threads);
    return simulate_parts(character, character.clip("Walk"), parts, options, progress);
  }
};

const SimulationOptions kOnce{.looping = Looping::never, .use_cache = true};

TEST(PartJobs, SideBySideAreTheSameToTheBit) {
  const Elephant elephant;
  const SoftMotion one = elephant.walk(1, kOnce), two = elephant.walk(2, kOnce);
  EXPECT_EQ(one.deviation, two.deviation);
  EXPECT_EQ(one.controls, two.controls);
  EXPECT_EQ(one.steps, two.steps);
}

TEST(PartJobs, StoppedSideBySideGoOnFromWhereEachWas) {
  const Elephant elephant;
  const SoftMotion whole = elephant.walk(2, kOnce);
  SimulationOptions stopping = kOnce;
  std::vector<std::byte> saved;
  stopping.checkpoints.every = 10;
  stopping.checkpoints.save = [&](std::span<const std::byte> bytes) { saved.assign(bytes.begin(), bytes.end()); };
  bool told = false;
  stopping.checkpoints.stopped = [&](const SoftMotion& so_far) {
    told = so_far.stopped && so_far.deviation.cols() == whole.deviation.cols();
    for (const PartReport& part : so_far.parts) EXPECT_LE(part.finished, 1);
  };
  const auto until_saved = [&](const Progress&) { return saved.empty(); };
  EXPECT_THROW((void)elephant.walk(2, stopping, until_saved), Cancelled);
  ASSERT_FALSE(saved.empty());
  EXPECT_TRUE(told);
  for (const int threads : {1, 2}) {
    SimulationOptions going_on = kOnce;
    going_on.checkpoints.resume = saved;
    const SoftMotion rest = elephant.walk(threads, going_on);
    EXPECT_EQ(rest.deviation, whole.deviation);
  }
}

TEST(PartJobs, WhatOneThrowsIsThrown) {
  const Elephant elephant;
  SimulationOptions options = kOnce;
  options.checkpoints.every = 10;
  options.checkpoints.save = [](std::span<const std::byte>) { throw std::runtime_error("the disk is full"); };
  EXPECT_THROW((void)elephant.walk(2, options), std::runtime_error);
}

}  // namespace
}  // namespace rigspace::part_jobs_test
