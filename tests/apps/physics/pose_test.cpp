// Poses by pulling points: analytic answers, limits, black boxes, dragging, motion.

#include "rigspace/apps/physics/pose.h"

#include "rigspace/apps/physics/pose_path.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/rig/black_box.h"
#include "support/drawn_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

namespace rigspace::pose_test {
namespace {

Vec3 rest_place(const Character& character, int i) { return point(points_at(character, character.rig->rest()), i); }

std::vector<int> named(const Character& character, std::initializer_list<const char*> names) {
  std::vector<int> controls;
  for (const char* name : names) controls.push_back(character.rig->find(name));
  std::sort(controls.begin(), controls.end());
  return controls;
}

std::set<std::string> posable(const Character& character, bool held) {
  std::set<std::string> names;
  for (const int c : posable_controls(character, character.rig->rest(), held))
    names.insert(character.rig->controls()[c].name);
  return names;
}

/// The same character without derivatives, and with other limits if wanted.
Character as_black_box(const Character& character, double limit = std::numeric_limits<double>::infinity()) {
  const std::shared_ptr<const Rig> rig = character.rig;
  BlackBoxDescription box;
  box.controls.assign(rig->controls().begin(), rig->controls().end());
  for (Control& control : box.controls)
    control.min = std::max(control.min, control.rest - limit),
    control.max = std::min(control.max, control.rest + limit);
  box.point_count = rig->point_count();
  box.noise = 0;
  box.evaluate = [rig](In p, Vec& s) { rig->evaluate(*rig->make_workspace(), p, s); };
  Character result = character;
  result.rig = std::make_shared<BlackBoxRig>(box);
  return result;
}

PoseReport drag_to(Poser& poser, const Vec3& target) { return poser.drag(std::span(&target, 1)); }

TEST(Poser, ABallThatCanOnlyMoveMovesByThePull) {
  const Character ball = make_character("sphere");
  const int top = farthest_drawn_point(ball, Vec3::UnitY());
  Poser poser(ball, ball.rig->rest(), {.pulled = {top}, .free = named(ball, {"sphere.tx", "sphere.ty", "sphere.tz"})});
  const Vec3 by(0.1, 0.05, -0.2);
  const PoseReport report = drag_to(poser, rest_place(ball, top) + by);
  EXPECT_TRUE(report.converged);
  EXPECT_TRUE(report.pulls.front().reached);
  // Nothing is strained, so only the solver's own springs hold it back: a millionth of the pull.
  const Vec moved = poser.controls() - ball.rig->rest();
  EXPECT_NEAR(moved[ball.rig->find("sphere.tx")], by.x(), 1e-5);
  EXPECT_NEAR(moved[ball.rig->find("sphere.ty")], by.y(), 1e-5);
  EXPECT_NEAR(moved[ball.rig->find("sphere.tz")], by.z(), 1e-5);
}

TEST(Poser, TwoPullsApartScaleABall) {
  const Character ball = make_character("sphere");
  const int left = farthest_drawn_point(ball, -Vec3::UnitX()), right = farthest_drawn_point(ball, Vec3::UnitX());
  Poser poser(ball, ball.rig->rest(),
              {.pulled = {left, right}, .free = named(ball, {"sphere.sx", "sphere.sy", "sphere.sz"})});
  const Vec3 targets[] = {rest_place(ball, left) - Vec3(0.05, 0, 0), rest_place(ball, right) + Vec3(0.05, 0, 0)};
  const PoseReport report = poser.drag(targets);
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.distance(), 0.01 * poser.size());
  const auto control = [&](const char* name) { return poser.controls()[ball.rig->find(name)]; };
  const double radius = rest_place(ball, right).x();
  EXPECT_NEAR(control("sphere.sx"), (radius + 0.05) / radius, 0.01 * poser.size() / radius);
  // Pulled in length, flesh of Poisson's ratio 0.4 grows thin, alike on both sides.
  EXPECT_LT(control("sphere.sy"), 0.97);
  EXPECT_NEAR(control("sphere.sy"), control("sphere.sz"), 5e-3);
}

TEST(Poser, NeverLeavesLimitsAndTellsWhatItDoesNotReach) {
  const Character bar = as_black_box(make_character("bar"), 0.2);
  const int end = farthest_drawn_point(bar, Vec3::UnitX());
  const auto free = named(bar, {"p1", "p2", "p3", "p4"});
  Poser poser(bar, bar.rig->rest(), {.pulled = {end}, .free = free, .cell = 0.08});
  for (const double far : {0.05, 0.3, 1.0, 0.3}) {
    const PoseReport report = drag_to(poser, rest_place(bar, end) + Vec3(-0.2 * far, far, 0));
    for (const int c : free) {
      EXPECT_GE(poser.controls()[c], bar.rig->controls()[c].min);
      EXPECT_LE(poser.controls()[c], bar.rig->controls()[c].max);
    }
    if (far == 1.0) {
      EXPECT_FALSE(report.pulls.front().reached);
      EXPECT_GT(report.pulls.front().distance, 0.1);
    }
  }
}

TEST(Poser, ReachesWhatCanBeReached) {
  const Character bar = make_character("bar");
  const auto free = named(bar, {"p1", "p2", "p3", "p4"});
  const int end = farthest_drawn_point(bar, Vec3::UnitX());
  Vec p = bar.rig->rest();
  p[bar.rig->find("p3")] = 0.5;  // a place where some pose has the end
  Poser poser(bar, bar.rig->rest(), {.pulled = {end}, .free = free, .cell = 0.08});
  const PoseReport report = drag_to(poser, point(points_at(bar, p), end));
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.distance(), 0.01 * poser.size());
  EXPECT_GT((poser.controls() - bar.rig->rest()).norm(), 0.1);
  // What the report says is where the rig has the point.
  EXPECT_LT((report.pulls.front().position - point(points_at(bar, poser.controls()), end)).norm(), 1e-9);
}

