#include "rigspace/anim/curve.h"

#include "rigspace/anim/compiled_curve.h"
#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace rigspace {
namespace {

constexpr Interpolation kAll[] = {Interpolation::step,        Interpolation::linear,  Interpolation::hermite,
                                  Interpolation::catmull_rom, Interpolation::natural, Interpolation::bspline};

/// Uneven keys, uneven values, tangents that do not agree.
Curve bumpy(Interpolation interpolation, int keys = 14, unsigned seed = 7) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1), gap(0.5, 1.5);
  Curve curve{.interpolation = interpolation};
  for (double t = 0.25; static_cast<int>(curve.times.size()) < keys; t += gap(random)) {
    curve.times.push_back(t);
    curve.values.push_back(value(random));
    curve.in_tangents.push_back(value(random));
    curve.out_tangents.push_back(value(random));
  }
  return curve;
}

/// Where the pieces of a curve meet, besides its keys: a B-spline's do between the keys. Found by looking everywhere.
struct Jumps {
  double value = 0, slope = 0, curvature = 0;
};

/// The largest jumps of value, slope and curvature at a time, from one-sided differences of a piecewise cubic: slopes
/// are quadratic on either side, so three of them give the one-sided curvature up to rounding (1e-16 / e) and kinks
/// inside the stencil.
Jumps jumps_at(const CompiledCurve& curve, double t) {
  const double e = 1e-4, tiny = 1e-10;
  const auto curvature = [&](double h) {
    return (-3 * curve.slope(t + tiny * h / e) + 4 * curve.slope(t + h) - curve.slope(t + 2 * h)) / (2 * h);
  };
  return {std::abs(curve(t + tiny) - curve(t - tiny)), std::abs(curve.slope(t + tiny) - curve.slope(t - tiny)),
          std::abs(curvature(e) - curvature(-e))};
}

std::vector<double> joints(const Curve& curve) {
  std::vector<double> times;
  for (std::size_t i = 1; i + 1 < curve.times.size(); ++i) {
    const double a = curve.times[i - 1], b = curve.times[i], c = curve.times[i + 1];
    times.push_back(curve.interpolation == Interpolation::bspline ? (a + 4 * b + c) / 6 : b);
  }
  return times;
}

struct Row {
  Interpolation kind;
  bool interpolates, c1, c2, local;
};

// The Lecture's table (natural YES YES NO, Hermite YES NO YES, B-splines NO YES YES; its continuity is C2), with the
// other kinds and C1 added. Hermite keys here have tangents that differ.
constexpr Row kTable[] = {
    {Interpolation::step, true, false, false, true},    {Interpolation::linear, true, false, false, true},
    {Interpolation::hermite, true, false, false, true}, {Interpolation::catmull_rom, true, true, false, true},
    {Interpolation::natural, true, true, true, false},  {Interpolation::bspline, false, true, true, true},
};

TEST(Curve, FollowsTheTableOfInterpolation) {
  for (const Row& row : kTable) {
    const Curve curve = bumpy(row.kind);
    double miss = 0;
    for (std::size_t i = 0; i < curve.times.size(); ++i) {
      miss = std::max(miss, std::abs(curve(curve.times[i]) - curve.values[i]));
    }
    if (row.interpolates) {
      EXPECT_EQ(miss, 0) << name(row.kind);
    }
    if (!row.interpolates) {
      EXPECT_GT(miss, 0.05) << name(row.kind);
    }
  }
}

TEST(Curve, FollowsTheTableOfContinuity) {
  for (const Row& row : kTable) {
    const Curve curve = bumpy(row.kind);
    const CompiledCurve compiled(curve);
    Jumps most;
    for (const double t : joints(curve)) {
      const Jumps jumps = jumps_at(compiled, t);
      most.value = std::max(most.value, jumps.value);
      most.slope = std::max(most.slope, jumps.slope);
      most.curvature = std::max(most.curvature, jumps.curvature);
    }
    // Over the 2e-10 s between the two sides slopes of order 10 move values and curvatures of order 100 move slopes.
    if (row.kind == Interpolation::step) {
      EXPECT_GT(most.value, 0.1);
    }
    if (row.kind != Interpolation::step) {
      EXPECT_LT(most.value, 1e-8) << name(row.kind);
    }
    if (row.c1) {
      EXPECT_LT(most.slope, 1e-7) << name(row.kind);
    }
    if (!row.c1 && row.kind != Interpolation::step) {
      EXPECT_GT(most.slope, 0.1) << name(row.kind);
    }
    // One-sided differences at 1e-4 s: third order in e for the B-spline, whose pieces are not cubics of time.
    if (row.c2) {
      EXPECT_LT(most.curvature, 1e-4) << name(row.kind);
    }
    if (row.kind == Interpolation::catmull_rom) {
      EXPECT_GT(most.curvature, 0.1);
    }
  }
}

