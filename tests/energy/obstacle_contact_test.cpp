#include "rigspace/energy/obstacle_contact.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace {
namespace {

constexpr double kThickness = 0.01, kReach = 0.04;  // m

/// One point at the origin.
ContactBody one_point() { return {.x_rest = Vec::Zero(3), .points = {0}, .stiffness = {100}}; }

ObstacleContactOptions options() {
  return {.contact = {.thickness = kThickness, .reach = kReach, .friction = 0}, .size = 1};
}

/// A ball of 0.1 m that comes down the y axis from 1 m, by 1 m/s, and stops after a second.
Obstacle falling_ball() {
  Obstacle ball = obstacle_from_words("sphere:0,0,0,0.1");
  ball.pose = [](double time) {
    Affine pose = Affine::Identity();
    pose(1, 3) = 1 - std::min(time, 1.0);
    return pose;
  };
  return ball;
}

TEST(ObstacleContact, TakesAsManyStepsAsKeepAPointFromPassingThrough) {
  const Obstacle floor = ground();
  ObstacleContact contact(one_point(), {&floor, 1}, options());
  const Vec above = Vec3(0, 0.5, 0), below = Vec3(0, -0.5, 0), higher = Vec3(0, 0.51, 0);
  contact.start(0, above, above);
  EXPECT_EQ(contact.steps(0, 0.1, above, higher), 1);
  EXPECT_GE(contact.steps(0, 0.1, above, below), 1 / kReach);  // a metre toward the ground
  EXPECT_LE(contact.steps(0, 0.1, above, below), ObstacleContact::kMostSteps);
}

TEST(ObstacleContact, SaysWhenAnObstacleStandsStill) {
  const Obstacle ball = falling_ball();
  ObstacleContact contact(one_point(), {&ball, 1}, options());
  EXPECT_FALSE(contact.still(0, 0.5));
  EXPECT_TRUE(contact.still(1, 2));
  EXPECT_TRUE(contact.still(0.5, 0.5));
}

TEST(ObstacleContact, ReportsTheFirstTouchAlone) {
  const Obstacle floor = ground();
  ObstacleContact contact(one_point(), {&floor, 1}, options());
  const Vec above = Vec3(0, 0.03, 0), touching = Vec3(0, 0.005, 0);
  contact.start(0, above, above);
  contact.begin(0, 0.01, above);
  EXPECT_FALSE(contact.accept(above));
  contact.begin(0.01, 0.02, above);
  EXPECT_TRUE(contact.accept(touching));
  contact.begin(0.02, 0.03, above);
  EXPECT_FALSE(contact.accept(touching));
}

TEST(ObstacleContact, DoesNotFightTheKeyedPoseWhereTheArtistComesFirst) {
  Obstacle floor = ground();
  const Vec pressed = Vec3(0, 0.002, 0), start = Vec3(0, 0.03, 0);
  for (const bool artist_first : {false, true}) {
    floor.artist_first = artist_first;
    ObstacleContact contact(one_point(), {&floor, 1}, options());
    contact.start(0, start, start);
    contact.begin(0, 0.01, pressed);
    const auto state = contact.energy().make_state();
    contact.energy().refresh(*state, pressed, Phase::step);
    if (artist_first)
      EXPECT_EQ(contact.energy().value(*state, pressed), 0);
    else
      EXPECT_GT(contact.energy().value(*state, pressed), 0);
  }
}

}  // namespace
}  // namespace rigspace
