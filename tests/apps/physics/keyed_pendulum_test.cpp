// Keyed controls of a part against the closed form: one joint is a pendulum on a spring (docs/part-controls.md).

#include "support/swinging_rod.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace::keyed_pendulum_test {
namespace {

using namespace testing;

/// A short jolt, then nothing.
Animation jolt(double duration) {
  return root_clip("root.tx", {0, 0.05, 0.1, duration}, {0, 0.01, 0.02, 0.02}, Interpolation::linear);
}

/// Hz, by the upward crossings of zero between two times.
double frequency(const SoftMotion& motion, double from, double to) {
  std::vector<double> crossings;
  for (std::size_t k = 1; k < motion.times.size(); ++k) {
    const double a = motion.deviation(kSwing, static_cast<Eigen::Index>(k) - 1);
    const double b = motion.deviation(kSwing, static_cast<Eigen::Index>(k));
    if (motion.times[k - 1] > from && motion.times[k] < to && a < 0 && b >= 0)
      crossings.push_back(motion.times[k - 1] + (motion.times[k] - motion.times[k - 1]) * a / (a - b));
  }
  return crossings.size() < 2 ? 0 : static_cast<double>(crossings.size() - 1) / (crossings.back() - crossings.front());
}

// After a jolt one joint is a pendulum on a spring: sqrt(omega^2 - (3 / settle)^2) / 2 pi.
TEST(KeyedSettings, SwingsAtTheRateOfTheMoment) {
  const Character rod = make_rod(1);
  auto parts = tail(rod, 2, 6);
  parts[0].settings.key("rate", smooth_keys({2, 2.5}, {2, 3.5}));
  const Animation clip = jolt(5);
  const SoftMotion motion = simulate_parts(rod, &clip, parts, kFine);
  const auto damped = [](double rate) { return std::sqrt(rate * rate - std::pow(0.5 / (2 * std::numbers::pi), 2)); };
  EXPECT_NEAR(frequency(motion, 0.2, 2), damped(2), 0.01 * 2);
  EXPECT_NEAR(frequency(motion, 2.6, 5), damped(3.5), 0.01 * 3.5);
}

TEST(KeyedSettings, SettlesAsAskedOfTheMoment) {
  const Character rod = make_rod(1);
  auto parts = tail(rod, 3, 8);
  parts[0].settings.key("settle", smooth_keys({1.5, 1.6}, {8, 0.8}));
  const Animation clip = jolt(3);
  const SoftMotion motion = simulate_parts(rod, &clip, parts, kFine);
  // Peaks n half swings apart fall by exp(-3 t / settle): 3 Hz, and sqrt(3^2 - (3.75 / 2 pi)^2) = 2.94 Hz.
  const double before = largest(motion, 0.2 + 5 / 6.0, 0.54 + 5 / 6.0) / largest(motion, 0.2, 0.54);
  EXPECT_NEAR(before, std::exp(-3 * (5 / 6.0) / 8), 0.02);
  const double after = largest(motion, 1.7 + 0.34, 2.04 + 0.34) / largest(motion, 1.7, 2.04);
  EXPECT_NEAR(after, std::exp(-3 * 0.34 / 0.8), 0.02);
}

TEST(KeyedSettings, SagsWhenAskedTo) {
  const Character rod = make_rod(1);
  // A bar that lies: turned up by a quarter, it droops.
  Animation still = root_clip("root.tx", {0, 4}, {0, 0}, Interpolation::linear);
  const double quarter = std::sqrt(0.5);
  still.rotations.push_back({.node = "root", .times = {0}, .values = {Vec4(0, 0, quarter, quarter)}});
  auto parts = tail(rod, 2, 0.5);
  parts[0].settings.key("sag", smooth_keys({1, 1.2, 2.5, 2.7}, {0, 1, 1, 0}));
  const SoftMotion motion = simulate_parts(rod, &still, parts, kOnce);
  EXPECT_EQ(largest(motion, 0, 1), 0);
  // k theta = M g L/2 cos(theta), k = omega^2 M L^2 / 3: theta = 1.5 g / (L omega^2), less by its cosine.
  const double theta = 1.5 * 9.81 / std::pow(2 * std::numbers::pi * 2, 2);
  EXPECT_NEAR(largest(motion, 2.2, 2.5), theta, 0.02 * theta);
  EXPECT_LT(largest(motion, 3.8, 4), 0.01 * theta);
  EXPECT_GT(largest(motion, 2.5, 2.7), 0.5 * theta);
}

TEST(KeyedSettings, StaysWithinALimitThatClosesIn) {
  const Character rod = make_rod(1);
  const Animation clip = root_clip("root.tx", {0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1, 2.4, 2.7, 3},
                                   {0, 0.3, -0.3, 0.3, -0.3, 0.3, -0.3, 0.3, -0.3, 0.3, 0}, Interpolation::natural);
  auto parts = tail(rod, 1.5, 2);
  const SoftMotion wide = simulate_parts(rod, &clip, parts, kOnce);
  parts[0].settings.key("limit", smooth_keys({1, 1.5}, {0.25, 0.03}));
  const SoftMotion narrow = simulate_parts(rod, &clip, parts, kOnce);
  EXPECT_EQ(narrow.failed_steps, 0);
  ASSERT_GT(largest(wide, 1.5, 3), 2 * 0.03 * std::numbers::pi);
  EXPECT_GT(largest(narrow, 0, 1), 2 * 0.03 * std::numbers::pi);
  EXPECT_LT(largest(narrow, 1.55, 3), 0.03 * std::numbers::pi);
}

// A steady wind v bends a bar of length L that hangs from its end by 1.5 lag v / L, its tangent.
TEST(KeyedSettings, FeelsAsMuchOfTheTravelAsIsAskedFor) {
  const Character rod = make_rod(1);
  const double v = 0.8, lag = 0.05;
  const Animation steady = root_clip("root.tx", {0, 4}, {0, 4 * v}, Interpolation::linear);
  auto parts = tail(rod, 1.5, 0.6);
  parts[0].settings.lag = lag;
  EXPECT_LT(largest(simulate_parts(rod, &steady, parts), 0, 4), 1e-7);
  parts[0].settings.travel = 1;
  const SoftMotion windy = simulate_parts(rod, &steady, parts);
  EXPECT_NEAR(largest(windy, 3, 4), 1.5 * lag * v, 0.03 * 1.5 * lag * v);
  EXPECT_LT(windy.deviation(kSwing, windy.deviation.cols() - 1), 0) << "it trails: +x travel turns it about -z";
  parts[0].settings.key("travel", smooth_keys({0, 1.5, 2}, {1, 1, 0}));
  EXPECT_LT(largest(simulate_parts(rod, &steady, parts, {.looping = Looping::never}), 3.2, 3.4), 0.02 * lag * v);
}

// A loop in place does not travel, whatever its period: all of its motion is wind, with the travel and without.
TEST(KeyedSettings, FindsNoTravelInALoopInPlace) {
  const Character rod = make_rod(1);
  std::vector<double> times, values;
  for (int k = 0; k <= 42; ++k)
    times.push_back(k / 60.0), values.push_back(0.1 * std::sin(2 * std::numbers::pi * k / 42));
  const Animation sway = root_clip("root.tx", times, values, Interpolation::linear);
  auto parts = tail(rod, 1.5, 0.6);
  parts[0].settings.lag = 0.05;
  const SoftMotion without = simulate_parts(rod, &sway, parts, {.looping = Looping::always});
  parts[0].settings.travel = 1;
  const SoftMotion with = simulate_parts(rod, &sway, parts, {.looping = Looping::always});
  ASSERT_GT(largest(with, 0, 0.7), 0.02);
  EXPECT_LT((with.deviation - without.deviation).cwiseAbs().maxCoeff(), 1e-6 * largest(with, 0, 0.7));
}

// x = a t^2 / 2: a bar that hangs in it leans by 1.5 a / (L omega^2); without push it does not.
TEST(KeyedSettings, FeelsAsMuchOfTheTravelsAccelerationAsIsAskedFor) {
  const Character rod = make_rod(1);
  const double a = 0.5;
  Animation start = root_clip("root.tx", {0}, {0}, Interpolation::natural);
  start.tracks[0].curve.times.clear(), start.tracks[0].curve.values.clear();
  for (int k = 0; k <= 80; ++k)
    start.tracks[0].curve.times.push_back(k / 20.0), start.tracks[0].curve.values.push_back(0.5 * a * k * k / 400.0);
  start.duration = 4;
  auto parts = tail(rod, 1.5, 0.6);
  const double theta = 1.5 * a / std::pow(2 * std::numbers::pi * 1.5, 2);
  const SoftMotion pushed = simulate_parts(rod, &start, parts, kOnce);
  EXPECT_NEAR(largest(pushed, 2, 3), theta, 0.03 * theta);
  parts[0].settings.push = 0;
  EXPECT_LT(largest(simulate_parts(rod, &start, parts, kOnce), 2, 3), 0.02 * theta);
}

}  // namespace
}  // namespace rigspace::keyed_pendulum_test
