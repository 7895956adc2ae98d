// Tuned rates of a part are read from the cache, whatever its amount.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"
#include "support/own_cache.h"

#include <gtest/gtest.h>

namespace rigspace::tuning_cache_test {
namespace {

class KeptLooks : public OwnCache {
 protected:
  void SetUp() override {
    OwnCache::SetUp();
    part_ = with_solid(peanut_, control_part_from_pattern(peanut_, "shoulders.t?=flesh"), {.use_cache = true});
  }

  struct Seen {
    SoftMotion motion;
    int reports = 0;  ///< of steps, searches included
  };
  Seen run(double amount, bool use_cache = true) {
    part_.settings.amount = amount;
    Seen seen;
    seen.motion = simulate_parts(peanut_, peanut_.clip("Walk"), std::vector{part_},
                                 {.looping = Looping::never, .use_cache = use_cache}, [&](const Progress& progress) {
                                   seen.reports += progress.stage == "simulating" ? 1 : 0;
                                   return true;
                                 });
    return seen;
  }

  Character peanut_ = make_character("peanut");
  Part part_;
};

TEST_F(KeptLooks, GiveTheSameMotionWithoutASearch) {
  const Seen first = run(1), again = run(1);
  EXPECT_EQ(again.motion.deviation, first.motion.deviation);
  EXPECT_LT(again.reports, first.reports);
  const Seen less = run(0.5);
  EXPECT_EQ(less.reports, again.reports);
  EXPECT_EQ(less.motion.deviation, run(0.5, false).motion.deviation);
  EXPECT_EQ(less.motion.parts.front().rate, first.motion.parts.front().rate);
}

TEST_F(KeptLooks, AreLookedForAnewWhereTheArtistMovedAKey) {
  run(1);
  const int again = run(1).reports;
  for (Animation& clip : peanut_.clips)
    if (clip.name == "Walk") clip.tracks.front().curve.values[1] += 1e-3;
  EXPECT_GT(run(1).reports, again);
}

}  // namespace
}  // namespace rigspace::tuning_cache_test
