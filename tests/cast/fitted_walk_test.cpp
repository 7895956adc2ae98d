// Key fitting on real motion: Bobbin's walk, and characters of others.
#include "rigspace/anim/bake.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/loop.h"
#include "rigspace/base/parallel.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace rigspace {
namespace {

/// The clip played over and over, sampled: `frames` keys a track after the first.
Animation played(const Character& character, const Animation& clip, double rate, int frames) {
  Sampler sampler(clip, character.rig->controls());
  Vec p = character.rig->rest();
  std::vector<double> times;
  Mat P(p.size(), frames + 1);
  for (int k = 0; k <= frames; ++k) {
    times.push_back(k / rate);
    sampler.sample(std::fmod(times.back(), clip.duration), p);
    P.col(k) = p;
  }
  Animation result = keys_from_poses(character.rig->controls(), sampler.animated(), times, P);
  result.name = clip.name;
  return result;
}

/// Keys of the tracks that move, in the source and in the fit: those that stand still flatter any count.
std::pair<int, int> moving_keys(const Animation& source, const Animation& fit) {
  std::pair<int, int> keys(0, 0);
  const auto count = [&](std::size_t before, std::size_t after) {
    if (after > 1) keys.first += static_cast<int>(before), keys.second += static_cast<int>(after);
  };
  for (std::size_t k = 0; k < fit.tracks.size(); ++k)
    count(source.tracks[k].curve.times.size(), fit.tracks[k].curve.times.size());
  for (std::size_t k = 0; k < fit.rotations.size(); ++k)
    count(source.rotations[k].times.size(), fit.rotations[k].times.size());
  return keys;
}

void expect_few_keys(const Character& character, const Animation& clip, double share_of_keys, const char* what) {
  const KeyFitting fit = fit_keys(character, clip);
  ::testing::Test::RecordProperty(std::string(what) + "_keys_before", fit.keys_before);
  ::testing::Test::RecordProperty(std::string(what) + "_keys_after", fit.keys_after);
  ::testing::Test::RecordProperty(std::string(what) + "_error_percent", std::to_string(100 * fit.share()));
  EXPECT_TRUE(fit.within_tolerance) << what;
  EXPECT_LT(fit.share(), 1e-3) << what;
  const auto [before, after] = moving_keys(clip, fit.animation);
  ::testing::Test::RecordProperty(std::string(what) + "_moving_keys_before", before);
  ::testing::Test::RecordProperty(std::string(what) + "_moving_keys_after", after);
  EXPECT_LE(fit.keys_after, share_of_keys * fit.keys_before) << what;
  EXPECT_LE(after, share_of_keys * before) << what;
  // Measured once more from outside, at the frames and over all points.
  const std::vector<double> frames = source_frames(clip);
  EXPECT_LE(surface_error(*character.rig, clip, fit.animation, frames).distance, fit.error.distance * (1 + 1e-9));
}

TEST(FittedWalk, OfBobbinHasAQuarterOfTheKeysAtATenthOfAPercentOfTheHeight) {
  const Character bobbin = make_character("bobbin");
  const Animation* walk = bobbin.clip("Walk");
  ASSERT_NE(walk, nullptr);
  // 240 frames both ways: one turn at 240 a second, and ten turns at 24, which is the harder one.
  expect_few_keys(bobbin, resample(*walk, 240 / walk->duration), 0.25, "one_turn");
  expect_few_keys(bobbin, played(bobbin, *walk, 24, 240), 0.25, "ten_turns");
}

TEST(FittedWalk, OfBobbinNeedsLittleMoreKeysInAHurry) {
  const Character bobbin = make_character("bobbin");
  const Animation& walk = *bobbin.clip("Walk");
  const KeyFitting quick = fit_keys(bobbin, walk, {.refine = false}), refined = fit_keys(bobbin, walk);
  EXPECT_TRUE(quick.within_tolerance);
  EXPECT_GE(quick.share(), 0.8e-3);  // what is allowed is used
  EXPECT_LE(refined.keys_after, quick.keys_after);
  EXPECT_LE(quick.keys_after, 1.2 * refined.keys_after);  // seen: 174 against 172
}

TEST(FittedWalk, OfBobbinHasTheSameBitsForAnyNumberOfThreads) {
  const Character bobbin = make_character("bobbin");
  const auto fitted = [&](int threads) {
    const ThreadCountScope scope(threads);
    return fit_keys(bobbin, *bobbin.clip("Walk"));
  };
  const KeyFitting one = fitted(1), two = fitted(2);
  EXPECT_EQ(one.error.distance, two.error.distance);
  EXPECT_EQ(one.error.point, two.error.point);
  for (std::size_t k = 0; k < one.animation.rotations.size(); ++k) {
    EXPECT_EQ(one.animation.rotations[k].times, two.animation.rotations[k].times);
    EXPECT_EQ(one.animation.rotations[k].in_tangents, two.animation.rotations[k].in_tangents);
  }
}

TEST(FittedWalk, OfBobbinStillLoops) {
  const Character bobbin = make_character("bobbin");
  const KeyFitting fit = fit_keys(bobbin, *bobbin.clip("Walk"));
  ASSERT_TRUE(fit.loop);
  EXPECT_TRUE(find_seam(*bobbin.rig, fit.animation).loops);
  int smooth = 0, all = 0;
  for (const RotationTrack& track : fit.animation.rotations) {
    if (track.interpolation != Interpolation::hermite) continue;
    EXPECT_EQ(track.values.front(), track.values.back()) << track.node;
    smooth += track.out_tangents.front() == track.in_tangents.back(), ++all;
  }
  EXPECT_GE(smooth, 0.8 * all);  // the rest have a corner at the seam
}

TEST(FittedWalk, OfTheFoxAndOfCesiumManIsWithinTheTolerance) {
  RIGSPACE_ASSET_OR_SKIP(fox_file, "khr_Fox/Fox.glb");
  RIGSPACE_ASSET_OR_SKIP(man_file, "khr_CesiumMan/CesiumMan.glb");
  const Character fox = load_gltf(fox_file), man = load_gltf(man_file);
  // The fox runs a stride in some ten frames, each far from the last: little to gain.
  expect_few_keys(fox, *fox.clip("Run"), 0.75, "fox_run");
  expect_few_keys(man, man.clips.at(0), 0.25, "cesium_man");
}

}  // namespace
}  // namespace rigspace
