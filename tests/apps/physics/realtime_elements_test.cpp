// Bodies of a real-time instance: few elements and all of them, memory, threads, all parts of a character.

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/cast/cast.h"
#include "rigspace/parts/part.h"
#include "support/allocations.h"
#include "support/realtime_ball.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>

namespace rigspace {
namespace {

using testing::ball;
using testing::ball_model;
using testing::ball_parts;
using testing::deviation_of;
using testing::Hand;
using testing::kFrame;
using testing::span_of;
using testing::swing;

/// A ball that swings far, slowly: few elements and all differ little there, although it leaves what was trained.
std::shared_ptr<const RealtimeModel> far_model(bool widen) {
  std::vector<Part> parts = ball_parts();
  parts[0].settings = {.rate = 1.2, .settle = 1.5, .lag = 0, .limit = 0.8};
  return std::make_shared<const RealtimeModel>(ball().character, parts,
                                               RealtimeOptions{.use_cache = false, .widen = widen});
}

double far_swing(double t) { return t < 1.2 ? 2 * swing(t) : 2 * swing(1.2) * std::max(0.0, 1 - 3 * (t - 1.2)); }

// A body that goes on from the other's state first does what that would have done: a speed that was lost on the way
// would be seen in the next frames.
TEST(RealtimeRig, GoesOnWithAllElementsWhileItIsOutsideOfItsTraining) {
  const auto narrow = far_model(false), model = far_model(true);
  EXPECT_EQ(model->element_count(), narrow->element_count());
  EXPECT_GT(model->most_elements(), 4 * model->element_count());
  EXPECT_GT(model->instance_bytes(), narrow->instance_bytes());
  Hand few(narrow), hand(model);
  double farthest = 0, apart = 0, apart_at_first = 0;
  int widened = 0, changes = 0;
  for (int k = 1; k <= 240; ++k) {
    const bool before = hand.rig.widened();
    few.to(far_swing(k * kFrame), kFrame), hand.to(far_swing(k * kFrame), kFrame);
    widened += hand.rig.widened(), changes += hand.rig.widened() != before;
    farthest = std::max(farthest, few.largest());
    apart = std::max(apart, (deviation_of(few.rig) - deviation_of(hand.rig)).cwiseAbs().maxCoeff());
    if (widened == 5 && changes == 1) apart_at_first = apart;
  }
  EXPECT_GT(widened, 10);
  EXPECT_GE(changes, 2);
  EXPECT_FALSE(hand.rig.widened());
  EXPECT_GT(apart_at_first, 0);
  EXPECT_LT(apart_at_first, 0.06 * farthest);
  EXPECT_LT(apart, 0.4 * farthest);
}

// A factor of the Hessian serves many steps; with a wrong one they would take all iterations that they may.
TEST(RealtimeRig, SolvesAStepInAFewIterations) {
  Hand hand;
  for (int k = 1; k <= 240; ++k) hand.to(swing(k * kFrame), kFrame);
  EXPECT_EQ(hand.rig.unconverged(), 0);
  EXPECT_LT(hand.rig.iterations(), 3.5 * static_cast<double>(hand.rig.steps()));
}

TEST(RealtimeRig, AllocatesNothingWhereItChangesToAllElements) {
  if (!RIGSPACE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "this build has an allocator of its own";
  Hand hand(far_model(true));
  hand.to(0.001, kFrame);
  bool widened = false;
  testing::allocations = 0;
  testing::counting = true;
  for (int k = 1; k <= 150; ++k) {
    hand.to(far_swing(k * kFrame), kFrame);
    widened = widened || hand.rig.widened();
  }
  testing::counting = false;
  EXPECT_EQ(testing::allocations, 0);
  EXPECT_TRUE(widened);
}

TEST(RealtimeRig, AllocatesNothingAfterItIsMade) {
  if (!RIGSPACE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "this build has an allocator of its own";
  Hand hand;
  const int turn = ball_model()->character().rig->find("root.rx");
  hand.to(0.001, kFrame);
  const long jacobians = hand.rig.jacobians();
  testing::allocations = 0;
  testing::counting = true;
  for (int k = 1; k <= 100; ++k) {
    hand.p[turn] = 0.02 * k;
    hand.to(swing(k * kFrame), k == 50 ? 1.0 : k == 60 ? 0.0 : kFrame);
    if (k == 70) hand.rig.teleport();
  }
  testing::counting = false;
  EXPECT_EQ(testing::allocations, 0);
  EXPECT_GT(hand.rig.jacobians(), jacobians);  // renewals too
}

TEST(RealtimeRig, GivesTheSameBitsOnAnyThread) {
  const auto run = [](Vec& out) {
    Hand hand;
    for (int k = 1; k <= 60; ++k) hand.to(swing(k * kFrame), kFrame);
    out = deviation_of(hand.rig);
  };
  Vec here, one, two;
  run(here);
  ball_model();
  std::thread a([&] { run(one); }), b([&] { run(two); });
  a.join(), b.join();
  EXPECT_EQ(here, one);
  EXPECT_EQ(here, two);
}

TEST(RealtimeRig, HasAllPartsOfACharacterInsideIt) {
  const Character hard = make_character("bobbin");
  const Softened soft = soften(hard, find_parts(hard));
  const auto model =
      std::make_shared<const RealtimeModel>(soft.character, soft.parts, RealtimeOptions{.use_cache = false});
  RealtimeRig rig(model);
  KeyedMotion motion(model->character(), model->character().clip("Walk"));
  motion.set_cyclic(true);
  std::vector<double> most(model->free().size(), 0.0);
  Vec p;
  motion.controls(0, p);
  rig.reset(span_of(p));
  for (int k = 1; k <= 120; ++k) {
    motion.controls(k * kFrame, p);
    rig.set_keyed(span_of(p));
    rig.step(kFrame);
    for (std::size_t c = 0; c < most.size(); ++c) most[c] = std::max(most[c], std::abs(rig.deviation()[c]));
  }
  // Chains and flesh, both; every soft joint moves, and no joint turns by more than its limit.
  for (std::size_t c = 0; c < most.size(); ++c) {
    const Control& control = model->controls()[static_cast<std::size_t>(model->free()[c])];
    EXPECT_LT(most[c], std::numbers::pi) << control.name;
  }
  const auto moves = [&](std::string_view node) {
    double largest = 0;
    for (std::size_t c = 0; c < most.size(); ++c)
      if (model->controls()[static_cast<std::size_t>(model->free()[c])].name.find(node) != std::string::npos)
        largest = std::max(largest, most[c]);
    return largest;
  };
  EXPECT_GT(moves("tail"), 0.02);
  EXPECT_GT(moves("ear"), 0.02);
  EXPECT_GT(moves("belly"), 0.002);
  EXPECT_LE(rig.unconverged(), rig.steps() / 10);
  EXPECT_GT(rig.bytes(), 100'000u);
  EXPECT_LT(rig.bytes(), 8'000'000u);
  Vec posed = p;
  rig.apply({posed.data(), static_cast<std::size_t>(posed.size())});
  for (std::size_t k = 0; k < model->free().size(); ++k) EXPECT_EQ(posed[model->free()[k]], rig.simulated()[k]);
}

}  // namespace
}  // namespace rigspace