TEST(Curve, FollowsTheTableOfLocality) {
  for (const Row& row : kTable) {
    const Curve before = bumpy(row.kind, 21);
    Curve after = before;
    after.values[10] += 1;
    // No local kind reaches the third key on either side; a B-spline's knots lie beside the keys, short of the third.
    double far = 0, near = 0;
    for (double t = before.times.front(); t < before.times.back(); t += 0.01) {
      const bool outside = t < before.times[7] || t > before.times[13];
      double& change = outside ? far : near;
      change = std::max(change, std::abs(after(t) - before(t)));
    }
    EXPECT_GT(near, 0.1) << name(row.kind);
    if (row.local) {
      EXPECT_EQ(far, 0) << name(row.kind);
    }
    if (!row.local) {
      EXPECT_GT(far, 1e-3) << name(row.kind);
    }
  }
}

TEST(Curve, ReproducesStraightLines) {
  for (const Interpolation kind : kAll) {
    if (kind == Interpolation::step) continue;
    Curve curve = bumpy(kind);
    for (std::size_t i = 0; i < curve.times.size(); ++i) {
      curve.values[i] = 2 - 3 * curve.times[i];
      curve.in_tangents[i] = curve.out_tangents[i] = -3;
    }
    for (double t = curve.times.front(); t <= curve.times.back(); t += 0.037) {
      EXPECT_NEAR(curve(t), 2 - 3 * t, 1e-12) << name(kind) << " at " << t;
      EXPECT_NEAR(curve.slope(t), -3, 1e-11) << name(kind) << " at " << t;
    }
  }
}

TEST(Curve, KeepsConstantsToTheBit) {
  for (const Interpolation kind : kAll) {
    Curve curve = bumpy(kind);
    curve.values.assign(curve.times.size(), 0.1);
    curve.in_tangents.assign(curve.times.size(), 0);
    curve.out_tangents = curve.in_tangents;
    for (double t = -1; t < 20; t += 0.037) ASSERT_EQ(curve(t), 0.1) << name(kind) << " at " << t;
  }
}

TEST(HermiteCurve, ReproducesCubicsOnUnevenKeys) {
  const auto f = [](double t) { return 1 - 2 * t + 0.5 * t * t - 0.25 * t * t * t; };
  const auto df = [](double t) { return -2 + t - 0.75 * t * t; };
  Curve curve = bumpy(Interpolation::hermite);
  for (std::size_t i = 0; i < curve.times.size(); ++i) {
    curve.values[i] = f(curve.times[i]);
    curve.in_tangents[i] = curve.out_tangents[i] = df(curve.times[i]);
  }
  // Values reach 600; rounding of the coefficients leaves 1e-12 of that.
  for (double t = curve.times.front(); t <= curve.times.back(); t += 0.037) EXPECT_NEAR(curve(t), f(t), 1e-9) << t;
}

TEST(NaturalSpline, HasNoCurvatureAtItsEnds) {
  const CompiledCurve curve(bumpy(Interpolation::natural));
  const Curve keys = bumpy(Interpolation::natural);
  const double begin = keys.times.front(), end = keys.times.back(), e = 1e-4;
  // Curvature grows linearly from zero: at a distance e it is e times the third derivative, of order 10.
  EXPECT_NEAR((curve.slope(begin + e) - curve.slope(begin)) / e, 0, 1e-2);
  EXPECT_NEAR((curve.slope(end - 2 * e) - curve.slope(end - e)) / e, 0, 1e-2);
  EXPECT_GT(std::abs(curve.slope(begin + 0.5) - curve.slope(begin)), 0.01);
}

