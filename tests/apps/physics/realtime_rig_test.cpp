#include "rigspace/apps/physics/realtime_rig.h"

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "support/ball.h"
#include "support/realtime_ball.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace rigspace::realtime_rig_test {
namespace {

using testing::root_clip;

using testing::ball;
using testing::ball_model;
using testing::ball_parts;
using testing::deviation_of;
using testing::Hand;
using testing::kFrame;
using testing::kGrid;
using testing::kSwing;
using testing::span_of;
using testing::swing;

TEST(RealtimeRig, StaysInTheKeyedPoseWhenNothingMoves) {
  Hand hand;
  for (int k = 0; k < 60; ++k) hand.to(0, kFrame);
  EXPECT_EQ(hand.rig.steps(), 120);
  EXPECT_LT(hand.largest(), 1e-9);  // metres and radians: rounding of solves about zero
  EXPECT_FALSE(hand.rig.outside_training());
}

TEST(RealtimeRig, FeelsNothingOfASteadyTravel) {
  Hand hand;
  hand.to(1, kFrame);
  hand.rig.teleport();  // appears in the midst of its way, and is not jolted
  double most = 0;
  for (int k = 0; k < 240; ++k) hand.to(5 + 2.0 * k * kFrame, kFrame), most = std::max(most, hand.largest());
  EXPECT_LT(most, 1e-9);  // metres and radians: rounding
}

TEST(RealtimeRig, SwingsAfterAJoltAndSettles) {
  Hand hand;
  double most = 0;
  for (int k = 0; k < 30; ++k) {
    hand.to(std::min(0.05, 0.01 * k), kFrame);
    most = std::max(most, hand.largest());
  }
  EXPECT_GT(most, 0.005);  // metres, of a ball of 0.6
  for (int k = 0; k < 240; ++k) hand.to(0.05, kFrame);
  EXPECT_LT(hand.largest(), 1e-3 * most + 1e-5);
}

// What the header states: a load is felt from the next grid step on, and an interpolated state shows it within one
// more.
TEST(RealtimeRig, AnswersAStepInAccelerationWithinTwoGridSteps) {
  Hand hand;
  for (int k = 0; k < 24; ++k) hand.to(0, kGrid);
  const double quiet = hand.largest();
  int calls = 0;
  for (double t = kGrid; calls < 12; t += kGrid) {
    hand.to(0.5 * 20 * t * t, kGrid);  // 20 m/s^2 from now on
    ++calls;
    if (hand.largest() > 100 * quiet + 1e-6) break;
  }
  EXPECT_LE(calls, 2);
  EXPECT_NEAR(hand.rig.model().latency(), 0.05, 1e-12);
}

// Whatever the frame rate, the grid is the same, and so is the motion but for where poses were interpolated.
TEST(RealtimeRig, DoesNotDependOnTheFrameRate) {
  Hand at_60, at_120, at_any;
  const double frames[] = {0.011, 0.004, 0.019, 0.0, 0.016};
  double t = 0, most = 0;
  for (int k = 1; k <= 120; ++k) {
    at_60.to(swing(k * kFrame), kFrame);
    at_120.to(swing((k - 0.5) * kFrame), 0.5 * kFrame), at_120.to(swing(k * kFrame), 0.5 * kFrame);
    for (int i = 0; t < k * kFrame - 1e-12; ++i) {
      const double dt = std::min(frames[(k + i) % 5], k * kFrame - t);
      t += dt;
      at_any.to(swing(t), dt);
    }
    most = std::max(most, at_60.largest());
    EXPECT_LT((deviation_of(at_60.rig) - deviation_of(at_120.rig)).cwiseAbs().maxCoeff(), 5e-4);  // of 0.1
    EXPECT_LT((deviation_of(at_60.rig) - deviation_of(at_any.rig)).cwiseAbs().maxCoeff(), 5e-4);
  }
  EXPECT_GT(most, 0.01);
  EXPECT_EQ(at_60.rig.steps(), 240);
  EXPECT_EQ(at_60.rig.steps(), at_120.rig.steps());
}

// simulate_parts knows the future; here loads are later by the window, and what is read by a step. Beside that it is
// the same motion, once what differs at the start has died away: the clip begins under way, the game at rest.
TEST(RealtimeRig, DoesWhatTheSimulationOfAClipDoesTheLatencyLater) {
  constexpr int kSteps = 1000, kSettled = 800;
  std::vector<double> times, values;
  for (int k = 0; k <= kSteps; ++k) times.push_back(k * kGrid), values.push_back(swing(times.back()));
  const Animation clip = root_clip("root.ty", times, values, Interpolation::linear);
  const SoftMotion whole = simulate_parts(ball().character, &clip, ball_parts(),
                                          {.looping = Looping::never, .end_at_rest = false, .method = Method::fast});
  const Rig& skin = *ball().character.rig;
  const auto workspace = skin.make_workspace();
  const Vec rest = skin.rest();
  Vec s, s_rest;
  skin.evaluate(*workspace, rest, s_rest);
  const auto moved = [&](const Vec& deviation) {
    Vec p = rest;
    for (std::size_t c = 0; c < whole.controls.size(); ++c)
      p[whole.controls[c]] += deviation[static_cast<Eigen::Index>(c)];
    skin.evaluate(*workspace, p, s);
    return Vec(s - s_rest);
  };
  const auto rise = [](const Vec& way) {
    return Eigen::Map<const Eigen::Matrix3Xd>(way.data(), 3, way.size() / 3).row(1).mean();
  };
  Hand hand;
  const double latency = hand.rig.model().latency();
  const auto late = static_cast<int>(std::lround(latency / kGrid));
  double apart = 0, most = 0;
  std::complex<double> here, there;  // the skin's mean rise at the frequency of the swing
  for (int k = 1; k <= kSteps; ++k) {
    hand.to(swing(k * kGrid), kGrid);
    if (k <= kSettled) continue;
    const Vec now = moved(deviation_of(hand.rig)), then = moved(whole.deviation.col(k - late));
    apart = std::max(apart, (now - then).cwiseAbs().maxCoeff());
    most = std::max(most, then.cwiseAbs().maxCoeff());
    const auto turn = std::polar(1.0, -2 * std::numbers::pi * kSwing * k * kGrid);
    here += turn * rise(now), there += turn * rise(moved(whole.deviation.col(k)));
  }
  EXPECT_GT(most, 0.01);
  EXPECT_LT(apart, 0.02 * most);                 // of any point of the skin
  EXPECT_NEAR(std::abs(here / there), 1, 0.02);  // means of the acceleration over other times: 0.8 % at this frequency
  EXPECT_NEAR(-std::arg(here / there) / (2 * std::numbers::pi * kSwing), latency, 1e-3);  // s
}

TEST(RealtimeRig, FindsLooksOnAClip) {
  std::vector<double> times, values;
  for (int k = 0; k <= 60; ++k)
    times.push_back(k * kFrame), values.push_back(0.12 * std::sin(4 * std::numbers::pi * times.back()));
  const Animation clip = root_clip("root.ty", times, values, Interpolation::linear);
  std::vector<Part> parts = ball_parts();
  parts[0].settings = {.rate = 0, .settle = 0};
  const auto largest = [&](const Animation* tune_on) {
    Hand hand(std::make_shared<const RealtimeModel>(ball().character, parts,
                                                    RealtimeOptions{.tune_on = tune_on, .use_cache = false}));
    double most = 0;
    for (int k = 0; k < 240; ++k)
      hand.to(values[static_cast<std::size_t>(k % 60)], kFrame), most = std::max(most, hand.largest());
    return most;
  };
  EXPECT_LT(largest(&clip), 0.8 * largest(nullptr));
}

TEST(RealtimeRig, TakesAnOrientationAndItsNegativeForTheSame) {
  Hand hand;
  const int qx = ball_model()->character().rig->find("root.qx");
  ASSERT_GE(qx, 0);
  double most = 0;
  for (int k = 0; k < 60; ++k) {
    hand.p.segment<4>(qx) *= -1;
    hand.to(0, 0.7 * kFrame);  // grid steps fall between poses
    most = std::max(most, hand.largest());
  }
  EXPECT_LT(most, 1e-9);
}

TEST(RealtimeRig, KeepsItsShapeAndForgetsItsSpeedInATeleport) {
  Hand by_hand, by_distance;
  for (int k = 1; k <= 20; ++k) by_hand.to(swing(k * kFrame), kFrame), by_distance.to(swing(k * kFrame), kFrame);
  const double before = by_hand.largest();
  ASSERT_GT(before, 0.005);
  by_hand.rig.teleport();
  by_hand.to(100, kFrame);
  by_distance.to(100, kFrame);  // 6000 m/s
  for (int k = 0; k < 240; ++k) {
    EXPECT_LT(by_hand.largest(), 1.05 * before);
    EXPECT_LT(by_distance.largest(), 1.05 * before);
    by_hand.to(100, kFrame), by_distance.to(100, kFrame);
  }
  EXPECT_LT(by_hand.largest(), 1e-3 * before);
  EXPECT_LT(by_distance.largest(), 1e-3 * before);
}

TEST(RealtimeRig, SurvivesFramesOfNoTimeAndOfALongTime) {
  Hand hand;
  double most = 0;
  for (int k = 1; k <= 30; ++k) hand.to(swing(k * kFrame), kFrame), most = std::max(most, hand.largest());
  const Vec before = deviation_of(hand.rig);
  hand.to(swing(30 * kFrame), 0);
  EXPECT_EQ(before, deviation_of(hand.rig));
  const long steps = hand.rig.steps();
  hand.to(swing(3), 3 - 30 * kFrame);
  EXPECT_EQ(hand.rig.steps(), steps + hand.rig.model().options().max_substeps);
  EXPECT_LT(hand.largest(), 2 * most);
  hand.to(0, 1e12);
  EXPECT_LT(hand.largest(), 2 * most);
  EXPECT_THROW(hand.rig.step(-1), Error);
  EXPECT_THROW(hand.rig.step(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(hand.rig.set_keyed({}), Error);
  hand.p[hand.ty] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(hand.rig.set_keyed(span_of(hand.p)), Error);
}

// Shaken beyond all measure: limits hold, numbers stay numbers, and it says that it was never trained for this.
// Such jumps count as snaps of the root unless every motion is to be felt.
TEST(RealtimeRig, SaysWhenItIsShakenHarderThanItWasTrained) {
  Hand hand(std::make_shared<const RealtimeModel>(ball().character, ball_parts(),
                                                  RealtimeOptions{.snap_speed = 0, .use_cache = false}));
  bool outside = false;
  for (int k = 1; k <= 120; ++k) {
    hand.to((k / 6) % 2 == 0 ? 0.0 : 0.4, kFrame);
    ASSERT_TRUE(std::isfinite(hand.largest()));
    ASSERT_LT(hand.largest(), std::numbers::pi);
    outside = outside || hand.rig.outside_training();
  }
  EXPECT_TRUE(outside);
  for (int k = 0; k < 300; ++k) hand.to(0, kFrame);
  EXPECT_FALSE(hand.rig.outside_training());
  EXPECT_LT(hand.largest(), 1e-3);
}

}  // namespace
}  // namespace rigspace::realtime_rig_test
