#include "rigspace/anim/view_path.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

namespace rigspace::view_path_test {
namespace {

constexpr std::array kThroughKeys = {ViewSpline::linear, ViewSpline::catmull_rom, ViewSpline::kochanek_bartels,
                                     ViewSpline::natural};

/// Keys at uneven times and distances.
std::vector<ViewKey> keys() {
  return {{.time = 0, .eye = Vec3(4, 1, 0), .target = Vec3(0, 1, 0)},
          {.time = 0.5, .eye = Vec3(3, 2, 3), .target = Vec3(0, 1.2, 0), .fov = 20 * kDegree, .tension = 0.3},
          {.time = 2, .eye = Vec3(-1, 2, 4), .target = Vec3(0.2, 1, 0), .fov = 35 * kDegree, .bias = -0.4},
          {.time = 2.5, .eye = Vec3(-4, 1, -3), .target = Vec3(0, 1, 0)}};
}

TEST(ViewPath, PassesThroughItsKeysAtTheirTimes) {
  for (const ViewSpline spline : kThroughKeys) {
    const ViewPath path(keys(), spline);
    for (const ViewKey& key : keys()) {
      const Camera camera = path.at(key.time);
      EXPECT_LT((camera.eye - key.eye).norm(), 1e-12) << name(spline);
      EXPECT_LT((camera.target - key.target).norm(), 1e-12) << name(spline);
      EXPECT_NEAR(camera.fov, key.fov, 1e-12) << name(spline);
    }
  }
}

TEST(ViewPath, StandsStillBeforeAndAfterItsKeys) {
  const ViewPath path(keys());
  EXPECT_EQ(path.at(-3).eye, keys().front().eye);
  EXPECT_EQ(path.at(99).eye, keys().back().eye);
}

TEST(ViewPath, AtConstantSpeedCoversEqualWaysInEqualTimes) {
  for (const ViewSpline spline : {ViewSpline::catmull_rom, ViewSpline::kochanek_bartels, ViewSpline::natural}) {
    const ViewPath path(keys(), spline, true), by_keys(keys(), spline);
    EXPECT_EQ(path.length(), by_keys.length()) << name(spline);
    constexpr int kSteps = 500;
    double least = 1e300, most = 0, least_by_keys = 1e300, most_by_keys = 0;
    for (int k = 0; k < kSteps; ++k) {
      const double from = 2.5 * k / kSteps, to = 2.5 * (k + 1) / kSteps;
      const double moved = (path.at(to).eye - path.at(from).eye).norm();
      const double other = (by_keys.at(to).eye - by_keys.at(from).eye).norm();
      least = std::min(least, moved), most = std::max(most, moved);
      least_by_keys = std::min(least_by_keys, other), most_by_keys = std::max(most_by_keys, other);
    }
    EXPECT_LT(most, 1.002 * least) << name(spline);  // chords are a little shorter than the curve where it bends
    EXPECT_NEAR(kSteps * most, path.length(), 0.002 * path.length()) << name(spline);
    EXPECT_GT(most_by_keys, 2 * least_by_keys) << name(spline);  // the keys alone say something else
  }
}

TEST(ViewPath, AtConstantSpeedRunsAlongTheSameCurve) {
  const ViewPath path(keys(), ViewSpline::natural, true), by_keys(keys(), ViewSpline::natural);
  for (double t = 0; t <= 2.5; t += 0.1) {
    double least = 1e300;
    for (double u = 0; u <= 2.5; u += 1e-3) least = std::min(least, (path.at(t).eye - by_keys.at(u).eye).norm());
    EXPECT_LT(least, 0.01);
  }
}

TEST(ViewPath, WithoutTensionContinuityAndBiasKochanekAndBartelsIsSmooth) {
  std::vector<ViewKey> plain = keys();
  for (ViewKey& key : plain) key.tension = key.bias = 0;
  const auto slope_jump = [](const std::vector<ViewKey>& those) {
    const ViewPath path(those, ViewSpline::kochanek_bartels);
    constexpr double h = 1e-5;
    const Vec3 at = path.at(0.5).eye;
    return ((path.at(0.5 + h).eye - at) / h - (at - path.at(0.5 - h).eye) / h).norm();
  };
  EXPECT_LT(slope_jump(plain), 1e-2);
  plain[1].continuity = -1;
  EXPECT_GT(slope_jump(plain), 1);
  // Full tension: the camera comes to rest at the key.
  plain[1].continuity = 0, plain[1].tension = 1;
  const ViewPath path(plain, ViewSpline::kochanek_bartels);
  EXPECT_LT((path.at(0.5 + 1e-5).eye - path.at(0.5).eye).norm(), 1e-7);
}

TEST(ViewPath, RefusesKeysThatMakeNoPath) {
  const auto refused = [](std::vector<ViewKey> those, const std::string& words, bool constant = false) {
    try {
      const ViewPath path(those, ViewSpline::catmull_rom, constant);
      FAIL() << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused({}, "no key");
  std::vector<ViewKey> those = keys();
  those[2].time = 0.4;
  refused(those, "camera key 3");
  those = keys(), those[1].fov = 3;
  refused(those, "field of view");
  those = keys(), those[3].target = those[3].eye;
  refused(those, "eye at its target");
  those = {keys()[0], keys()[0]};
  those[1].time = 1;
  refused(those, "never moves", true);
}

}  // namespace
}  // namespace rigspace::view_path_test