TEST(Curve, SlopeIsTheDerivativeOfValue) {
  for (const Interpolation kind : kAll) {
    const Curve curve = bumpy(kind);
    const double e = 1e-6;
    double largest = 0;
    for (std::size_t i = 0; i + 1 < curve.times.size(); ++i) {
      for (const double u : {0.21, 0.47, 0.83}) {
        const double t = curve.times[i] + u * (curve.times[i + 1] - curve.times[i]);
        EXPECT_NEAR(curve.slope(t), (curve(t + e) - curve(t - e)) / (2 * e), 1e-7) << name(kind) << " at " << t;
        largest = std::max(largest, std::abs(curve.slope(t)));
      }
    }
    if (kind != Interpolation::step) {
      EXPECT_GT(largest, 0.1) << name(kind);
    }
  }
}

TEST(Curve, SlopeIsTakenFromTheRightAtACorner) {
  Curve curve{.times = {0, 1, 2}, .values = {0, 1, -2}};
  EXPECT_EQ(curve.slope(1), -3);
  EXPECT_EQ(curve.slope(2), 0);  // held after the end
  curve.after = Extrapolation::linear;
  EXPECT_EQ(curve.slope(2), -3);
  curve.after = Extrapolation::cycle;
  EXPECT_EQ(curve.slope(2), 1);
}

TEST(Extrapolation, HoldsOrGoesOnStraight) {
  Curve curve = bumpy(Interpolation::hermite);
  const double begin = curve.times.front(), end = curve.times.back();
  EXPECT_EQ(curve(begin - 3), curve.values.front());
  EXPECT_EQ(curve(end + 3), curve.values.back());
  EXPECT_EQ(curve.slope(end + 3), 0);
  curve.before = curve.after = Extrapolation::linear;
  EXPECT_NEAR(curve(begin - 3), curve.values.front() - 3 * curve.out_tangents.front(), 1e-12);
  EXPECT_NEAR(curve(end + 3), curve.values.back() + 3 * curve.in_tangents.back(), 1e-12);
}

TEST(Extrapolation, CyclesRepeat) {
  for (const Interpolation kind : kAll) {
    Curve curve = bumpy(kind);
    curve.before = curve.after = Extrapolation::cycle;
    const double period = curve.times.back() - curve.times.front();
    for (double t = 1; t < 1 + period; t += 0.31) {
      const double middle = curve(t);
      // Folding a time loses the digits of a few turns, which a slope of order 10 (a step: nothing) magnifies.
      EXPECT_NEAR(curve(t + 3 * period), middle, 1e-12) << name(kind);
      EXPECT_NEAR(curve(t - 2 * period), middle, 1e-12) << name(kind);
    }
  }
}

TEST(Extrapolation, OffsetCyclesTravel) {
  Curve curve = bumpy(Interpolation::linear);
  curve.before = curve.after = Extrapolation::cycle_offset;
  const double period = curve.times.back() - curve.times.front(), gain = curve.values.back() - curve.values.front();
  EXPECT_NEAR(curve(2 + 3 * period), curve(2) + 3 * gain, 1e-12);
  EXPECT_NEAR(curve(2 - 2 * period), curve(2) - 2 * gain, 1e-12);
}

TEST(Extrapolation, SeamsAreAsSmoothAsOtherKeys) {
  for (const Row& row : kTable) {
    if (!row.c1) continue;
    for (const Extrapolation rule : {Extrapolation::cycle, Extrapolation::cycle_offset}) {
      for (const int keys : {2, 3, 4, 9}) {
        Curve curve = bumpy(row.kind, keys);
        if (rule == Extrapolation::cycle) curve.values.back() = curve.values.front();
        curve.before = curve.after = rule;
        double seam = curve.times.back();
        if (row.kind == Interpolation::bspline) {  // its pieces meet beside the key
          const double left = curve.times[keys - 1] - curve.times[keys - 2], right = curve.times[1] - curve.times[0];
          seam += (right - left) / 6;
        }
        const Jumps jumps = jumps_at(CompiledCurve(curve), seam);
        EXPECT_LT(jumps.value, 1e-8) << name(row.kind) << " of " << keys << " keys";
        EXPECT_LT(jumps.slope, 1e-7) << name(row.kind) << " of " << keys << " keys";
        if (row.c2) {
          EXPECT_LT(jumps.curvature, 1e-4) << name(row.kind) << " of " << keys << " keys";
        }
      }
    }
  }
}

