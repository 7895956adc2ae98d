#include <gtest/gtest.h>

#include "members.h"

namespace rigspace {
namespace {

class Sumo : public ::testing::Test {
 protected:
  static const Character& sumo() { return testing::member("sumo"); }
  static const Piece& body() { return sumo().pieces.front(); }
  /// The lowest point of a foot: side +1 left, -1 right.
  static double foot_height(double time, double side) {
    const Vec s = testing::points_at(sumo(), "Stomp", time);
    const Vec& rest = testing::built_in(sumo()).points_rest();
    double lowest = 1e9;
    for (int v = 0; v < body().point_count; ++v) {
      if (rest[3 * v + 1] < 0.05 && side * rest[3 * v] > 0) lowest = std::min(lowest, s[3 * v + 1]);
    }
    return lowest;
  }
};

TEST_F(Sumo, LiftsALegHighAndBringsItDownHard) {
  EXPECT_NEAR(foot_height(0, -1), 0, 0.005);
  EXPECT_GT(foot_height(1.7, -1), 0.3);
  EXPECT_NEAR(foot_height(2.15, -1), 0, 0.005);
  EXPECT_LT((foot_height(2.1, -1) - foot_height(2.05, -1)) / 0.05, -2);  // metres per second, as it lands
  for (const double time : {0.0, 0.7, 1.5, 2.1, 3.0}) EXPECT_NEAR(foot_height(time, 1), 0, 0.005) << time;
}

TEST_F(Sumo, StandingFootDoesNotSlide) {
  // 2 mm: linear keys at 60 a second. The stomping foot lifts off and lands at once, flat.
  EXPECT_LT(testing::longest_slide(sumo(), "Stomp", body(), 0.001), 0.002);
  EXPECT_LT(testing::longest_slide(sumo(), "HeadShake", body(), 0.001), 0.002);
}

TEST_F(Sumo, ClipsEndAsTheyBegan) {
  EXPECT_EQ(testing::seam(sumo(), "Stomp"), 0);
  EXPECT_EQ(testing::seam(sumo(), "HeadShake"), 0);
}

TEST_F(Sumo, ShakesHisHeadThreeTimesASecond) {
  const int yaw = testing::built_in(sumo()).find("head.qy");
  int turns = 0;
  double before = 0;
  for (int k = 0; k <= 60; ++k) {  // from 0.5 s to 1.5 s
    const double now = pose_at(sumo(), sumo().clip("HeadShake"), 0.5 + k / 60.0)[yaw];
    turns += before * now < 0;
    if (now != 0) before = now;
  }
  EXPECT_GE(turns, 5);
  EXPECT_LE(turns, 7);
}

TEST_F(Sumo, HandlesTogetherMoveTheBellyAsFarAsThemselves) {
  const BuiltInRig& rig = testing::built_in(sumo());
  Vec p = rig.rest();
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) {
    if (rig.controls()[c].name.starts_with("belly_") && rig.controls()[c].name.ends_with(".ty")) p[c] -= 0.05;
  }
  const Vec moved = testing::points_of(sumo(), p) - rig.points_rest();
  const double most = -moved.head(3 * body().point_count).reshaped(3, body().point_count).row(1).minCoeff();
  EXPECT_GT(most, 0.045);
  EXPECT_LT(most, 0.0501);
}

TEST_F(Sumo, EveryHandleMovesTheSkinAroundItAndNoOther) {
  // What hardly moves anything is pushed far by physics; what moves everything is no handle.
  const BuiltInRig& rig = testing::built_in(sumo());
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) {
    const Control& control = rig.controls()[c];
    const auto of = [&](const char* region) { return control.name.starts_with(region); };
    if (!control.name.ends_with(".ty") || !(of("belly_") || of("chest_") || of("cheek_") || of("hair_"))) continue;
    Vec p = rig.rest();
    p[c] += 0.01;
    const Vec moved = (testing::points_of(sumo(), p) - rig.points_rest()) / 0.01;
    const auto ways = moved.reshaped(3, moved.size() / 3).colwise().norm();
    EXPECT_GT(ways.maxCoeff(), 0.4) << control.name;
    EXPECT_LT((ways.array() > 0.01).count(), 0.05 * static_cast<double>(ways.size())) << control.name;
  }
}

}  // namespace
}  // namespace rigspace
