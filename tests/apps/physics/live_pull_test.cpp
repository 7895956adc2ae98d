// Interactive pulls: bounded work a call, the same balance in the end, momentum, letting go.

#include "rigspace/apps/physics/live_pull.h"

#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "support/drawn_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rigspace::live_pull_test {
namespace {

const Character& bobbin() {
  static const Character character = make_character("bobbin");
  return character;
}

/// A hand's worth of moves: calls `move` toward a target until it has converged; how many calls that took.
int settle(LivePull& live, const Vec3& target) {
  int calls = 1;
  while (!live.move(std::span(&target, 1)).converged && calls < 200) ++calls;
  return calls;
}

TEST(LivePull, FollowsAHandInCallsOfBoundedWork) {
  LivePull live(bobbin(), {.iterations = 4});
  const Vec rest = bobbin().rig->rest();
  const int top = farthest_drawn_point(bobbin(), Vec3::UnitY());
  live.begin(rest, {top});
  const Vec3 from = point(points_at(bobbin(), rest), top);
  for (int k = 1; k <= 20; ++k) {  // 1 % of the size a frame
    const Vec3 target = from + 0.01 * k * live.size() * Vec3(0.8, -0.3, 0.5).normalized();
    const PoseReport report = live.move(std::span(&target, 1));
    EXPECT_LE(report.iterations, 4);
    EXPECT_LT(report.distance(), 0.03 * live.size()) << "frame " << k;
    // What the report says is where the rig has the point.
    EXPECT_LT((report.pulls.front().position - point(points_at(bobbin(), live.controls()), top)).norm(), 1e-9);
  }
  const Vec3 end = from + 0.2 * live.size() * Vec3(0.8, -0.3, 0.5).normalized();
  EXPECT_LT(settle(live, end), 50);
  const PoseReport last = live.move(std::span(&end, 1));
  EXPECT_TRUE(last.converged);
  EXPECT_TRUE(last.pulls.front().reached);
}

// The analytic answer of PoserTest: what only moves moves by the pull.
TEST(LivePull, ABallMovesByThePull) {
  const Character ball = make_character("sphere");
  const int top = farthest_drawn_point(ball, Vec3::UnitY());
  LivePull live(ball, {.settled = 0});
  live.begin(ball.rig->rest(), {top});
  const Vec3 target = point(points_at(ball, ball.rig->rest()), top) + Vec3(0.05, 0.02, -0.04);
  settle(live, target);
  const Vec moved = points_at(ball, live.controls()) - points_at(ball, ball.rig->rest());
  EXPECT_LT((point(moved, top) - Vec3(0.05, 0.02, -0.04)).norm(), 0.01 * live.size());
}

TEST(LivePull, OnTheSameFleshItEndsInTheBalanceOfPoser) {
  const Character bar = make_character("bar");
  const int end = farthest_drawn_point(bar, Vec3::UnitX());
  const Vec rest = bar.rig->rest();
  const Vec3 target = point(points_at(bar, rest), end) + Vec3(-0.02, 0.15, 0);
  LivePull live(bar, {.cell = 0.08, .settled = 0, .longest_walk = 1});
  live.begin(rest, {end});
  settle(live, target);
  Poser poser(bar, rest, {.pulled = {end}, .strength = 1, .stiffening = 10, .cell = 0.08});
  EXPECT_TRUE(poser.drag(std::span(&target, 1)).converged);
  ASSERT_EQ(live.free(), poser.free());
  const Vec a = points_at(bar, live.controls()), b = points_at(bar, poser.controls());
  ASSERT_GT((b - points_at(bar, rest)).cwiseAbs().maxCoeff(), 0.1);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 0.005 * live.size());
}

TEST(LivePull, TakesHoldOfOtherPointsInTheSameFlesh) {
  LivePull live(bobbin());
  EXPECT_FALSE(live.begun());
  const Vec rest = bobbin().rig->rest();
  const int top = farthest_drawn_point(bobbin(), Vec3::UnitY()), side = farthest_drawn_point(bobbin(), Vec3::UnitX());
  live.begin(rest, {top});
  const double size = live.size();
  const Vec3 up = point(points_at(bobbin(), rest), top) + Vec3(0.03 * size, -0.02 * size, 0);
  settle(live, up);
  const Vec posed = live.controls();
  EXPECT_GT((posed - rest).cwiseAbs().maxCoeff(), 0.01);
  // A second pull starts where the first one ended, and nothing jumps.
  live.begin(posed, {side});
  EXPECT_TRUE(live.begun());
  EXPECT_EQ(live.controls(), posed);
  const Vec3 there = point(points_at(bobbin(), posed), side);
  live.move(std::span(&there, 1));
  EXPECT_LT((points_at(bobbin(), live.controls()) - points_at(bobbin(), posed)).cwiseAbs().maxCoeff(), 1e-4 * size);
}

