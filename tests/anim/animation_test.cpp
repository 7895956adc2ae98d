#include "rigspace/anim/animation.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kPi = std::numbers::pi;

Vec4 about(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis.normalized())).coeffs(); }
double angle_between(const Vec4& a, const Vec4& b) { return Quat(a).angularDistance(Quat(b)); }

TEST(Slerp, TurnsAtConstantSpeed) {
  const Vec4 a = about({1, 2, 3}, 0.4), b = about({-1, 1, 0.5}, 2.1);
  const double whole = angle_between(a, b);
  ASSERT_GT(whole, 0.5);
  for (double u = 0; u <= 1; u += 0.05) {
    EXPECT_NEAR(angle_between(a, slerp(a, b, u)), u * whole, 1e-7) << u;  // angularDistance keeps half the digits
    EXPECT_NEAR(slerp(a, b, u).norm(), 1, 1e-15);
  }
}

TEST(Slerp, TakesTheShorterArcWhateverTheSigns) {
  const Vec4 a = about({0, 0, 1}, 0.1), b = about({0, 0, 1}, 0.9);
  for (const double sign_a : {1, -1}) {
    for (const double sign_b : {1, -1}) {
      const Vec4 middle = slerp(sign_a * a, sign_b * b, 0.5);
      EXPECT_NEAR(std::abs(middle.dot(about({0, 0, 1}, 0.5))), 1, 1e-15);
    }
  }
}

TEST(Slerp, KeepsSmallAnglesAndEqualEnds) {
  const Vec4 a = about({1, 0, 0}, 1.0);
  EXPECT_LT((slerp(a, a, 0.3) - a).norm(), 1e-15);
  // A turn of 1e-6: sin of the half angle must come out to many digits.
  const Vec4 third = slerp(Vec4(0, 0, 0, 1), about({1, 0, 0}, 1e-6), 1.0 / 3);
  EXPECT_NEAR(third[0], std::sin(1e-6 / 6), 1e-18);
}

TEST(RotationTrack, StepsSlerpsAndHoldsItsEnds) {
  RotationTrack track{.times = {1, 2, 4}, .values = {about({0, 1, 0}, 0), about({0, 1, 0}, 1), about({0, 1, 0}, 2)}};
  EXPECT_NEAR(angle_between(track(1.25), about({0, 1, 0}, 0.25)), 0, 1e-7);
  EXPECT_NEAR(angle_between(track(3.5), about({0, 1, 0}, 1.75)), 0, 1e-7);
  EXPECT_NEAR((track(0) - track.values[0]).norm(), 0, 1e-15);
  EXPECT_NEAR((track(9) - track.values[2]).norm(), 0, 1e-15);
  track.interpolation = Interpolation::step;
  EXPECT_NEAR((track(3.99) - track.values[1]).norm(), 0, 1e-15);
  EXPECT_EQ(RotationTrack{}(3), Vec4(0, 0, 0, 1));
}

TEST(RotationTrack, CubicMatchesTheFormulaOfGltf) {
  // glTF 2.0, appendix C: tangents are scaled by the interval, the result is normalised.
  RotationTrack track{.interpolation = Interpolation::hermite,
                      .times = {0.5, 2.5},
                      .values = {about({1, 0, 0}, 0.2), about({0, 1, 1}, 1.5)},
                      .in_tangents = {Vec4(0, 0, 0, 0), Vec4(0.3, -0.2, 0.1, 0.2)},
                      .out_tangents = {Vec4(0.1, 0.4, -0.3, 0.05), Vec4(0, 0, 0, 0)}};
  const double u = 0.3, h = 2, u2 = u * u, u3 = u2 * u;
  Vec4 q = (2 * u3 - 3 * u2 + 1) * track.values[0] + h * (u3 - 2 * u2 + u) * track.out_tangents[0] +
           (-2 * u3 + 3 * u2) * track.values[1] + h * (u3 - u2) * track.in_tangents[1];
  EXPECT_LT((track(0.5 + u * h) - q.normalized()).norm(), 1e-14);
}

TEST(RotationTrack, RejectsBadKeys) {
  RotationTrack track{.times = {0, 1}, .values = {Vec4(0, 0, 0, 1), Vec4(0, 0, 0, 0)}};
  EXPECT_THROW(track.validate("rotation"), Error);
  track.values[1] = Vec4(1, 0, 0, 0);
  EXPECT_NO_THROW(track.validate("rotation"));
  track.interpolation = Interpolation::hermite;
  EXPECT_THROW(track.validate("rotation"), Error);
  track.interpolation = Interpolation::natural;
  EXPECT_THROW(track.validate("rotation"), Error);
  track.interpolation = Interpolation::linear;
  track.times = {1, 1};
  EXPECT_THROW(track.validate("rotation"), Error);
}

std::vector<Control> node_controls(const std::string& node) {
  std::vector<Control> controls;
  for (const char* c : {"tx", "ty", "tz"}) controls.push_back({node + "." + c, node, Unit::length, 0});
  for (const char* c : {"qx", "qy", "qz", "qw"}) {
    controls.push_back({node + "." + c, node, Unit::quaternion, c[1] == 'w' ? 1.0 : 0.0});
  }
  return controls;
}

Animation wave() {
  Animation clip{.name = "wave", .duration = 2};
  clip.tracks.push_back({"arm.ty", {.interpolation = Interpolation::natural, .times = {0, 1, 2}, .values = {0, 3, 1}}});
  clip.tracks.push_back({"leg.ty", {.times = {0, 1}, .values = {0, 1}}});
  clip.rotations.push_back(
      {.node = "arm", .times = {0, 2}, .values = {about({0, 0, 1}, 0), about({0, 0, 1}, kPi / 2)}});
  clip.rotations.push_back({.node = "leg", .times = {0}, .values = {about({0, 0, 1}, 1)}});
  return clip;
}

TEST(Sampler, OverwritesOnlyWhatIsAnimated) {
  const auto controls = node_controls("arm");
  const Sampler sampler(wave(), controls);
  Vec p = Vec::Constant(7, 42.0);
  sampler.sample(1, p);
  EXPECT_EQ(p[0], 42);
  EXPECT_EQ(p[1], 3);
  EXPECT_EQ(p[2], 42);
  EXPECT_NEAR(angle_between(p.segment<4>(3), about({0, 0, 1}, kPi / 4)), 0, 1e-7);
  EXPECT_EQ(std::vector<int>(sampler.animated().begin(), sampler.animated().end()), (std::vector{1, 3, 4, 5, 6}));
  EXPECT_EQ(std::vector<std::string>(sampler.unbound().begin(), sampler.unbound().end()),
            (std::vector<std::string>{"leg.ty", "leg.qx"}));
}

TEST(Sampler, NamesTheTrackThatIsWrong) {
  Animation clip = wave();
  clip.tracks[0].curve.times[1] = 5;
  try {
    const Sampler sampler(clip, node_controls("arm"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("curve \"arm.ty\" has key 2"), std::string::npos) << error.what();
  }
}

TEST(Animation, EndsWithItsLastKey) {
  Animation clip = wave();
  EXPECT_EQ(last_key_time(clip), 2);
  clip.rotations.push_back({.node = "x", .times = {7}, .values = {Vec4(0, 0, 0, 1)}});
  EXPECT_EQ(last_key_time(clip), 7);
  EXPECT_EQ(last_key_time({}), 0);
}

}  // namespace
}  // namespace rigspace
