#include "rigspace/anim/loop.h"

#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/merge.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/black_box.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kLoopTurn = 2 * std::numbers::pi;

/// A body of height 2 that stands at `body.tx`, with an arm of length 1 turned by the orientation of `arm`.
BlackBoxRig puppet() {
  std::vector<Control> controls = {{"body.tx", "body", Unit::length, 0},   {"body.ty", "body", Unit::length, 0},
                                   {"arm.qx", "arm", Unit::quaternion, 0}, {"arm.qy", "arm", Unit::quaternion, 0},
                                   {"arm.qz", "arm", Unit::quaternion, 0}, {"arm.qw", "arm", Unit::quaternion, 1},
                                   {"face:smile", "face", Unit::scalar, 0}};
  return BlackBoxRig({.controls = controls,
                      .point_count = 4,
                      .evaluate =
                          [](In p, Vec& s) {
                            const Vec3 place(p[0], p[1], 0);
                            const Quat turn = Quat(p[5], p[2], p[3], p[4]).normalized();
                            s << place, place + Vec3(0, 2, 0), place + Vec3(0, 1, 0) + turn * Vec3::UnitX(),
                                place + Vec3(0, 2 + 0.1 * p[6], 0.2);
                          },
                      .concurrent = true,
                      .noise = 0});
}

/// Walks at `speed` and swings the arm twice a second, with a drift of everything that no loop should have.
Animation walk(double duration, double speed, double drift) {
  Animation clip{.name = "Walk", .duration = duration};
  Track x{"body.tx", {}}, y{"body.ty", {}};
  RotationTrack arm{.node = "arm"};
  for (int k = 0; k <= std::lround(30 * duration); ++k) {
    const double t = k / 30.0;
    x.curve.times.push_back(t), x.curve.values.push_back(speed * t + 0.05 * std::sin(2 * kLoopTurn * t));
    y.curve.times.push_back(t), y.curve.values.push_back(0.1 * std::cos(2 * kLoopTurn * t) + drift * t);
    arm.times.push_back(t);
    arm.values.push_back(
        Quat(Eigen::AngleAxisd(0.6 * std::sin(2 * kLoopTurn * t) + drift * t * t, Vec3::UnitZ())).coeffs());
  }
  clip.tracks = {x, y};
  clip.rotations = {arm};
  return clip;
}

TEST(Seam, IsFoundWhereEverythingComesBackButOneTraveller) {
  const BlackBoxRig rig = puppet();
  EXPECT_TRUE(find_seam(rig, walk(1, 0, 0)).loops);
  EXPECT_EQ(find_seam(rig, walk(1, 0, 0)).traveller, "");
  const Seam travelling = find_seam(rig, walk(1, 1.4, 0));
  EXPECT_TRUE(travelling.loops);
  EXPECT_EQ(travelling.traveller, "body");
  EXPECT_NEAR(travelling.travel.x(), 1.4, 1e-9);
  EXPECT_FALSE(find_seam(rig, walk(1.1, 0, 0)).loops);
}

TEST(MakeLoop, FindsThePeriodOfAWalkThatTravels) {
  const LoopedClip loop = make_loop(puppet(), walk(3.37, 1.2, 0));
  const double period = loop.end - loop.start;
  EXPECT_NEAR(period / 0.5, std::round(period / 0.5), 0.02);  // a whole number of steps
  EXPECT_LE(loop.gap_before, 1e-6);
  EXPECT_EQ(loop.gap_after, 0);
  EXPECT_TRUE(loop.seam.loops);
  EXPECT_EQ(loop.seam.traveller, "body");
  EXPECT_NEAR(loop.seam.travel.x(), 1.2 * period, 1e-6);
}

TEST(MakeLoop, ClosesAClipThatDrifts) {
  const LoopedClip loop = make_loop(puppet(), walk(2, 0, 0.05), {.whole = true});
  EXPECT_EQ(loop.start, 0);
  EXPECT_EQ(loop.end, 2);
  EXPECT_GT(loop.gap_before, 0.05);
  EXPECT_EQ(loop.gap_after, 0);
  EXPECT_LT(loop.jump_after, loop.jump_before + 0.2);  // not paid for by a jerk
  EXPECT_TRUE(loop.seam.loops);
  for (const Track& track : loop.animation.tracks)
    EXPECT_EQ(track.curve.values.front(), track.curve.values.back()) << track.control;
  EXPECT_EQ(loop.animation.rotations[0].values.front(), loop.animation.rotations[0].values.back());
  // What is not near the end is left alone.
  const Animation source = walk(2, 0, 0.05);
  for (int k = 0; k < 50; ++k)
    EXPECT_NEAR(loop.animation.tracks[1].curve.values[k], source.tracks[1].curve.values[k], 1e-12);
}

TEST(MakeLoop, MeetsTheStartInSlope) {
  // A rise that starts level and ends steep, alone: beside a fast swing the measure of velocities is too coarse.
  for (const double rise : {0.01, 0.05}) {  // bent back, and left to travel
    Animation clip = walk(2, 0, 0);
    clip.rotations.clear();
    clip.tracks.erase(clip.tracks.begin());
    Curve& y = clip.tracks[0].curve;
    for (std::size_t k = 0; k < y.times.size(); ++k) y.values[k] = rise * std::pow(y.times[k], 3);
    const LoopedClip loop = make_loop(puppet(), clip, {.whole = true, .blend = 0.5});
    EXPECT_NEAR(loop.jump_before, 12 * rise, 0.01 * 12 * rise);
    EXPECT_LT(loop.jump_after, 0.03 * loop.jump_before);
    EXPECT_EQ(loop.gap_after, 0);
  }
}