TEST(LivePull, SwingsBackWhenItIsLetGo) {
  LivePull live(bobbin());
  const Vec rest = bobbin().rig->rest();
  const int top = farthest_drawn_point(bobbin(), Vec3::UnitY());
  live.begin(rest, {top});
  const Vec s = points_at(bobbin(), rest);
  const Vec3 target = point(s, top) + 0.05 * live.size() * Vec3(1, -0.2, 0);
  for (int k = 0; k < 60; ++k) live.step(1.0 / 60, std::span(&target, 1));
  const auto away = [&] { return (point(points_at(bobbin(), live.controls()), top) - point(s, top)).norm(); };
  const double pulled = away();
  EXPECT_GT(pulled, 0.03 * live.size());
  live.let_go();
  EXPECT_THROW(live.move(std::span(&target, 1)), Error);
  for (int k = 0; k < 240; ++k) live.step(1.0 / 60);
  EXPECT_LT(away(), 0.2 * pulled);
}

TEST(LivePull, StepsOnItsOwnGrid) {
  LivePull often(bobbin()), seldom(bobbin());
  const Vec rest = bobbin().rig->rest();
  const int top = farthest_drawn_point(bobbin(), Vec3::UnitY());
  const Vec3 target = point(points_at(bobbin(), rest), top) + Vec3(0.03, -0.01, 0);
  for (LivePull* each : {&often, &seldom}) each->begin(rest, {top});
  for (int k = 0; k < 10; ++k) {
    for (int part = 0; part < 4; ++part) often.step(1.0 / 240, std::span(&target, 1));
    seldom.step(1.0 / 60, std::span(&target, 1));
    EXPECT_EQ(often.controls(), seldom.controls()) << "frame " << k;
  }
  EXPECT_GT((seldom.controls() - rest).cwiseAbs().maxCoeff(), 1e-3);
  const PoseReport late = seldom.step(1, std::span(&target, 1));  // a hitch: two steps, not sixty
  EXPECT_LE(late.solves, 4);
}

TEST(LivePull, IsCancelledAndGoesOn) {
  EXPECT_THROW(LivePull(bobbin(), {}, [](const Progress&) { return false; }), Cancelled);
  LivePull live(bobbin());
  const Vec rest = bobbin().rig->rest();
  const int top = farthest_drawn_point(bobbin(), Vec3::UnitY());
  live.begin(rest, {top});
  const Vec3 target = point(points_at(bobbin(), rest), top) + Vec3(0.05, -0.02, 0);
  EXPECT_THROW(live.move(std::span(&target, 1), [](const Progress&) { return false; }), Cancelled);
  EXPECT_TRUE(live.controls().allFinite());
  settle(live, target);
  EXPECT_TRUE(live.move(std::span(&target, 1)).pulls.front().reached);
}

TEST(LivePull, RefusesWhatIsNotThere) {
  LivePull live(bobbin());
  const Vec rest = bobbin().rig->rest();
  const Vec3 target(0, 0, 0);
  EXPECT_THROW(live.move(std::span(&target, 1)), Error);
  EXPECT_THROW(live.begin(rest, {-1}), Error);
  EXPECT_FALSE(live.begun());
  live.begin(rest, {farthest_drawn_point(bobbin(), Vec3::UnitY())});
  const Vec before = live.controls();
  EXPECT_THROW(live.begin(Vec::Zero(2), {0}), Error);
  EXPECT_EQ(live.controls(), before);
  const Vec3 nowhere(0, std::nan(""), 0);
  EXPECT_THROW(live.move(std::span(&nowhere, 1)), Error);
  EXPECT_THROW(live.step(0, std::span(&nowhere, 1)), Error);
  EXPECT_THROW(live.step(-1, std::span(&target, 1)), Error);
  EXPECT_THROW(LivePull(bobbin(), {.iterations = 0}), Error);
}

}  // namespace
}  // namespace rigspace::live_pull_test
