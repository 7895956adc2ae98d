#include "deformers.h"

#include "rigspace/base/error.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

using namespace testing;

constexpr WireCurve kCurves[] = {WireCurve::quadratic, WireCurve::cubic, WireCurve::catmull_rom};

/// With every scalar that a wire can have.
WireDescription add_full_wire(ControlGraph& graph, int points, WireCurve curve) {
  WireDescription wire{.curve = curve, .radius = 1.3, .thinning = 0.5};
  wire.roll_start_slot = add_scalar(graph, {.name = "roll_start", .unit = Unit::angle, .typical = 0.5});
  wire.roll_end_slot = add_scalar(graph, {.name = "roll_end", .unit = Unit::angle, .typical = 0.5});
  wire.thickness_slot = add_scalar(graph, {.name = "thickness", .unit = Unit::scale, .rest = 1, .typical = 0.3});
  wire.strength_slot = add_scalar(graph, {.name = "strength", .rest = 1, .typical = 0.3});
  return add_wire(graph, points, wire);
}

TEST(Wire, ObeysTheLawsOfRigs) {
  for (const WireCurve curve : kCurves) {
    auto graph = std::make_shared<ControlGraph>();
    WireDescription wire = add_full_wire(*graph, 60, curve);
    wire.points.weights.assign(60, 0.8);
    wire.points.weights[7] = 0;
    const auto rig = make_rig_of(graph, random_points(60, 1), make_wire(wire));
    const auto report = check_rig(*rig);
    EXPECT_TRUE(report.ok()) << static_cast<int>(curve) << ": " << report;
  }
}

TEST(Wire, IsExactlyTheIdentityAtRest) {
  for (const WireCurve curve : kCurves) {
    auto graph = std::make_shared<ControlGraph>();
    const Vec points = random_points(60, 2);
    const auto rig = make_rig_of(graph, points, make_wire(add_full_wire(*graph, 60, curve)));
    EXPECT_EQ(evaluated(*rig, rig->rest()), points);
  }
}

// The derivative by the point itself, through the nearest point's parameter.
TEST(Wire, HasAnExactDerivativeByTheRestPosition) {
  for (const WireCurve curve : kCurves) {
    auto graph = std::make_shared<ControlGraph>();
    const auto wire = add_full_wire(*graph, 60, curve);
    const Vec points = random_points(60, 3);
    const auto rig = make_rig_of(graph, points, make_wire(wire));
    const Vec p = random_pose(*rig, 1, 5);
    std::vector<Mat3> B;
    ASSERT_TRUE(rig->rest_jacobian(*rig->make_workspace(), p, B));
    const double h = 1e-6;
    for (int c = 0; c < 3; ++c) {
      Vec low = points, high = points;
      for (int i = 0; i < 60; ++i) low[3 * i + c] -= h, high[3 * i + c] += h;
      const auto at = [&](const Vec& x) { return evaluated(*make_rig_of(graph, x, make_wire(wire)), p); };
      const Vec difference = (at(high) - at(low)) / (2 * h);
      for (int i = 0; i < 60; ++i)  // rounding 1e-16 / h, and h^2 times third derivatives
        EXPECT_LT((B[i].col(c) - difference.segment<3>(3 * i)).norm(), 2e-8) << "point " << i;
    }
  }
}

TEST(Wire, StraightAndTranslatedMovesPointsByItsFalloff) {
  for (const WireCurve curve : kCurves) {
    auto graph = std::make_shared<ControlGraph>();
    const auto wire = add_wire(
        *graph, 4,
        {.curve = curve, .points_rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(3, 0, 0)}, .radius = 2});
    Vec points(12);
    points << 0.7, 0, 0, 1.6, 1, 0, 2.2, 0, -1.5, 1, 2.5, 0;  // distances 0, 1, 1.5, 2.5
    const auto rig = make_rig_of(graph, points, make_wire(wire));
    Vec p = rig->rest();
    const Vec3 move(0.3, 0.5, -0.2);
    for (int i = 0; i < 4; ++i) set_point(*rig, p, "wire" + std::to_string(i), move);
    const Vec s = evaluated(*rig, p);
    const double falloff[] = {1, std::pow(1 - 0.25, 2), std::pow(1 - 0.5625, 2), 0};
    for (int k = 0; k < 4; ++k)
      EXPECT_LT((s.segment<3>(3 * k) - points.segment<3>(3 * k) - falloff[k] * move).norm(), 1e-14) << k;
  }
}

