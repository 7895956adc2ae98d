#include "deformers.h"

#include "rigspace/base/error.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

using namespace testing;

constexpr Nonlinear kKinds[] = {Nonlinear::bend,   Nonlinear::twist, Nonlinear::taper,
                                Nonlinear::squash, Nonlinear::flare, Nonlinear::sine};

Affine slanted_handle() {
  Affine frame;
  frame.leftCols<3>() = 0.7 * rotation_exp(Vec3(0.4, -0.3, 0.8));
  frame.col(3) = Vec3(0.1, -0.2, 0.05);
  return frame;
}

TEST(Nonlinear, EveryKindObeysTheLawsOfRigs) {
  for (const Nonlinear kind : kKinds)
    for (const bool carried : {false, true}) {
      auto graph = std::make_shared<ControlGraph>();
      NonlinearDescription description = add_nonlinear(*graph, 40, kind);
      description.frame = slanted_handle();
      description.low = -0.8;
      description.high = 0.7;
      if (carried) description.handle_slot = add_node(*graph, {.name = "handle", .translation = Vec3(0.1, 0, 0)});
      description.points.weights.assign(40, 1);
      description.points.weights[3] = 0;
      description.points.weights[4] = 0.4;
      const auto rig = make_rig_of(graph, random_points(40, 1), make_nonlinear(description));
      const auto report = check_rig(*rig, {.spread = 0.8});
      EXPECT_TRUE(report.ok()) << name(kind) << (carried ? ", carried: " : ": ") << report;
    }
}

TEST(Nonlinear, EveryKindIsExactlyTheIdentityAtRestWhereverItsHandleIs) {
  for (const Nonlinear kind : kKinds) {
    auto graph = std::make_shared<ControlGraph>();
    NonlinearDescription description = add_nonlinear(*graph, 40, kind);
    description.handle_slot = add_node(*graph, {.name = "handle"});
    const Vec points = random_points(40, 2);
    const auto rig = make_rig_of(graph, points, make_nonlinear(description));
    Vec p = rig->rest();
    p[rig->find("handle.rx")] = 1;
    p[rig->find("handle.tx")] = 0.5;
    EXPECT_EQ(evaluated(*rig, p), points) << name(kind);
    for (const char* scale : {"handle.sx", "handle.sy", "handle.sz"}) p[rig->find(scale)] = 0;
    EXPECT_EQ(evaluated(*rig, p), points) << name(kind);
  }
}

/// One kind about the scene's own axes, and its parameters.
Vec moved(Nonlinear kind, const Vec& points, std::vector<double> values, double rounding = 0.2,
          std::vector<Mat3>* slopes = nullptr) {
  NonlinearDescription description{.kind = kind, .rounding = rounding, .parameter_values = std::move(values)};
  description.points.count = static_cast<int>(points.size() / 3);
  const auto rig = make_rig_of(std::make_shared<ControlGraph>(), points, make_nonlinear(description));
  if (slopes != nullptr) rig->rest_jacobian(*rig->make_workspace(), rig->rest(), *slopes);
  return evaluated(*rig, rig->rest());
}

Vec axis_points(int count, double x = 0) {
  Vec points(3 * count);
  for (int k = 0; k < count; ++k) points.segment<3>(3 * k) = Vec3(x, -1.5 + 3.0 * k / (count - 1), 0);
  return points;
}

TEST(Bend, LaysTheAxisOnACircleOfItsOwnLength) {
  const double angle = 2.1;  // over L = 2
  const Vec points = axis_points(301);
  const Vec s = moved(Nonlinear::bend, points, {angle}, 0);
  const double radius = 2 / angle;
  for (int k = 0; k <= 300; ++k) {
    const double y = points[3 * k + 1], h = std::clamp(y, -1.0, 1.0), turn = h / radius;
    const Vec3 expected(radius * (1 - std::cos(turn)) + (y - h) * std::sin(turn),
                        radius * std::sin(turn) + (y - h) * std::cos(turn), 0);
    EXPECT_LT((s.segment<3>(3 * k) - expected).norm(), 1e-14);
  }
  // Rounded corners cost length of second order only: at most (angle / L)^2 (rounding L / 2)^2 / 2 in the corners.
  std::vector<Mat3> slopes;
  moved(Nonlinear::bend, points, {angle}, 0.2, &slopes);
  for (const Mat3& slope : slopes) {
    EXPECT_GE(slope.col(1).norm(), 1 - 1e-14);
    EXPECT_LE(slope.col(1).norm(), 1.04);
  }
  EXPECT_NEAR(slopes[150].col(1).norm(), 1, 1e-14);  // the middle
  EXPECT_NEAR(slopes[10].col(1).norm(), 1, 1e-14);   // beyond
}

TEST(Bend, TurnsTowardItsDirection) {
  const Vec points = axis_points(3);
  const Vec toward_x = moved(Nonlinear::bend, points, {0.8, 0});
  const Vec turned = moved(Nonlinear::bend, points, {0.8, 0.6});
  const Mat3 turn = rotation_exp(Vec3(0, 0.6, 0));
  EXPECT_GT(toward_x[6], 0.1);
  for (int k = 0; k < 3; ++k) EXPECT_LT((turned.segment<3>(3 * k) - turn * toward_x.segment<3>(3 * k)).norm(), 1e-14);
}

