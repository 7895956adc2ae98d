#include "rigspace/apps/physics/simulation.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

namespace rigspace::simulation_test {
namespace {

using testing::make_rod;
using testing::root_clip;

std::vector<Part> one_part(const Character& character, double rate, double settle, double lag = 0) {
  std::vector<Part> parts = parts_from_pattern(character, "tail*=tail");
  parts[0].settings.rate = rate;
  parts[0].settings.settle = settle;
  parts[0].settings.lag = lag;
  return parts;
}

TEST(Chains, GiveAStillPoseBackExactly) {
  const Character rod = make_rod(3);
  const Animation still = root_clip("root.tx", {0, 1}, {0.3, 0.3}, Interpolation::linear);
  const SoftMotion motion = simulate_parts(rod, &still, find_parts(rod));
  EXPECT_EQ(motion.deviation.cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(motion.failed_steps, 0);
}

TEST(Chains, DoNotTrailASteadyWalk) {
  const Character rod = make_rod(3);
  const Animation steady = root_clip("root.tx", {0, 2}, {0, 3}, Interpolation::linear);
  const SoftMotion motion = simulate_parts(rod, &steady, one_part(rod, 1.5, 1, 0.08));
  EXPECT_LT(motion.deviation.cwiseAbs().maxCoeff(), 1e-7);
}

// One joint: a pendulum on a spring. After a jolt it swings at sqrt(omega^2 - (3/settle)^2) and has 5 % left after
// `settle`.
TEST(Chains, SwingAtTheirRateAndSettleInTime) {
  const Character rod = make_rod(1);
  const double rate = 2, settle = 1.5;
  const Animation jolt = root_clip("root.tx", {0, 0.05, 0.1, 4}, {0, 0.01, 0.02, 0.02}, Interpolation::natural);
  Animation clip = jolt;
  clip.tracks[0].curve.interpolation = Interpolation::linear;
  const SoftMotion motion =
      simulate_parts(rod, &clip, one_part(rod, rate, settle), {.step = 1.0 / 480, .end_at_rest = false});
  const int column = 2;  // rz: x displacement of something that hangs down
  const Vec r = motion.deviation.row(column).transpose();
  ASSERT_GT(r.cwiseAbs().maxCoeff(), 1e-3);
  std::vector<double> crossings, peaks;
  for (Eigen::Index k = 1; k < r.size(); ++k) {
    if (motion.times[k] < 0.2) continue;
    if (r[k - 1] < 0 && r[k] >= 0)
      crossings.push_back(motion.times[k - 1] + (motion.times[k] - motion.times[k - 1]) * r[k - 1] / (r[k - 1] - r[k]));
    if (k + 1 < r.size() && r[k] > r[k - 1] && r[k] >= r[k + 1] && r[k] > 0) peaks.push_back(r[k]);
  }
  ASSERT_GT(crossings.size(), 3u);
  ASSERT_GT(peaks.size(), 3u);
  const double damped =
      std::sqrt(std::pow(2 * std::numbers::pi * rate, 2) - std::pow(3 / settle, 2)) / (2 * std::numbers::pi);
  const double seen = static_cast<double>(crossings.size() - 1) / (crossings.back() - crossings.front());
  EXPECT_NEAR(seen, damped, 0.01 * damped);
  const double decay = -std::log(peaks[2] / peaks[0]) * damped / 2;  // per second
  EXPECT_NEAR(decay, 3 / settle, 0.05 * 3 / settle);
}

TEST(Chains, HardlyChangeWhenTheStepIsHalved) {
  const Character rod = make_rod(4);
  const Animation sway =
      root_clip("root.tx", {0, 0.4, 0.8, 1.2, 1.6}, {0, 0.2, -0.1, 0.15, 0.05}, Interpolation::natural);
  const auto parts = one_part(rod, 1.5, 1);
  const SoftMotion coarse = simulate_parts(rod, &sway, parts, {.step = 1.0 / 120});
  const SoftMotion fine = simulate_parts(rod, &sway, parts, {.step = 1.0 / 240});
  ASSERT_EQ(fine.deviation.cols(), 2 * coarse.deviation.cols() - 1);
  double worst = 0;
  for (Eigen::Index k = 0; k < coarse.deviation.cols(); ++k)
    worst = std::max(worst, (coarse.deviation.col(k) - fine.deviation.col(2 * k)).cwiseAbs().maxCoeff());
  EXPECT_LT(worst, 0.02 * fine.deviation.cwiseAbs().maxCoeff());
}

TEST(Chains, LoopWithoutASeam) {
  const Character rod = make_rod(3);
  Animation sway = root_clip("root.tx", {0, 0.25, 0.5, 0.75, 1}, {0, 0.1, 0, -0.1, 0}, Interpolation::catmull_rom);
  sway.tracks[0].curve.before = sway.tracks[0].curve.after = Extrapolation::cycle;
  const SoftMotion motion = simulate_parts(rod, &sway, one_part(rod, 1.7, 0.8));
  EXPECT_TRUE(motion.looped);
  EXPECT_LT(motion.seam, 1e-3);
  const Animation soft = soft_clip(rod, &sway, motion, 24);
  ASSERT_EQ(soft.rotations.size(), 3u);
  for (const RotationTrack& track : soft.rotations) {
    EXPECT_EQ(std::memcmp(track.values.front().data(), track.values.back().data(), sizeof(Vec4)), 0);
    EXPECT_EQ(track.times.back(), sway.duration);
  }
}

TEST(Chains, AreTheSameAtEveryFrameRate) {
  const Character rod = make_rod(3);
  const Animation sway = root_clip("root.tx", {0, 0.5, 1}, {0, 0.2, 0}, Interpolation::natural);
  const SoftMotion motion = simulate_parts(rod, &sway, one_part(rod, 1.5, 1));
  const Animation slow = soft_clip(rod, &sway, motion, 24), fast = soft_clip(rod, &sway, motion, 120);
  for (std::size_t track = 0; track < 3; ++track)
    for (std::size_t k = 0; k < slow.rotations[track].times.size(); ++k)
      EXPECT_LT((slow.rotations[track].values[k] - fast.rotations[track](slow.rotations[track].times[k])).norm(), 1e-9);
}

TEST(Chains, LeaveTheArtistsTracksAlone) {
  const Character rod = make_rod(3);
  const Animation sway = root_clip("root.tx", {0, 0.5, 1}, {0, 0.2, 0.1}, Interpolation::linear);
  const Animation soft = soft_clip(rod, &sway, simulate_parts(rod, &sway, one_part(rod, 1.5, 1)), 24);
  ASSERT_EQ(soft.tracks.size(), 1u);
  EXPECT_EQ(soft.tracks[0].curve.values, sway.tracks[0].curve.values);
  EXPECT_EQ(soft.name, "move_soft");
}

TEST(Chains, GiveTheSameBitsOnAnyNumberOfThreads) {
  const Character rod = make_rod(3);
  const Animation sway = root_clip("root.tx", {0, 0.2, 0.4}, {0, 0.2, 0}, Interpolation::natural);
  const auto run = [&](int threads) {
    const ThreadCountScope scope(threads);
    return simulate_parts(rod, &sway, one_part(rod, 1.5, 1)).deviation;
  };
  const Mat one = run(1), eight = run(8);
  EXPECT_EQ(std::memcmp(one.data(), eight.data(), sizeof(double) * static_cast<std::size_t>(one.size())), 0);
}

TEST(Chains, StopWhenAskedTo) {
  const Character rod = make_rod(3);
  const Animation sway = root_clip("root.tx", {0, 1}, {0, 0.2}, Interpolation::linear);
  EXPECT_THROW(simulate_parts(rod, &sway, one_part(rod, 1.5, 1), {}, [](const Progress&) { return false; }), Cancelled);
}

// Stopped halfway: the finished moments are there, then the artist's motion, without a jump between.
TEST(Chains, GiveTheirFinishedMomentsWhenStopped) {
  const Character rod = make_rod(3);
  const Animation sway = root_clip("root.tx", {0, 0.5, 1, 1.5, 2}, {0, 0.2, -0.1, 0.2, 0}, Interpolation::natural);
  const auto parts = one_part(rod, 1.5, 1);
  SimulationOptions options{.looping = Looping::never};
  const SoftMotion whole = simulate_parts(rod, &sway, parts, options);
  EXPECT_FALSE(whole.stopped);
  EXPECT_EQ(whole.parts[0].finished, 1);

  SoftMotion half;
  options.checkpoints.stopped = [&](const SoftMotion& motion) { half = motion; };
  const auto until = [](double fraction) { return [=](const Progress& p) { return p.fraction < fraction; }; };
  EXPECT_THROW(simulate_parts(rod, &sway, parts, options, until(0.7)), Cancelled);
  EXPECT_TRUE(half.stopped);
  EXPECT_GT(half.parts[0].finished, 0.3);
  EXPECT_LT(half.parts[0].finished, 0.7);
  ASSERT_EQ(half.times, whole.times);
  ASSERT_EQ(half.controls, whole.controls);
  const double largest = whole.deviation.cwiseAbs().maxCoeff();
  double fastest = 0;
  for (Eigen::Index k = 1; k < whole.deviation.cols(); ++k)
    fastest = std::max(fastest, (whole.deviation.col(k) - whole.deviation.col(k - 1)).cwiseAbs().maxCoeff());
  const auto last = static_cast<Eigen::Index>(std::lround(half.parts[0].finished * (whole.times.size() - 1)));
  for (Eigen::Index k = 0; k < whole.deviation.cols(); ++k) {
    if (k <= last) {
      EXPECT_EQ(half.deviation.col(k), whole.deviation.col(k)) << k;
    } else if (whole.times[k] > whole.times[last] + 0.21) {
      EXPECT_EQ(half.deviation.col(k).cwiseAbs().maxCoeff(), 0) << k;
    }
    // A smooth step over 0.2 s, 24 steps, falls by at most 1.5 / 24 of its height in one.
    const double quick = k == 0 ? 0 : (half.deviation.col(k) - half.deviation.col(k - 1)).cwiseAbs().maxCoeff();
    EXPECT_LT(quick, 2 * fastest + 0.1 * largest) << k;
  }
  half = {};  // while its rate is still looked for nothing is finished
  const auto unknown = parts_from_pattern(rod, "tail*=tail");
  EXPECT_THROW(simulate_parts(rod, &sway, unknown, options, until(0.05)), Cancelled);
  EXPECT_TRUE(half.times.empty());
}

}  // namespace
}  // namespace rigspace::simulation_test
