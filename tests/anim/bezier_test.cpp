#include "rigspace/anim/bezier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace rigspace {
namespace {

/// A point of the curve by de Casteljau's construction.
std::array<double, 2> casteljau(const BezierSegment& s, double u) {
  std::array<double, 4> t = s.times, v = s.values;
  for (int level = 3; level > 0; --level) {
    for (int i = 0; i < level; ++i) {
      t[i] += u * (t[i + 1] - t[i]);
      v[i] += u * (v[i + 1] - v[i]);
    }
  }
  return {t[0], v[0]};
}

TEST(Bezier, PassesThroughTheWeightedCurve) {
  const BezierSegment s{{1, 2.5, 1.4, 3}, {0, 2, -1, 1}};  // handles cross in time, which is still monotone
  for (double u = 0; u <= 1; u += 0.01) {
    const auto [time, value] = casteljau(s, u);
    // Where time stands almost still, rounding of the time moves the value by its square root at worst.
    EXPECT_NEAR(s(time), value, 1e-7) << u;
  }
}

TEST(Bezier, SlopeIsTheDerivativeOfValue) {
  const BezierSegment s{{0, 0.7, 0.9, 1}, {0, 0.1, 1.2, 1}};
  for (double t = 0.05; t < 1; t += 0.05) {
    const double e = 1e-6;
    EXPECT_NEAR(s.slope(t), (s(t + e) - s(t - e)) / (2 * e), 1e-6) << t;
  }
  EXPECT_NEAR(s.slope(0), 0.1 / 0.7, 1e-12);
  EXPECT_NEAR(s.slope(1), -0.2 / 0.1, 1e-12);
}

TEST(Bezier, TimeNeverRunsBackwards) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> handle(-1, 4);
  for (int trial = 0; trial < 200; ++trial) {
    const BezierSegment wild{{0, handle(random), handle(random), 1}, {0, 1, 0, 1}};
    const BezierSegment tame = shorten_handles(wild);
    double before = 0;
    for (double u = 0; u <= 1; u += 0.005) {
      const double time = casteljau(tame, u)[0];
      EXPECT_GE(time, before - 1e-15);
      before = time;
    }
    for (double t = 0; t <= 1; t += 0.1) EXPECT_TRUE(std::isfinite(wild(t)));
  }
}

TEST(Bezier, ShorteningKeepsTheDirectionOfHandles) {
  const BezierSegment s = shorten_handles({{0, 4, 0.5, 2}, {0, 8, 0, 1}});
  EXPECT_EQ(s.times[1], 2);
  EXPECT_EQ(s.values[1], 4);
  EXPECT_EQ(s.times[2], 0.5);
}

TEST(Bezier, EqualsHermiteWhereHandlesAreAThird) {
  const HermiteSegment hermite{{2, 5}, {1, -1}, {0.5, 3}};
  const BezierSegment bezier = hermite_to_bezier(hermite);
  EXPECT_TRUE(is_unweighted(bezier));
  for (double t = 2; t <= 5; t += 0.1) EXPECT_NEAR(bezier(t), hermite(t), 1e-12) << t;
  const HermiteSegment back = bezier_to_hermite(bezier);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(back.times[k], hermite.times[k]);
    EXPECT_EQ(back.values[k], hermite.values[k]);
    EXPECT_NEAR(back.slopes[k], hermite.slopes[k], 1e-12);
  }
  EXPECT_FALSE(is_unweighted({{0, 0.5, 0.6, 1}, {0, 0, 1, 1}}));
}

TEST(Bezier, HandlesWithoutLengthTakeTheLimitOfTheCurve) {
  const BezierSegment vector{{0, 0, 1, 1}, {0, 0, 2, 2}};
  EXPECT_EQ(bezier_to_hermite(vector).slopes[0], 2);
  EXPECT_EQ(bezier_to_hermite(vector).slopes[1], 2);
  EXPECT_NEAR(vector(0.25), 0.5, 1e-12);
  const BezierSegment upright{{0, 0, 0.5, 1}, {0, 1, 2, 2}};
  EXPECT_TRUE(std::isinf(bezier_to_hermite(upright).slopes[0]));
}

}  // namespace
}  // namespace rigspace
