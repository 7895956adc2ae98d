#include "rigspace/anim/key_fitting.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/rig/black_box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

namespace rigspace {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

Curve baked(const std::function<double(double)>& f, double duration, int frames) {
  Curve curve;
  for (int k = 0; k <= frames; ++k) {
    curve.times.push_back(duration * k / frames);
    curve.values.push_back(f(curve.times.back()));
  }
  return curve;
}

Curve noise(unsigned seed, int frames, double smoothness) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  double value = 0;
  return baked([&](double) { return value = smoothness * value + normal(random); }, frames / 24.0, frames);
}

int keys(const Curve& frames, double tolerance, bool loop = false) {
  return static_cast<int>(fit_curve(frames, {.tolerance = tolerance, .loop = loop}).times.size());
}

double largest_error_at_frames(const Curve& frames, const Curve& fit) {
  double largest = 0;
  for (std::size_t i = 0; i < frames.times.size(); ++i)
    largest = std::max(largest, std::abs(fit(frames.times[i]) - frames.values[i]));
  return largest;
}

/// By how much the fit leaves the range of the frames between two keys, at most.
double largest_excess(const Curve& frames, const Curve& fit) {
  double excess = 0;
  for (std::size_t k = 0; k + 1 < fit.times.size(); ++k) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = 0; i < frames.times.size(); ++i) {
      if (frames.times[i] < fit.times[k] || frames.times[i] > fit.times[k + 1]) continue;
      low = std::min(low, frames.values[i]), high = std::max(high, frames.values[i]);
    }
    for (int s = 0; s <= 200; ++s) {
      const double value = fit(std::lerp(fit.times[k], fit.times[k + 1], s / 200.0));
      excess = std::max({excess, low - value, value - high});
    }
  }
  return excess;
}

TEST(CurveFit, GivesParabolasAndCubicsTwoKeys) {
  for (const auto& f : {std::function<double(double)>([](double t) { return 3 * t * t - 2 * t + 1; }),
                        std::function<double(double)>([](double t) { return t * t * t - 1.5 * t * t + 0.4 * t; })}) {
    const Curve frames = baked(f, 1.0, 48), fit = fit_curve(frames, {.tolerance = 1e-3});
    EXPECT_EQ(fit.times.size(), 2u);
    EXPECT_LE(largest_error_at_frames(frames, fit), 1e-5);  // far inside: slopes are those of least squares
  }
}

TEST(CurveFit, GivesAPeriodOfASineFourOrFiveKeys) {
  const Curve frames = baked([](double t) { return std::sin(kTurn * t); }, 1.0, 48);
  for (const bool loop : {false, true}) {
    const int count = keys(frames, 0.01, loop);
    EXPECT_GE(count, 3);
    EXPECT_LE(count, 5);
  }
}

TEST(CurveFit, StaysWithinTheToleranceAtFramesWithEqualSlopesOnBothSidesOfAKey) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Curve frames = noise(seed, 120, 0.95);
    const Curve fit = fit_curve(frames, {.tolerance = 0.4});
    EXPECT_LE(largest_error_at_frames(frames, fit), 0.4 * (1 + 1e-9));
    EXPECT_EQ(fit.interpolation, Interpolation::hermite);
    int broken = 0;
    for (std::size_t k = 0; k < fit.times.size(); ++k) broken += fit.in_tangents[k] != fit.out_tangents[k];
    EXPECT_LE(broken, 6) << "of " << fit.times.size();  // corners are exceptions, by chance
  }
}

TEST(CurveFit, DoesNotOscillateOnNoise) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const double tolerance : {0.05, 0.5, 2.0}) {
      const Curve frames = noise(seed, 100, 0.0);
      const Curve fit = fit_curve(frames, {.tolerance = tolerance});
      EXPECT_LE(largest_excess(frames, fit), tolerance * (1 + 1e-6)) << "seed " << seed;
      EXPECT_LE(largest_error_at_frames(frames, fit), tolerance * (1 + 1e-6)) << "seed " << seed;
    }
  }
}

TEST(CurveFit, IsMonotoneWhereTheFramesAre) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::exponential_distribution<double> rise(1.0);
    double sum = 0;
    const Curve frames = baked([&](double) { return sum += std::pow(rise(random), 3); }, 4.0, 96);
    const Curve fit = fit_curve(frames, {.tolerance = 0.02 * sum});
    EXPECT_LT(fit.times.size(), 60u);
    double before = fit(0);
    for (int s = 1; s <= 5000; ++s) {
      const double value = fit(4.0 * s / 5000);
      EXPECT_GE(value, before - 1e-12 * sum) << "seed " << seed;
      before = value;
    }
  }
}

TEST(CurveFit, NeedsNoMoreKeysForTwiceTheTolerance) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Curve frames = noise(seed, 90, seed % 3 == 0 ? 0.0 : 0.97);
    int before = 1000;
    for (double tolerance = 0.02; tolerance < 10; tolerance *= 2) {
      const int count = keys(frames, tolerance);
      EXPECT_LE(count, before) << "seed " << seed << " tolerance " << tolerance;
      before = count;
    }
  }
}

