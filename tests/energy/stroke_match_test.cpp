#include "rigspace/energy/stroke_match.h"

#include "rigspace/base/error.h"
#include "rigspace/energy/point_prior.h"
#include "rigspace/optimize/newton.h"
#include "rigspace/testing/check_energy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace rigspace {
namespace {

const Camera kFront{.eye = Vec3(0, 0, 6), .target = Vec3(0, 0, 0)};
const Camera kFlat{.eye = Vec3(0, 0, 6), .target = Vec3(0, 0, 0), .height = 4};

/// Nine points on an arc, slightly out of the plane.
Vec arc(int count = 9) {
  Vec x(3 * count);
  for (int i = 0; i < count; ++i) {
    const double t = i / (count - 1.0);
    point(x, i) = Vec3(2 * t - 1, 0.4 * t * t, 0.2 * t);
  }
  return x;
}

CharacterCurve on_points(int count, bool closed = false) {
  CharacterCurve curve{.closed = closed};
  for (int i = 0; i < count; ++i) curve.places.push_back({.points = {i, 0, 0, 0}});
  return curve;
}

DrawnCurve seen(const Camera& camera, In x) {
  DrawnCurve stroke;
  for (int i = 0; i < x.size() / 3; ++i) stroke.points.push_back(ViewPlane(camera).project(point(x, i)));
  return stroke;
}

DrawnCurve wave() {
  DrawnCurve stroke;
  for (int k = 0; k <= 40; ++k) stroke.points.emplace_back(-0.5 + 0.025 * k, 0.2 * std::sin(0.2 * k));
  return stroke;
}

TEST(StrokeMatch, ObeysTheLawsOfEnergies) {
  for (const Camera& camera : {kFront, kFlat})
    for (const auto& [kind, slide] : {std::pair{Correspondence::ordered, 0.0},
                                      {Correspondence::ordered, 0.2},
                                      {Correspondence::nearest, 0.0},
                                      {Correspondence::nearest, 0.2},
                                      {Correspondence::from_stroke, 0.0}}) {
      CharacterCurve curve = on_points(9);
      curve.places[4] = {.points = {3, 4, 5, 0}, .weights = {0.2, 0.5, 0.3, 0}};
      const StrokeMatch match(9, camera, {curve}, {wave()}, {{.curves = {0}, .strokes = {0}, .correspondence = kind}},
                              {.slide = slide});
      // Gauss and Newton's Hessian in perspective: compared below, in its exact form.
      const auto report = testing::check_energy(match, arc(), {.hessian = camera.height > 0});
      EXPECT_TRUE(report.ok()) << report;
    }
}

TEST(StrokeMatch, ExactHessianIsTheDerivativeOfTheGradient) {
  const StrokeMatch match(9, kFront, {on_points(9)}, {wave()}, {{.curves = {0}, .strokes = {0}}});
  const auto state = match.make_state();
  Vec x = arc();
  match.refresh(*state, x, Phase::step);
  struct Dense final : BlockSink {
    Mat H = Mat::Zero(27, 27);
    void add_coordinates(std::span<const int> c, const double* block) override {
      for (std::size_t a = 0; a < c.size(); ++a)
        for (std::size_t b = 0; b < c.size(); ++b) H(c[a], c[b]) += block[a + b * c.size()];
    }
  } sink;
  match.add_hessian(*state, x, 1, HessianMode::exact, sink);
  const double h = 1e-5;
  for (int k = 0; k < 27; ++k) {
    Vec low = Vec::Zero(27), high = Vec::Zero(27), at = x;
    at[k] = x[k] + h, match.add_gradient(*state, at, 1, high);
    at[k] = x[k] - h, match.add_gradient(*state, at, 1, low);
    EXPECT_LT((sink.H.col(k) - (high - low) / (2 * h)).norm(), 1e-8);
  }
}

TEST(StrokeMatch, IsZeroOnItsOwnPictureInEitherDirection) {
  const Vec x = arc();
  for (const Camera& camera : {kFront, kFlat})
    for (const bool reversed : {false, true}) {
      DrawnCurve stroke = seen(camera, x);
      if (reversed) std::reverse(stroke.points.begin(), stroke.points.end());
      const StrokeMatch match(9, camera, {on_points(9)}, {stroke},
                              {{.curves = {0}, .strokes = {0}, .reversed = reversed}});
      EXPECT_LT(match.residual(x, 0), 1e-7);  // squares are summed expanded: the root of rounding
    }
}

TEST(StrokeMatch, AClosedStrokeMayBeginAnywhereAndRunEitherWay) {
  Vec x(36);
  DrawnCurve stroke{.closed = true};
  for (int i = 0; i < 12; ++i) point(x, i) = Vec3(std::cos(i * 30 * kDegree), 0.7 * std::sin(i * 30 * kDegree), 0);
  for (int i = 0; i < 48; ++i)  // a quarter of the way around, the other way
    stroke.points.emplace_back(0.5 * std::cos((90 - i * 7.5) * kDegree), 0.35 * std::sin((90 - i * 7.5) * kDegree));
  const StrokeMatch match(12, kFlat, {on_points(12, true)}, {stroke}, {{.curves = {0}, .strokes = {0}}});
  EXPECT_LT(match.residual(x, 0), 0.02);
}

TEST(StrokeMatch, EveryPlaceAndEveryPointOfTheStrokeHasACorrespondence) {
  // (5.6): forward weights sum to one over the places, backward ones over the stroke; together the pair's weight. Moved
  // far away, the energy grows as the weight times the square of the distance.
  const Vec x = arc();
  const StrokeMatch match(9, kFlat, {on_points(9)}, {wave()},
                          {{.curves = {0}, .strokes = {0}, .correspondence = Correspondence::nearest, .weight = 3}});
  const auto state = match.make_state();
  match.refresh(*state, x, Phase::step);
  Vec far = x;
  for (int i = 0; i < 9; ++i) far[3 * i] += 2e6;  // one million view units
  EXPECT_NEAR(match.value(*state, far) / (0.5 * 3e12), 1, 1e-5);
}

TEST(StrokeMatch, AStrokeMayCoverAPartOfTheCurveAlone) {
  const Vec x = arc();
  DrawnCurve part = seen(kFlat, x);
  part.points.resize(4);
  const auto residual = [&](Correspondence kind) {
    return StrokeMatch(9, kFlat, {on_points(9)}, {part}, {{.curves = {0}, .strokes = {0}, .correspondence = kind}})
        .residual(x, 0);
  };
  EXPECT_LT(residual(Correspondence::from_stroke), 1e-7);
  EXPECT_GT(residual(Correspondence::nearest), 0.1);
}

TEST(StrokeMatch, PlacesBehindTheEyeAreNotAllowed) {
  const StrokeMatch match(9, kFront, {on_points(9)}, {wave()}, {{.curves = {0}, .strokes = {0}}});
  const auto state = match.make_state();
  Vec x = arc();
  match.refresh(*state, x, Phase::step);
  x[2] = 7;
  EXPECT_EQ(match.value(*state, x), std::numeric_limits<double>::infinity());
}

TEST(StrokeMatch, FreePointsSettleOnTheStroke) {
  const StrokeMatch match(9, kFront, {on_points(9)}, {wave()}, {{.curves = {0}, .strokes = {0}}});
  const Vec x = arc();
  std::vector<HeldPoint> held;
  for (int i = 0; i < 9; ++i) held.push_back({.point = i, .place = point(x, i), .stiffness = 1e-6 * Mat3::Identity()});
  const PointPrior prior(held);
  const auto report = testing::check_energy(prior, x + Vec::Constant(27, 0.1));
  EXPECT_TRUE(report.ok()) << report;
  const IdentityMapping identity(27);
  Objective objective(identity);
  objective.add("strokes", match);
  objective.add("prior", prior);
  Vec q = x;
  minimize(objective, q);
  EXPECT_LT(match.residual(q, 0), 1e-3);
}

TEST(StrokeMatch, SlidingPlacesFeelHardlyAnythingAlongTheStroke) {
  Vec x(27);
  DrawnCurve line;
  for (int i = 0; i < 9; ++i) point(x, i) = Vec3(0.2 * i - 0.8, 0, 0);
  for (int k = 0; k <= 20; ++k) line.points.emplace_back(0.04 * k - 0.4, 0);
  const auto energy = [&](double slide, const Vec3& by) {
    const StrokeMatch match(9, kFlat, {on_points(9)}, {line}, {{.curves = {0}, .strokes = {0}}},
                            {.slide = slide, .along = 0});
    const auto state = match.make_state();
    match.refresh(*state, x, Phase::step);
    Vec moved = x;
    for (int i = 1; i < 8; ++i) point(moved, i) += by;
    return match.value(*state, moved);
  };
  EXPECT_LT(energy(0.2, Vec3(0.05, 0, 0)), 1e-12);
  EXPECT_GT(energy(0, Vec3(0.05, 0, 0)), 1e-5);
  // Across it they feel as much, up to how the pair's weight is shared out between ends and middle.
  EXPECT_NEAR(energy(0.2, Vec3(0, 0.05, 0)) / energy(0, Vec3(0, 0.05, 0)), 1, 0.25);
}

TEST(StrokeMatch, RefusesWhatIsNotThere) {
  EXPECT_THROW(StrokeMatch(9, kFront, {on_points(10)}, {wave()}, {}), Error);
  EXPECT_THROW(StrokeMatch(9, kFront, {on_points(9)}, {wave()}, {{.curves = {1}, .strokes = {0}}}), Error);
  EXPECT_THROW(StrokeMatch(9, kFront, {on_points(9)}, {DrawnCurve{}}, {{.curves = {0}, .strokes = {0}}}), Error);
}

}  // namespace
}  // namespace rigspace