TEST(Poser, PosesABlackBoxAlike) {
  const Character bar = make_character("bar");
  const auto free = named(bar, {"p1", "p2", "p3", "p4"});
  const int end = farthest_drawn_point(bar, Vec3::UnitX());
  const Vec3 target = rest_place(bar, end) + Vec3(-0.02, 0.15, 0);
  const auto pose = [&](const Character& character) {
    Poser poser(character, bar.rig->rest(),
                {.pulled = {end}, .free = free, .cell = 0.08, .tolerance = 1e-6, .settled = 0});
    EXPECT_TRUE(drag_to(poser, target).converged);
    return poser.controls();
  };
  const Vec own = pose(bar);
  ASSERT_GT((own - bar.rig->rest()).cwiseAbs().maxCoeff(), 0.05);
  EXPECT_LT((pose(as_black_box(bar)) - own).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Poser, DragsFromTheLastPoseInFewerIterations) {
  const Character flower = make_character("flower");
  const int top = farthest_drawn_point(flower, Vec3::UnitY());
  const PoserOptions options{.pulled = {top}, .cell = 0.05};
  const Vec3 from = rest_place(flower, top);
  Poser dragged(flower, flower.rig->rest(), options), fresh(flower, flower.rig->rest(), options);
  int warm = 0, cold = 0;
  for (int k = 1; k <= 10; ++k) {
    const Vec3 target = from + 0.02 * k * dragged.size() * Vec3(0.8, -0.3, 0.5);
    const PoseReport report = drag_to(dragged, target);
    EXPECT_TRUE(report.converged);
    warm += report.iterations;
    fresh.restart(flower.rig->rest());
    cold += drag_to(fresh, target).iterations;
  }
  EXPECT_LT(warm, cold);
  EXPECT_LE(warm, 10 * 8);
}

TEST(Poser, KeepsTheStartWhereNothingPulls) {
  // The flesh wants the first pose, not the rig's rest pose: a pull toward where the point is changes nothing.
  const Character bar = make_character("bar");
  const auto free = named(bar, {"p1", "p2", "p3", "p4"});
  Vec p = bar.rig->rest();
  for (const int c : free) p[c] += 0.1;
  const int end = farthest_drawn_point(bar, Vec3::UnitX());
  Poser poser(bar, p, {.pulled = {end}, .free = free, .cell = 0.08});
  drag_to(poser, point(points_at(bar, p), end));
  EXPECT_LT((poser.controls() - p).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Poser, HoldsPointsAndLetsTheHipsFollow) {
  const Character bobbin = make_character("bobbin");
  const std::set<std::string> loose = posable(bobbin, false), held = posable(bobbin, true);
  EXPECT_GT(held.size(), loose.size());
  for (const std::string& name : loose) EXPECT_TRUE(held.contains(name)) << name;
  // Joints turn; they do not become longer or thicker.
  for (const std::string& name : held) EXPECT_FALSE(name.ends_with(".sx")) << name;
}

TEST(Poser, RaisesPeanutsHandsWithItsFeetOnTheGround) {
  const Character peanut = make_character("peanut");
  const int left = nearest_drawn_point(peanut, {0.478, 0.504, 0.026}),
            right = nearest_drawn_point(peanut, {-0.478, 0.504, 0.026});
  const std::vector<int> feet = {nearest_drawn_point(peanut, {0.15, 0, 0.05}),
                                 nearest_drawn_point(peanut, {-0.15, 0, 0.05})};
  Poser poser(peanut, peanut.rig->rest(), {.pulled = {left, right}, .held = feet, .use_cache = true});
  const Vec3 up(-0.05, 0.2, 0.05), mirrored(0.05, 0.2, 0.05);
  const Vec3 targets[] = {rest_place(peanut, left) + up, rest_place(peanut, right) + mirrored};
  const PoseReport report = poser.drag(targets);
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.distance(), 0.01 * poser.size());
  for (const PullReport& hold : report.holds) EXPECT_TRUE(hold.reached);
}

TEST(Poser, LetsABallGoWithEverythingItHas) {
  const Character ball = make_character("sphere");
  const std::set<std::string> names = posable(ball, false);
  for (const char* name : {"sphere.tx", "sphere.ry", "sphere.sz"}) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Poser, RefusesWhatIsNotThere) {
  const Character bar = make_character("bar");
  const Vec rest = bar.rig->rest();
  EXPECT_THROW(Poser(bar, rest, {.pulled = {bar.rig->point_count()}}), Error);
  EXPECT_THROW(Poser(bar, rest, {.pulled = {-1}}), Error);
  EXPECT_THROW(Poser(bar, rest, {.pulled = {0}, .strength = 0}), Error);
  Poser poser(bar, rest, {.pulled = {0}});
  EXPECT_THROW(drag_to(poser, Vec3(0, std::nan(""), 0)), Error);
  EXPECT_THROW(poser.drag({}), Error);
}

TEST(PullPath, GoesThroughItsKeysAndStaysAtItsEnds) {
  const Vec3 places[] = {{0, 0, 0}, {1, 2, 0}, {1, 0, 3}};
  const PullPath path({0, 1, 3}, places);
  for (int k = 0; k < 3; ++k) EXPECT_LT((path(k == 2 ? 3 : k) - places[k]).norm(), 1e-12);
  EXPECT_EQ(path(-1), places[0]);
  EXPECT_EQ(path(9), places[2]);
  EXPECT_EQ(path.end(), 3);
  EXPECT_THROW(PullPath({1, 1, 2}, places), Error);
}

TEST(PoseAlong, MakesAClipThatFollowsItsTargets) {
  const Character bar = make_character("bar");
  const int end = farthest_drawn_point(bar, Vec3::UnitX());
  const Vec3 home = rest_place(bar, end);
  const Vec3 places[] = {home, home + Vec3(-0.03, 0.2, 0), home};
  const PullPath path({0, 0.5, 1}, places);
  Poser poser(bar, bar.rig->rest(), {.pulled = {end}, .free = named(bar, {"p1", "p2", "p3", "p4"}), .cell = 0.08});
  const PosedClip posed = pose_along(poser, bar, std::span(&path, 1), {.fps = 10});
  ASSERT_EQ(posed.times.size(), 11U);
  EXPECT_EQ(posed.not_converged(), 0);
  EXPECT_EQ(posed.unreached(), 0);
  EXPECT_LT(posed.distance(), 0.01 * poser.size());
  EXPECT_EQ(posed.clip.tracks.size(), 4U);
  // Played back, the clip has the point where the report says.
  const Vec s = points_at(bar, pose_at(bar, &posed.clip, 0.5));
  EXPECT_LT((point(s, end) - posed.reports[5].pulls.front().position).norm(), 1e-9);
}

TEST(PoseAlong, WithMomentumGoesOnWhenTheTargetStops) {
  // The pull at one end stops; the other end, free, still swings. Without momentum nothing moves any more.
  const Character bar = make_character("bar");
  const int end = farthest_drawn_point(bar, Vec3::UnitX());
  const Vec3 home = rest_place(bar, end);
  const Vec3 places[] = {home, home + Vec3(-0.02, 0.15, 0)};
  const PullPath path({0, 0.2}, places);
  const auto motion_after_the_stop = [&](bool dynamic) {
    Poser poser(
        bar, bar.rig->rest(),
        {.pulled = {end}, .free = named(bar, {"p1", "p2", "p3", "p4"}), .cell = 0.08, .step = 0.02, .mass_damping = 0});
    const PosedClip posed =
        pose_along(poser, bar, std::span(&path, 1), {.fps = 25, .duration = 0.48, .dynamic = dynamic});
    EXPECT_EQ(posed.not_converged(), 0);
    double most = 0;
    for (Eigen::Index k = 8; k < posed.poses.cols(); ++k)
      most = std::max(most, (posed.poses.col(k) - posed.poses.col(7)).cwiseAbs().maxCoeff());
    return most;
  };
  EXPECT_LT(motion_after_the_stop(false), 1e-3);
  EXPECT_GT(motion_after_the_stop(true), 0.02);
}

}  // namespace
}  // namespace rigspace::pose_test