TEST(BSpline, BeginsAndEndsInItsKeysAndStaysInTheirHull) {
  const Curve curve = bumpy(Interpolation::bspline);
  EXPECT_EQ(curve(curve.times.front()), curve.values.front());
  EXPECT_EQ(curve(curve.times.back()), curve.values.back());
  for (double t = 0; t < 20; t += 0.01) EXPECT_LE(std::abs(curve(t)), 1) << t;
}

TEST(CompiledCurve, AgreesWithTheCurve) {
  for (const Interpolation kind : kAll) {
    for (const Extrapolation rule :
         {Extrapolation::hold, Extrapolation::linear, Extrapolation::cycle, Extrapolation::cycle_offset}) {
      Curve curve = bumpy(kind);
      curve.before = curve.after = rule;
      const CompiledCurve compiled(curve);
      for (double t = -20; t < 40; t += 0.173) {
        EXPECT_NEAR(compiled(t), curve(t), 1e-12) << name(kind) << " at " << t;
        EXPECT_NEAR(compiled.slope(t), curve.slope(t), 1e-11) << name(kind) << " at " << t;
      }
      for (std::size_t i = 0; i < curve.times.size(); ++i) EXPECT_EQ(compiled(curve.times[i]), curve(curve.times[i]));
    }
  }
}

TEST(Curve, FindsEveryKeyHoweverUneven) {
  Curve curve{.interpolation = Interpolation::step};
  for (int i = 0; i < 60; ++i) {
    curve.times.push_back(std::ldexp(1.0, i - 30));
    curve.values.push_back(i);
  }
  const CompiledCurve compiled(curve);
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(compiled(curve.times[i]), i);
    EXPECT_EQ(compiled(curve.times[i] * 1.5), i);
  }
}

TEST(Curve, IsZeroWithoutKeysAndConstantWithOne) {
  for (const Interpolation kind : kAll) {
    for (const Extrapolation rule :
         {Extrapolation::hold, Extrapolation::linear, Extrapolation::cycle, Extrapolation::cycle_offset}) {
      Curve curve{.interpolation = kind, .before = rule, .after = rule};
      EXPECT_EQ(curve(3), 0);
      EXPECT_EQ(CompiledCurve(curve)(3), 0);
      curve.times = {1}, curve.values = {5}, curve.in_tangents = {2}, curve.out_tangents = {2};
      for (const double t : {0.0, 1.0, 2.0}) {
        EXPECT_EQ(curve(t), 5);
        EXPECT_EQ(curve.slope(t), 0);
        EXPECT_EQ(CompiledCurve(curve)(t), 5);
        EXPECT_EQ(CompiledCurve(curve).slope(t), 0);
      }
    }
  }
}

std::string complaint(const Curve& curve) {
  try {
    curve.validate("curve \"hips.tx\"");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Curve, RejectsBadKeysWithASentence) {
  EXPECT_EQ(complaint({.times = {0, 1, 2}, .values = {1, 2, 3}}), "");
  EXPECT_EQ(complaint({.times = {0, 2, 1}, .values = {1, 2, 3}}),
            "curve \"hips.tx\" has key 2 at 1.000000 s after one at 2.000000 s; times must strictly increase");
  EXPECT_NE(complaint({.times = {0, 1, 1}, .values = {1, 2, 3}}), "");
  EXPECT_EQ(complaint({.times = {0, 1}, .values = {1}}),
            "curve \"hips.tx\" has 1 values for 2 times; expected one per time");
  EXPECT_NE(complaint({.times = {0, 1}, .values = {1, NAN}}).find("value nan at key 1"), std::string::npos);
  EXPECT_NE(complaint({.times = {0, INFINITY}, .values = {1, 2}}).find("time inf at key 1"), std::string::npos);
  EXPECT_NE(complaint({.interpolation = Interpolation::hermite, .times = {0, 1}, .values = {1, 2}}), "");
  EXPECT_THROW(CompiledCurve(Curve{.times = {1, 0}, .values = {0, 0}}), Error);
}

}  // namespace
}  // namespace rigspace