TEST(CurveFit, KeepsFlatStretchesFlatToTheBit) {
  const auto ease = [](double u) { return u * u * (3 - 2 * u); };
  // Stands, rises, stands, falls in a straight line, stands.
  const Curve frames = baked(
      [&](double t) {
        if (t < 1) return 0.25;
        if (t < 2) return 0.25 + ease(t - 1);
        if (t < 3) return 1.25;
        return t < 4 ? 1.25 - 0.7 * (t - 3) : 0.55;
      },
      5.0, 120);
  const Curve fit = fit_curve(frames, {.tolerance = 0.02});
  EXPECT_LE(fit.times.size(), 6u);
  for (int s = 0; s <= 1000; ++s) {
    EXPECT_EQ(fit(s / 1000.0), 0.25);
    EXPECT_EQ(fit(2 + s / 1000.0), 1.25);
    EXPECT_DOUBLE_EQ(fit(4 + s / 1000.0), frames.values.back());
    EXPECT_NEAR(fit(3 + s / 1000.0), 1.25 - 0.7 * s / 1000.0, 1e-9);  // corners at both ends
  }
}

TEST(CurveFit, KeepsAJumpBetweenTwoFrames) {
  const Curve frames = baked([](double t) { return t < 1 ? 0.2 * t : 3 + 0.1 * std::sin(3 * t); }, 2.0, 48);
  const Curve fit = fit_curve(frames, {.tolerance = 0.01});
  EXPECT_LE(fit.times.size(), 6u);
  EXPECT_LE(largest_error_at_frames(frames, fit), 0.01);
  EXPECT_LE(largest_excess(frames, fit), 0.01);  // no ringing beside it
}

TEST(CurveFit, ReturnsStepsAsTheyAreAndConstantsAsOneKey) {
  const Curve steps{.interpolation = Interpolation::step, .times = {0, 0.5, 0.7}, .values = {0, 1, 0}};
  EXPECT_EQ(fit_curve(steps).times, steps.times);
  EXPECT_EQ(fit_curve(steps).interpolation, Interpolation::step);
  const Curve fit = fit_curve(baked([](double) { return 0.7; }, 1, 24));
  ASSERT_EQ(fit.times.size(), 1u);
  EXPECT_EQ(fit(0.3), 0.7);
}

TEST(CurveFit, KeepsLoopsClosedInValueAndSlope) {
  for (const double travel : {0.0, 2.5}) {
    const Curve frames = baked(
        [&](double t) { return travel * t + std::sin(kTurn * t + 0.4) + 0.3 * std::cos(2 * kTurn * t); }, 1.0, 60);
    const Curve fit = fit_curve(frames, {.tolerance = 0.005, .loop = true});
    EXPECT_NEAR(fit.values.back() - fit.values.front(), travel, 1e-12);
    if (travel == 0) {
      EXPECT_EQ(fit.values.back(), fit.values.front());
    }
    EXPECT_EQ(fit.in_tangents.back(), fit.out_tangents.front());
    EXPECT_LE(fit.times.size(), 12u);
    EXPECT_LE(largest_error_at_frames(frames, fit), 0.005 * (1 + 1e-9));
  }
}

TEST(CurveFit, LetsTheSlopeJumpAtTheSeamOfABouncingLoop) {
  const Curve frames = baked([](double t) { return t * (1 - t); }, 1.0, 48);
  const Curve fit = fit_curve(frames, {.tolerance = 1e-3, .loop = true});
  EXPECT_EQ(fit.times.size(), 2u);
  EXPECT_NEAR(fit.out_tangents.front(), 1, 0.05);
  EXPECT_NEAR(fit.in_tangents.back(), -1, 0.05);
}

TEST(CurveFit, RefusesAToleranceOfNothing) {
  EXPECT_THROW(fit_curve(baked([](double t) { return t; }, 1, 4), {.tolerance = 0}), Error);
  EXPECT_THROW(fit_curve({.times = {0, 0}, .values = {1, 2}}), Error);
}

/// Three points, of which the highest is 2 up: a slide along x moves all, a swing about z the one at 10 most.
BlackBoxRig two_controls() {
  return BlackBoxRig(
      {.controls = {{"slide", "", Unit::length, 0}, {"swing", "", Unit::angle, 0}},
       .point_count = 3,
       .evaluate = [](In p,
                      Vec& s) { s << p[0], 0, 0, p[0], 2, 0, p[0] + 10 * std::cos(p[1]), 10 * std::sin(p[1]), 0; },
       .concurrent = true,
       .noise = 0});
}

