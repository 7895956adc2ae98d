#include "rigspace/anim/layers.h"

#include "rigspace/anim/bake.h"
#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

Vec4 about(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis.normalized())).coeffs(); }

enum { tx, qx, qy, qz, qw, rx, ry, rz, sx, weight, control_count };

std::vector<Control> arm_controls() {
  return {{"arm.tx", "arm", Unit::length, 0.3},   {"arm.qx", "arm", Unit::quaternion, 0},
          {"arm.qy", "arm", Unit::quaternion, 0}, {"arm.qz", "arm", Unit::quaternion, 0},
          {"arm.qw", "arm", Unit::quaternion, 1}, {"arm.rx", "arm", Unit::angle, 0},
          {"arm.ry", "arm", Unit::angle, 0},      {"arm.rz", "arm", Unit::angle, 0},
          {"arm.sx", "arm", Unit::scale, 1},      {"face:smile", "face", Unit::scalar, 0}};
}

Vec rest(std::span<const Control> controls) {
  Vec p(controls.size());
  for (std::size_t i = 0; i < controls.size(); ++i) p[i] = controls[i].rest;
  return p;
}

Animation base() {
  Animation clip{.name = "walk", .duration = 2};
  clip.tracks.push_back(
      {"arm.tx", {.interpolation = Interpolation::natural, .times = {0, 1, 2}, .values = {0.3, 0.7, 0.1}}});
  clip.tracks.push_back({"arm.rx", {.times = {0, 2}, .values = {0.1, 0.5}}});
  clip.rotations.push_back({.node = "arm", .times = {0, 2}, .values = {about({1, 2, 3}, 0.3), about({0, 1, 1}, 1.4)}});
  return clip;
}

Animation constant(double value) {
  Animation clip{.name = "fix", .duration = 1};
  for (const char* control : {"arm.tx", "arm.rx", "arm.sx", "face:smile"}) {
    clip.tracks.push_back({control, {.times = {0}, .values = {value}}});
  }
  clip.rotations.push_back({.node = "arm", .times = {0}, .values = {about({0, 0, 1}, 1.0)}});
  return clip;
}

Vec sampled(const LayerStack& stack, double time) {
  Vec p = rest(arm_controls());
  stack.sample(time, p);
  return p;
}

TEST(LayerStack, GivesTheBaseBackToTheBitWhenMutedOrWithoutInfluence) {
  const auto controls = arm_controls();
  const Sampler alone(base(), controls);
  for (const Blend blend : {Blend::absolute, Blend::additive}) {
    const Layer layer{.name = "fix", .blend = blend, .animation = constant(0.25)};
    LayerStack muted(base(), std::span(&layer, 1), controls), silent(base(), std::span(&layer, 1), controls);
    Vec used = rest(controls);
    muted.sample(0.5, used);  // what an earlier, unmuted frame left behind must not stay
    muted.set_mute(0, true);
    silent.set_influence(0, 0);
    for (double t = -0.5; t < 2.5; t += 0.07) {
      Vec expected = rest(controls);
      alone.sample(t, expected);
      muted.sample(t, used);
      EXPECT_EQ(used, expected) << t;
      EXPECT_EQ(sampled(silent, t), expected) << t;
    }
  }
}

TEST(LayerStack, AbsoluteLayersReplaceByInfluence) {
  const auto controls = arm_controls();
  const Layer layer{.blend = Blend::absolute, .animation = constant(0.25)};
  LayerStack stack(base(), std::span(&layer, 1), controls);
  const Vec full = sampled(stack, 0.8);
  EXPECT_EQ(full[tx], 0.25);
  EXPECT_EQ(full[sx], 0.25);
  EXPECT_EQ(full[weight], 0.25);
  EXPECT_LT((full.segment<4>(qx) - about({0, 0, 1}, 1.0)).norm(), 1e-15);
  stack.set_influence(0, 0.5);
  const Vec half = sampled(stack, 0);
  EXPECT_NEAR(half[tx], 0.5 * (0.3 + 0.25), 1e-15);
  EXPECT_NEAR(half[sx], 0.5 * (1 + 0.25), 1e-15);  // from rest, where the base is silent
  EXPECT_LT((half.segment<4>(qx) - slerp(about({1, 2, 3}, 0.3), about({0, 0, 1}, 1.0), 0.5)).norm(), 1e-15);
}