TEST(Wire, WithoutAFalloffFollowsRigidMotionsInThePlaneOfACurve) {
  const std::vector<Vec3> bow{Vec3(-1, 0, 0.3), Vec3(-0.4, 0.5, 0.3), Vec3(0.5, 0.6, 0.3), Vec3(1, 0.1, 0.3)};
  const Mat3 turn = rotation_exp(Vec3(0, 0, 1.9));
  const Vec3 shift(0.4, -2, 1);
  for (const WireCurve curve : kCurves) {
    auto graph = std::make_shared<ControlGraph>();
    const Vec points = random_points(40, 4);
    const auto rig = make_rig_of(graph, points, make_wire(add_wire(*graph, 40, {.curve = curve, .points_rest = bow})));
    Vec p = rig->rest();
    for (int i = 0; i < 4; ++i) set_point(*rig, p, "wire" + std::to_string(i), turn * bow[i] + shift - bow[i]);
    const Vec s = evaluated(*rig, p);
    for (int k = 0; k < 40; ++k)
      EXPECT_LT((s.segment<3>(3 * k) - turn * points.segment<3>(3 * k) - shift).norm(), 1e-13);
  }
}

TEST(Wire, RollsLinearlyBetweenItsEndsAndSwellsByItsThickness) {
  auto graph = std::make_shared<ControlGraph>();
  WireDescription wire{.curve = WireCurve::catmull_rom,  // evenly spaced points: t = x / 3
                       .points_rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(3, 0, 0)}};
  wire.roll_start_slot = add_scalar(*graph, {.name = "start", .unit = Unit::angle});
  wire.roll_end_slot = add_scalar(*graph, {.name = "end", .unit = Unit::angle});
  wire.thickness_slot = add_scalar(*graph, {.name = "thickness", .unit = Unit::scale, .rest = 1});
  Vec points(9);
  points << 0.5, 1, 0, 1.7, 0, 2, 4, 1, 0;  // the last one beyond the end
  const auto rig = make_rig_of(graph, points, make_wire(add_wire(*graph, 3, wire)));
  Vec p = rig->rest();
  p[rig->find("start")] = 0.2;
  p[rig->find("end")] = 1.4;
  p[rig->find("thickness")] = 1.5;
  const Vec s = evaluated(*rig, p);
  for (int k = 0; k < 2; ++k) {
    const Vec3 x = points.segment<3>(3 * k), around(0, x[1], x[2]);
    const Vec3 expected = Vec3(x[0], 0, 0) + 1.5 * (rotation_exp(Vec3(0.2 + 1.2 * x[0] / 3, 0, 0)) * around);
    EXPECT_LT((s.segment<3>(3 * k) - expected).norm(), 1e-14);
  }
  // about the end: (3 + 1.5 * 1, ..)
  EXPECT_LT((s.tail<3>() - Vec3(4.5, 1.5 * std::cos(1.4), 1.5 * std::sin(1.4))).norm(), 1e-14);
}

TEST(Wire, StretchedKeepsVolumeWhereThinningIsAHalf) {
  for (const double thinning : {0.0, 0.5}) {
    auto graph = std::make_shared<ControlGraph>();
    const std::vector<Vec3> line{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(3, 0, 0)};
    const Vec x{{1.2, 0.3, -0.4}};
    const auto rig = make_rig_of(graph, x, make_wire(add_wire(*graph, 1, {.points_rest = line, .thinning = thinning})));
    Vec p = rig->rest();
    for (int i = 0; i < 4; ++i) set_point(*rig, p, "wire" + std::to_string(i), 0.5 * line[i]);  // 1.5 times as long
    const double thin = thinning == 0 ? 1 : 1 / std::sqrt(1.5);
    EXPECT_LT((evaluated(*rig, p) - Vec{{1.8, 0.3 * thin, -0.4 * thin}}).norm(), 1e-14);
    for (int i = 0; i < 4; ++i)  // turned, not stretched: |W'| = |R'|
      set_point(*rig, p, "wire" + std::to_string(i),
                rotation_exp(Vec3(0, 0, 0.5 * std::numbers::pi)) * line[i] - line[i]);
    EXPECT_LT((evaluated(*rig, p) - Vec{{-0.3, 1.2, -0.4}}).norm(), 1e-14);
  }
}

