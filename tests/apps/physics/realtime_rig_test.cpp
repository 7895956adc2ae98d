#include "rigspace/apps/physics/realtime_rig.h"

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "support/allocations.h"
#include "support/ball.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <thread>

namespace rigspace::realtime_rig_test {
namespace {

using testing::root_clip;

const Softened& ball() {
  static const Softened soft = [] {
    const Character hard = testing::make_ball();
    return soften(hard, parts_from_pattern(hard, "body=jelly"), {.max_per_part = 4});
  }();
  return soft;
}

std::vector<Part> ball_parts() {
  std::vector<Part> parts = ball().parts;
  parts[0].settings = {.rate = 2, .settle = 1, .lag = 0};
  return parts;
}

std::shared_ptr<const RealtimeModel> ball_model() {
  static const auto model =
      std::make_shared<const RealtimeModel>(ball().character, ball_parts(), RealtimeOptions{.use_cache = false});
  return model;
}

std::span<const double> span_of(const Vec& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

Vec deviation_of(const RealtimeRig& rig) {
  return Eigen::Map<const Vec>(rig.deviation().data(), std::ssize(rig.deviation()));
}

/// A ball whose root is moved by hand.
struct Hand {
  explicit Hand(std::shared_ptr<const RealtimeModel> model = ball_model())
      : rig(model), p(model->character().rig->rest()), ty(model->character().rig->find("root.ty")) {}
  void to(double height, double dt) {
    p[ty] = height;
    rig.set_keyed(span_of(p));
    rig.step(dt);
  }
  double largest() const { return deviation_of(rig).cwiseAbs().maxCoeff(); }

  RealtimeRig rig;
  Vec p;
  int ty;
};

constexpr double kFrame = 1.0 / 60, kGrid = 1.0 / 120;

constexpr double kSwing = 1.2;  // Hz: a hundred grid steps

double swing(double t) { return 0.08 * std::sin(2 * std::numbers::pi * kSwing * t); }

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
TEST(RealtimeRig, SaysWhenItIsShakenHarderThanItWasTrained) {
  Hand hand;
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
}  // namespace rigspace::realtime_rig_test