TEST(LayerStack, AdditiveLayersAddDifferencesByInfluence) {
  const auto controls = arm_controls();
  const Layer layer{.influence = 0.5, .animation = constant(0.2)};
  const Vec p = sampled(LayerStack(base(), std::span(&layer, 1), controls), 0);
  EXPECT_NEAR(p[tx], 0.3 + 0.1, 1e-15);
  EXPECT_NEAR(p[rx], 0.1 + 0.1, 1e-15);
  EXPECT_NEAR(p[sx], 1 + 0.1, 1e-15);
  EXPECT_NEAR(p[weight], 0.1, 1e-15);
  // R = R_key exp(r), and the layer scales r: half a turn about the node's own z axis.
  const Quat expected = Quat(about({1, 2, 3}, 0.3)) * Quat(about({0, 0, 1}, 0.5));
  EXPECT_LT((p.segment<4>(qx) - expected.coeffs()).norm(), 1e-15);
}

TEST(LayerStack, DoesNotAccumulateOverRepeatedSamples) {
  const Layer layer{.animation = constant(0.2)};
  const LayerStack stack(base(), std::span(&layer, 1), arm_controls());
  Vec p = rest(arm_controls());
  stack.sample(1, p);
  const Vec once = p;
  for (int i = 0; i < 5; ++i) stack.sample(1, p);
  EXPECT_EQ(p, once);
}

TEST(LayerStack, InfluenceFollowsItsCurveAndIsCut) {
  const Layer layer{
      .influence = 0.5, .influence_over_time = {.times = {0, 1, 2}, .values = {0, 1, 9}}, .animation = constant(1)};
  const LayerStack stack(base(), std::span(&layer, 1), arm_controls());
  EXPECT_EQ(stack.influence_at(0, 0), 0);
  EXPECT_EQ(stack.influence_at(0, 1), 0.5);
  EXPECT_EQ(stack.influence_at(0, 2), 1);
  EXPECT_NEAR(sampled(stack, 0.5)[weight], 0.25, 1e-15);
}

TEST(LayerStack, AppliesLayersFromBottomToTop) {
  const Layer layers[] = {{.blend = Blend::additive, .animation = constant(0.2)},
                          {.blend = Blend::absolute, .influence = 0.5, .animation = constant(1)}};
  const LayerStack stack(base(), layers, arm_controls());
  EXPECT_NEAR(sampled(stack, 0)[tx], 0.5 * (0.3 + 0.2) + 0.5, 1e-15);
}

TEST(LayerStack, RejectsInfluenceOutsideZeroToOne) {
  const Layer layer{.name = "soft", .influence = 1.5};
  EXPECT_THROW(LayerStack(base(), std::span(&layer, 1), arm_controls()), Error);
}

TEST(Bake, GivesTheStackBackAtItsTimes) {
  const auto controls = arm_controls();
  const Layer layer{.influence = 0.3, .animation = constant(0.2)};
  const LayerStack stack(base(), std::span(&layer, 1), controls);
  const std::vector<double> times = frame_times(2, 24);
  const Animation baked = bake(stack, times);
  EXPECT_EQ(baked.duration, 2);
  EXPECT_EQ(baked.tracks.size(), 4u);
  EXPECT_EQ(baked.rotations.size(), 1u);
  const Sampler sampler(baked, controls);
  for (const double t : times) {
    Vec p = rest(controls);
    sampler.sample(t, p);
    EXPECT_LT((p - sampled(stack, t)).norm(), 1e-14) << t;
  }
}

TEST(Resample, KeepsDurationStepsAndRotations) {
  Animation clip = base();
  clip.tracks[1].curve.interpolation = Interpolation::step;
  clip.rotations[0].values[1] *= -1;  // the long way round in components
  const Animation resampled = resample(clip, 30);
  EXPECT_EQ(resampled.tracks[0].curve.times.size(), 61u);
  EXPECT_EQ(resampled.tracks[0].curve.times.back(), 2);
  EXPECT_EQ(resampled.tracks[1].curve.times.size(), 2u);
  for (const double t : resampled.tracks[0].curve.times) {
    EXPECT_NEAR(resampled.tracks[0].curve(t), clip.tracks[0].curve(t), 1e-15);
  }
  const auto& q = resampled.rotations[0].values;
  for (std::size_t i = 1; i < q.size(); ++i) EXPECT_GT(q[i].dot(q[i - 1]), 0.99);
  EXPECT_THROW(resample(clip, 0), Error);
}

TEST(FrameTimes, EndExactlyAtTheDuration) {
  EXPECT_EQ(frame_times(1, 2), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(frame_times(1.1, 2), (std::vector<double>{0, 0.5, 1, 1.1}));
  EXPECT_EQ(frame_times(0, 24), (std::vector<double>{0}));
  EXPECT_EQ(frame_times(1.0 / 3, 24).size(), 9u);  // 8 frames: no sliver from rounding
}

}  // namespace
}  // namespace rigspace