TEST(Twist, TurnsByItsAngleAtEachHeight) {
  const Vec points = axis_points(301, 0.5);
  for (const double rounding : {0.0, 0.2}) {
    const Vec s = moved(Nonlinear::twist, points, {-0.4, 1.6}, rounding);
    for (int k = 0; k <= 300; ++k) {
      const double y = points[3 * k + 1], u = (y + 1) / 2;
      if (u > 0 && u < 1 && (u < rounding || u > 1 - rounding)) continue;  // corners
      const double share = u <= 0 ? 0 : u >= 1 ? 1 : (u - rounding / 2) / (1 - rounding), angle = -0.4 + 2 * share;
      const Vec3 expected = rotation_exp(Vec3(0, angle, 0)) * points.segment<3>(3 * k);
      EXPECT_LT((s.segment<3>(3 * k) - expected).norm(), 1e-14) << y;
    }
  }
}

TEST(Squash, KeepsVolumeEverywhereAndTheLengthThatItSays) {
  const Vec points = 1.5 * random_points(200, 3);
  for (const double factor : {0.3, 1.7}) {
    std::vector<Mat3> slopes;
    moved(Nonlinear::squash, points, {factor}, 0.2, &slopes);
    bool some = false;
    for (const Mat3& slope : slopes) {
      EXPECT_NEAR(slope.determinant(), 1, 1e-12);
      some = some || std::abs(slope(1, 1) - 1) > 0.5;
    }
    EXPECT_TRUE(some);
    const Vec ends = (Vec(6) << 0, -1, 0, 0, 1, 0).finished();
    const Vec s = moved(Nonlinear::squash, ends, {factor}, 0.2);
    EXPECT_NEAR(s[4] - s[1], 2 * (0.2 + 0.8 * factor), 1e-14);
  }
}

TEST(Taper, ScalesLinearlyAndFlareAsTold) {
  const Vec points = (Vec(9) << 0.5, -2, 0.2, 0.5, 0, 0.2, 0.5, 2, 0.2).finished();
  const Vec tapered = moved(Nonlinear::taper, points, {-0.6});
  EXPECT_LT((tapered - (Vec(9) << 0.5, -2, 0.2, 0.35, 0, 0.14, 0.2, 2, 0.08).finished()).norm(), 1e-15);
  const Vec flared = moved(Nonlinear::flare, points, {2, 1, 4, 3, 0.5});
  EXPECT_LT((flared - (Vec(9) << 1, -2, 0.2, 0.5 * 3.5, 0, 0.2 * 2.5, 2, 2, 0.6).finished()).norm(), 1e-15);
}

TEST(Sine, WavesAlongTheAxis) {
  const Vec points = (Vec(9) << 0, 0, 0, 0.1, 0.25, 0, 0.1, 1.2, 0.3).finished();
  const Vec s = moved(Nonlinear::sine, points, {0.3, 2, 0.4});
  const auto wave = [](double y) { return 0.3 * std::sin(2 * std::numbers::pi * 2 * (y + 1) / 2 + 0.4); };
  EXPECT_LT((s - points - (Vec(9) << wave(0), 0, 0, wave(0.25), 0, 0, 0, 0, 0).finished()).norm(), 1e-15);
}

TEST(Nonlinear, EveryKindIsSmoothAcrossItsBounds) {
  const int count = 6001;
  const Vec points = axis_points(count, 0.4);
  for (const Nonlinear kind : kKinds) {
    std::vector<double> values;
    for (const NonlinearParameter& parameter : parameters(kind))
      values.push_back(parameter.rest + parameter.typical * (1.0 + static_cast<double>(values.size())));
    std::vector<Mat3> slopes;
    moved(kind, points, values, 0.2, &slopes);
    double jump = 0;  // over 5e-4: second derivatives are below 100 here
    for (int k = 1; k < count; ++k) jump = std::max(jump, (slopes[k] - slopes[k - 1]).norm());
    EXPECT_LT(jump, 0.05) << name(kind);
    EXPECT_GT(jump, 0) << name(kind);
  }
}

TEST(Nonlinear, KindsHaveNamesAndParametersAndRefuseWhatCannotBe) {
  for (const Nonlinear kind : kKinds) {
    EXPECT_EQ(find_nonlinear(name(kind)), kind);
    EXPECT_FALSE(parameters(kind).empty());
  }
  EXPECT_FALSE(find_nonlinear("melt").has_value());
  const auto refuses = [](auto&& spoil) {
    NonlinearDescription bad{.kind = Nonlinear::sine};
    spoil(bad);
    try {
      EXPECT_EQ(nonlinear_description(*make_nonlinear(bad))->kind, Nonlinear::sine);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refuses([](auto&) {}));
  EXPECT_TRUE(refuses([](auto& bad) { bad.low = bad.high; }));
  EXPECT_TRUE(refuses([](auto& bad) { bad.rounding = 0.6; }));
  EXPECT_TRUE(refuses([](auto& bad) { bad.frame.setZero(); }));
  EXPECT_TRUE(refuses([](auto& bad) { bad.parameter_slots = {0, 1, 2, 3}; }));
}

}  // namespace
}  // namespace rigspace