Animation slide_and_swing() {
  Animation clip{.name = "move", .duration = 4};
  clip.tracks.push_back({"slide", baked([](double t) { return std::sin(1.3 * kTurn * t) + 0.2 * t; }, 4, 120)});
  clip.tracks.push_back({"swing", baked([](double t) { return 0.5 * std::sin(kTurn * t); }, 4, 120)});
  clip.tracks.push_back({"missing", baked([](double t) { return t; }, 4, 120)});
  return clip;
}

TEST(KeyFitting, MeasuresTheErrorOnTheSurfaceAndKeepsItJustUnderTheTolerance) {
  const BlackBoxRig rig = two_controls();
  const Animation clip = slide_and_swing();
  const KeyFitting fit = fit_keys(rig, clip, {.tolerance = 0.01});
  EXPECT_DOUBLE_EQ(fit.height, 2.5);  // a quarter of the longest side, since that is more than 2
  EXPECT_TRUE(fit.within_tolerance);
  EXPECT_LE(fit.error.distance, 0.01 * fit.height);
  EXPECT_GE(fit.error.distance, 0.5 * 0.01 * fit.height);  // what is allowed is used
  EXPECT_EQ(fit.error.point, 2);
  EXPECT_EQ(fit.keys_before, 3 * 121);
  EXPECT_LE(fit.keys_after, 121 + 121 / 2);  // the unknown control keeps its keys
  EXPECT_EQ(fit.animation.tracks[2].curve.times.size(), 121u);
  const SurfaceError frames = surface_error(rig, clip, fit.animation, source_frames(clip));
  EXPECT_LE(frames.distance, fit.error.distance * (1 + 1e-12));
}

TEST(KeyFitting, UsesTheToleranceInAHurryToo) {
  for (const double tolerance : {0.0005, 0.002, 0.01, 0.05}) {
    const KeyFitting fit = fit_keys(two_controls(), slide_and_swing(), {.tolerance = tolerance, .refine = false});
    EXPECT_TRUE(fit.within_tolerance);
    EXPECT_GE(fit.share(), 0.4 * tolerance) << tolerance;  // two tracks have few keys to trade
  }
}

TEST(KeyFitting, GivesKeysToTheControlThatMovesTheSurfaceMore) {
  Animation clip{.name = "same", .duration = 2};
  for (const char* control : {"slide", "swing"})
    clip.tracks.push_back({control, baked([](double t) { return 0.4 * std::sin(kTurn * t * t); }, 2, 60)});
  const KeyFitting fit = fit_keys(two_controls(), clip, {.tolerance = 0.01});
  EXPECT_LT(fit.animation.tracks[0].curve.times.size(), fit.animation.tracks[1].curve.times.size());
}

TEST(KeyFitting, NeedsNoMoreKeysForALargerTolerance) {
  int before = 100000;
  for (const double tolerance : {0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032}) {
    const KeyFitting fit = fit_keys(two_controls(), slide_and_swing(), {.tolerance = tolerance});
    EXPECT_LE(fit.keys_after, before) << tolerance;
    before = fit.keys_after;
  }
}

TEST(KeyFitting, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto fitted = [&](int threads) {
    const ThreadCountScope scope(threads);
    return fit_keys(two_controls(), slide_and_swing(), {.tolerance = 0.003}).animation;
  };
  const Animation one = fitted(1), two = fitted(2);
  for (std::size_t k = 0; k < one.tracks.size(); ++k) {
    EXPECT_EQ(one.tracks[k].curve.times, two.tracks[k].curve.times);
    EXPECT_EQ(one.tracks[k].curve.out_tangents, two.tracks[k].curve.out_tangents);
  }
}

TEST(KeyFitting, KeepsTheDurationOfAClipInWhichNothingMoves) {
  Animation clip{.name = "still", .duration = 2};
  clip.tracks.push_back({"slide", baked([](double) { return 0.5; }, 2, 48)});
  const KeyFitting fit = fit_keys(two_controls(), clip);
  EXPECT_EQ(fit.keys_after, 2);
  EXPECT_EQ(last_key_time(fit.animation), 2);
  EXPECT_EQ(fit.error.distance, 0);
}

TEST(KeyFitting, CanBeCancelled) {
  EXPECT_THROW(fit_keys(two_controls(), slide_and_swing(), {.progress = [](const Progress&) { return false; }}),
               Cancelled);
}

TEST(SourceFrames, AreTheKeysOfTheDensestTrackWithGapsFilled) {
  Animation clip{.duration = 1};
  clip.tracks.push_back({"a", {.times = {0.05, 0.1, 0.15, 0.3, 0.35}, .values = {0, 0, 0, 0, 0}}});
  clip.tracks.push_back({"b", {.times = {0, 1}, .values = {0, 0}}});
  const std::vector<double> frames = source_frames(clip);
  ASSERT_EQ(frames.size(), 21u);
  for (int k = 0; k <= 20; ++k) EXPECT_NEAR(frames[k], 0.05 * k, 1e-12);
  clip.tracks.erase(clip.tracks.begin());
  EXPECT_EQ(source_frames(clip).size(), 31u);
}

}  // namespace
}  // namespace rigspace
