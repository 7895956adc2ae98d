// Shapes to train on: in balance, within reach, the same every time.

#include "rigspace/reduce/shaking.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "shaken.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

using testing::shaken_bar;
using testing::ShakenBody;

/// The keyed joints bent: two poses.
std::vector<Vec> bent(const ShakenBody& bar) {
  std::vector<Vec> poses = random_poses(*bar.body.rig, bar.free, {.count = 3, .share = 0.2});
  poses.erase(poses.begin());
  return poses;
}

double largest(In x) {
  double most = 0;
  for (Eigen::Index i = 0; i < x.size(); i += 3) most = std::max(most, x.segment<3>(i).norm());
  return most;
}

/// Of the elastic forces, those on the nodes inside against those that the skin holds.
double unrest(const RigBody& body, const InteriorBalance& balance, In x) {
  Vec g = Vec::Zero(x.size());
  balance.solid().add_gradient(*balance.solid().make_state(), x, 1, g);
  double inside = 0, skin = 0;
  for (int i = 0; i < body.node_count(); ++i) (body.skin[i] ? skin : inside) += point(g, i).squaredNorm();
  return std::sqrt(inside / skin);
}

TEST(Shaking, LeavesTheInsideInBalance) {
  const ShakenBody bar = shaken_bar();
  InteriorBalance balance(bar.body);
  for (const bool follows : {true, false}) {
    const auto examples = shake(bar.body, bar.free, bent(bar), {.rest_follows = follows, .probes = true});
    ASSERT_GT(examples.size(), 10u);
    for (const ExamplePose& each : examples) {
      balance.set_rest(follows ? each.x_key : bar.body.mesh.points);
      // The last step is at most 1e-5 of the body, where deviations are 1e-2 to 4e-2 of it.
      EXPECT_LT(unrest(bar.body, balance, each.x), 1e-3);
    }
  }
}

TEST(Shaking, LeavesTheSkinToTheControls) {
  const ShakenBody bar = shaken_bar();
  for (const ExamplePose& each : shake(bar.body, bar.free, bar.poses("Swing", 0.2, 0.4, 2))) {
    const Vec x = testing::carried(bar.body, each.p);
    for (int i = 0; i < bar.body.node_count(); ++i) {
      if (!bar.body.skin[i]) continue;
      ASSERT_EQ(point(x, i), point(each.x, i));
    }
    EXPECT_EQ(testing::carried(bar.body, each.p_key), each.x_key);
    for (int c = 0; c < static_cast<int>(each.p.size()); ++c) {
      if (std::binary_search(bar.free.begin(), bar.free.end(), c)) continue;
      EXPECT_EQ(each.p[c], each.p_key[c]);
    }
  }
}

TEST(Shaking, GoesAsFarAsItIsTold) {
  // What the left joints move is 0.38 of the bar long. Deviations of controls are scaled to the amplitude, so that only
  // the bending of arcs, a few percent, goes beyond.
  const ShakenBody bar = shaken_bar();
  const double size = bounding_box(bar.body.mesh.points).diagonal();
  for (const double amplitude : {0.02, 0.1}) {
    double most = 0;
    for (const ExamplePose& each :
         shake(bar.body, bar.free, bar.poses("Swing", 0, 0.4, 2), {.impulses = 8, .amplitude = amplitude})) {
      most = std::max(most, largest(each.x - each.x_key));
      EXPECT_GT(largest(each.x - each.x_key), 0.02 * amplitude * size);
    }
    EXPECT_GT(most, 0.36 * amplitude * size);
    EXPECT_LT(most, 0.40 * amplitude * size);
  }
}

TEST(Shaking, IsTheSameOnAnyNumberOfThreads) {
  const ShakenBody bar = shaken_bar();
  const auto run = [&](int threads) {
    const ThreadCountScope scope(threads);
    return shake(bar.body, bar.free, bar.poses("Swing", 0, 0.4, 2), {.probes = true});
  };
  const auto one = run(1), three = run(3);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one[k].p, three[k].p);
    EXPECT_EQ(one[k].x, three[k].x);
  }
}

TEST(Shaking, ProbesEveryControlBothWays) {
  const ShakenBody bar = shaken_bar();
  const auto probes = shake(bar.body, bar.free, bar.poses("Swing", 0, 0.4, 2), {.impulses = 0, .probes = true});
  ASSERT_EQ(probes.size(), 2 * bar.free.size());
  for (std::size_t k = 0; k < probes.size(); ++k) {
    const Vec change = probes[k].p - probes[k].p_key;
    EXPECT_EQ((change.array() != 0).count(), 1);
    EXPECT_EQ(change[bar.free[k / 2]] > 0, k % 2 == 0);
  }
}

TEST(Shaking, StartsFromTheBalanceWhereTheRestShapeStays) {
  // The papers' setting: bent by the keyed joints, the free ones share the bend.
  const ShakenBody bar = shaken_bar();
  const auto examples = shake(bar.body, bar.free, bent(bar), {.impulses = 1, .rest_follows = false});
  ASSERT_EQ(examples.size(), 6u);
  EXPECT_GT((examples[0].p - examples[0].p_key).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Shaking, GivesNothingWhereNothingAnswers) {
  const ShakenBody bar = shaken_bar();
  EXPECT_TRUE(shake(bar.body, {}, bar.poses("Swing", 0, 1, 1)).empty());
  EXPECT_THROW(shake(bar.body, bar.free, {}, {.amplitude = 0}), Error);
  EXPECT_THROW(shake(bar.body, bar.free, {}, {}, [](const Progress&) { return false; }), std::exception);
}

TEST(RandomPoses, StayWithinLimitsAndLeaveFreeControlsAtRest) {
  const Character sphere = make_character("sphere");
  const std::vector<int> free{3, 7};
  const auto poses = random_poses(*sphere.rig, free, {.count = 5, .share = 1});
  ASSERT_EQ(poses.size(), 5u);
  EXPECT_EQ(poses[0], sphere.rig->rest());
  for (const Vec& p : poses)
    for (int c = 0; c < static_cast<int>(p.size()); ++c) {
      const Control& control = sphere.rig->controls()[c];
      EXPECT_GE(p[c], std::min(control.min, control.rest));
      EXPECT_LE(p[c], std::max(control.max, control.rest));
      if (c == 3 || c == 7 || control.unit == Unit::quaternion) {
        EXPECT_EQ(p[c], control.rest);
      }
    }
  EXPECT_NE(poses[1], poses[2]);
  EXPECT_EQ(poses, random_poses(*sphere.rig, free, {.count = 5, .share = 1}));
}

}  // namespace
}  // namespace rigspace