TEST(Wire, FindsTheNearestOfAllPointsOfItsCurve) {
  // A hairpin: points near one leg must not follow the other. Only the far leg moves.
  auto graph = std::make_shared<ControlGraph>();
  const auto wire = add_wire(*graph, 2,
                             {.points_rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(3, 0, 0), Vec3(3, 1, 0),
                                              Vec3(2, 1, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)}});
  Vec points(6);
  points << 0.4, 0.48, 0, 0.4, 0.52, 0;
  const auto rig = make_rig_of(graph, points, make_wire(wire));
  Vec p = rig->rest();
  for (const char* far : {"wire5", "wire6", "wire7"}) set_point(*rig, p, far, Vec3(0, 0, 1));
  const Vec s = evaluated(*rig, p);
  EXPECT_EQ(s[2], 0);
  EXPECT_GT(s[5], 0.9);
}

TEST(Wire, StaysFiniteWhenItsPointsFallTogether) {
  auto graph = std::make_shared<ControlGraph>();
  const auto wire = add_full_wire(*graph, 30, WireCurve::cubic);
  const auto rig = make_rig_of(graph, random_points(30, 6), make_wire(wire));
  Vec p = rig->rest();
  for (int i = 0; i < 5; ++i) set_point(*rig, p, "wire" + std::to_string(i), -wire.points_rest[i]);
  EXPECT_TRUE(evaluated(*rig, p).allFinite());
  std::vector<int> free(p.size());
  for (std::size_t k = 0; k < free.size(); ++k) free[k] = static_cast<int>(k);
  BlockJacobian J;
  rig->jacobian(*rig->make_workspace(), p, free, J);
  EXPECT_TRUE(J.value.allFinite());
}

TEST(Wire, LeavesOutWhatItCannotReach) {
  const Vec points = 2 * random_points(100, 7);
  for (const double drift : {0.0, 0.2}) {
    auto graph = std::make_shared<ControlGraph>();
    WireDescription all = add_full_wire(*graph, 100, WireCurve::cubic), near;
    all.radius = 0.7;
    near = all;
    near.points.rest = points;
    near.points.drift = drift;
    const auto dense = make_rig_of(graph, points, make_wire(all)), sparse = make_rig_of(graph, points, make_wire(near));
    EXPECT_TRUE(check_rig(*sparse).ok()) << check_rig(*sparse);
    const Vec p = random_pose(*dense, 1, 8);
    EXPECT_EQ(evaluated(*dense, p), evaluated(*sparse, p));
    EXPECT_NE(evaluated(*dense, p), points);
  }
}

TEST(Wire, RefusesWhatCannotBe) {
  auto graph = std::make_shared<ControlGraph>();
  const auto good = add_wire(*graph, 5);
  const auto refuses = [&](auto&& spoil) {
    WireDescription bad = good;
    spoil(bad);
    try {
      make_wire(bad);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refuses([](auto&) {}));
  EXPECT_TRUE(refuses([](auto& bad) { bad.points_rest.pop_back(); }));
  EXPECT_TRUE(refuses([](auto& bad) { bad.points_rest[1] = bad.points_rest[0]; }));
  EXPECT_TRUE(refuses([](auto& bad) { bad.radius = 0; }));
  EXPECT_TRUE(refuses([](auto& bad) { bad.point_slots.resize(1), bad.points_rest.resize(1); }));
  EXPECT_EQ(wire_description(*make_wire(good))->points_rest.size(), 5u);
}

}  // namespace
}  // namespace rigspace