TEST(MakeLoop, RefusesWhatIsTooShort) {
  EXPECT_THROW(make_loop(puppet(), walk(0.3, 0, 0)), Error);
  EXPECT_THROW(make_loop(puppet(), walk(2, 0, 0), {.min_period = 0}), Error);
}

TEST(KeyFitting, FitsOrientationsAsComponentsThatPlayWithinTheTolerance) {
  const BlackBoxRig rig = puppet();
  const Animation clip = walk(2, 1.2, 0);
  const KeyFitting fit = fit_keys(rig, clip, {.tolerance = 0.005});
  ASSERT_EQ(fit.animation.rotations.size(), 1u);
  const RotationTrack& arm = fit.animation.rotations[0];
  EXPECT_EQ(arm.interpolation, Interpolation::hermite);
  EXPECT_LE(arm.times.size(), 61u / 2);
  EXPECT_TRUE(fit.within_tolerance);
  EXPECT_TRUE(fit.loop);
  EXPECT_EQ(arm.out_tangents.front(), arm.in_tangents.back());
  EXPECT_EQ(arm.values.front(), arm.values.back());
}

TEST(KeyFitting, IsWithinTheToleranceForOrientationsThatTurnFarBetweenFrames) {
  // 50 degrees a frame: components between two keys are far from unit length, and players normalise them.
  const BlackBoxRig rig = puppet();
  Animation clip{.name = "spin", .duration = 1};
  RotationTrack arm{.node = "arm"};
  for (int k = 0; k <= 24; ++k) {
    arm.times.push_back(k / 24.0);
    arm.values.push_back(
        Quat(Eigen::AngleAxisd(0.87 * k + 0.3 * std::sin(0.9 * k), Vec3(0.2, 0.3, 1).normalized())).coeffs());
  }
  clip.rotations = {arm};
  const KeyFitting fit = fit_keys(rig, clip);
  EXPECT_TRUE(fit.within_tolerance) << 100 * fit.share() << " %";
  EXPECT_LE(fit.keys_after, fit.keys_before);
  EXPECT_LE(surface_error(rig, clip, fit.animation, source_frames(clip)).distance, 1e-3 * fit.height);
}

TEST(KeyFitting, GivesTheAxesOfANodeCommonTimesOnRequest) {
  const KeyFitting fit = fit_keys(puppet(), walk(2, 1.2, 0), {.tolerance = 0.005, .share_times = true});
  EXPECT_EQ(fit.animation.tracks[0].curve.times, fit.animation.tracks[1].curve.times);
  EXPECT_TRUE(fit.within_tolerance);
}

TEST(Merge, AddsWhatALayerDiffersFromRest) {
  const BlackBoxRig rig = puppet();
  const Animation base = walk(1, 1, 0);
  Animation add{.name = "add", .duration = 1};
  add.tracks.push_back({"body.ty", {.times = {0, 1}, .values = {0.5, 0.5}}});
  const Vec4 turned = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ())).coeffs();
  add.rotations.push_back({.node = "arm", .times = {0}, .values = {turned}});
  const Layer layer{.name = "add", .animation = relative_to_rest(add, rig.controls())};
  const Animation merged = merge_layers(base, std::span(&layer, 1), rig.controls(), 30);
  ASSERT_EQ(merged.tracks.size(), 2u);
  EXPECT_EQ(merged.tracks[0].curve.values, base.tracks[0].curve.values);  // no layer moves it: its own keys
  for (const double t : {0.0, 0.4, 1.0}) {
    EXPECT_NEAR(merged.tracks[1].curve(t), base.tracks[1].curve(t) + 0.5, 1e-12);
    const Quat expected = Quat(base.rotations[0](t)) * Quat(turned);
    EXPECT_NEAR(std::abs(merged.rotations[0](t).dot(expected.coeffs())), 1, 1e-12);
  }
}

TEST(Merge, TakesTheRestOrientationOutOfALayer) {
  std::vector<Control> controls = {{"arm.qx", "arm", Unit::quaternion, std::sin(0.2)},
                                   {"arm.qy", "arm", Unit::quaternion, 0},
                                   {"arm.qz", "arm", Unit::quaternion, 0},
                                   {"arm.qw", "arm", Unit::quaternion, std::cos(0.2)},
                                   {"arm.sx", "arm", Unit::scale, 1}};
  Animation clip{.name = "rest", .duration = 0};
  clip.rotations.push_back({.node = "arm", .times = {0}, .values = {Vec4(std::sin(0.2), 0, 0, std::cos(0.2))}});
  clip.tracks.push_back({"arm.sx", {.times = {0}, .values = {1.25}}});
  const Animation relative = relative_to_rest(clip, controls);
  EXPECT_NEAR((relative.rotations[0](0) - Vec4(0, 0, 0, 1)).norm(), 0, 1e-15);
  EXPECT_EQ(relative.tracks[0].curve(0), 0.25);
}

}  // namespace
}  // namespace rigspace
