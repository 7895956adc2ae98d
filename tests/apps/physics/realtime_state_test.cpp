// The state of a RealtimeRig: what a reset leaves of it, one array for input and output, chains of rods round and
// round.

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/cast/cast.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rigspace::realtime_state_test {
namespace {

constexpr double kFrame = 1.0 / 60;

std::span<const double> span_of(const Vec& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

Vec deviation_of(const RealtimeRig& rig) {
  return Eigen::Map<const Vec>(rig.deviation().data(), std::ssize(rig.deviation()));
}

/// Tail and ears as rods, the belly as flesh.
std::shared_ptr<const RealtimeModel> bobbin(bool widen = false) {
  const Character hard = make_character("bobbin");
  const Softened soft = soften(hard, find_parts(hard), {.use_cache = true});
  return std::make_shared<const RealtimeModel>(soft.character, soft.parts, RealtimeOptions{.widen = widen});
}

struct Walker {
  explicit Walker(std::shared_ptr<const RealtimeModel> of, const char* clip = "Walk")
      : model(std::move(of)), rig(model), motion(model->character(), model->character().clip(clip)) {
    motion.set_cyclic(true);
  }
  void reset(double time) {
    motion.controls(time, p);
    rig.reset(span_of(p));
  }
  void to(double time, double dt) {
    motion.controls(time, p);
    rig.set_keyed(span_of(p));
    rig.step(dt);
  }

  std::shared_ptr<const RealtimeModel> model;
  RealtimeRig rig;
  KeyedMotion motion;
  Vec p;
};

TEST(RealtimeState, AfterAResetItIsANewInstance) {
  const auto model = bobbin(true);
  Walker used(model), fresh(model);
  for (int k = 1; k <= 100; ++k)
    used.to(1.7 * k * kFrame, k % 7 == 0 ? 0.05 : 0.011);  // wilder, uneven: a phase is left
  used.rig.teleport();
  for (Walker* each : {&used, &fresh}) each->reset(0.3);
  EXPECT_EQ(used.rig.steps(), 0);
  EXPECT_FALSE(used.rig.widened());
  for (int k = 1; k <= 120; ++k) {
    for (Walker* each : {&used, &fresh}) each->to(0.3 + k * kFrame, kFrame);
    ASSERT_EQ(deviation_of(used.rig), deviation_of(fresh.rig)) << "frame " << k;
  }
  EXPECT_GT(deviation_of(fresh.rig).cwiseAbs().maxCoeff(), 0.01);
  EXPECT_EQ(used.rig.steps(), fresh.rig.steps());
  EXPECT_EQ(used.rig.iterations(), fresh.rig.iterations());
  EXPECT_EQ(used.rig.unconverged(), fresh.rig.unconverged());
  EXPECT_EQ(used.rig.jacobians(), fresh.rig.jacobians());
}

// A caller that keeps one pose, and whose animation does not key what is simulated.
TEST(RealtimeState, OneArrayMayBeInputAndOutput) {
  const auto model = bobbin();
  Walker apart(model), one(model);
  apart.reset(0), one.reset(0);
  const auto is_free = [&](int c) { return std::binary_search(model->free().begin(), model->free().end(), c); };
  Vec keyed = apart.p, pose = apart.p, own;
  double farthest = 0;
  for (int k = 1; k <= 240; ++k) {
    one.motion.controls(k * kFrame, own);
    for (Eigen::Index c = 0; c < own.size(); ++c)
      if (!is_free(static_cast<int>(c))) keyed[c] = pose[c] = own[c];
    apart.rig.set_keyed(span_of(keyed)), one.rig.set_keyed(span_of(pose));
    apart.rig.step(kFrame), one.rig.step(kFrame);
    one.rig.apply({pose.data(), static_cast<std::size_t>(pose.size())});
    ASSERT_EQ(deviation_of(apart.rig), deviation_of(one.rig)) << "frame " << k;
    farthest = std::max(farthest, deviation_of(one.rig).cwiseAbs().maxCoeff());
  }
  EXPECT_GT(farthest, 0.01);
  EXPECT_LT(farthest, 1.5);
}

// A new key is taken, whatever was written before.
TEST(RealtimeState, TakesANewKeyOfASimulatedControl) {
  Walker walker(bobbin());
  walker.reset(0);
  walker.to(kFrame, kFrame);
  const int control = walker.model->free()[0];
  Vec pose = walker.p;
  walker.rig.apply({pose.data(), static_cast<std::size_t>(pose.size())});
  pose[control] = 0.25;
  walker.rig.set_keyed(span_of(pose));
  walker.rig.step(0);
  EXPECT_NEAR(walker.rig.simulated()[0] - walker.rig.deviation()[0], 0.25, 1e-15);
}

}  // namespace
}  // namespace rigspace::realtime_state_test
