#include "mannequin_clips.h"

#include "biped.h"
#include "mannequin_shape.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rigspace::mannequin {
namespace {

using biped::ArmPose;
using biped::eased;
using biped::Puppeteer;
using namespace puppet;

// Durations: the frames of table 6.1, a tenth of them at 25 frames a second. All clips but the cartwheel begin and end
// at rest, as the garments are drawn.
constexpr double kRate = 25;
constexpr double kTwist = 6.8, kArmsBend = 5.8, kArmsUp = 5.0, kArmsDown = 5.0, kLeanBack = 2.4, kLeanForward = 2.4,
                 kPlane = 6.0, kYo = 4.68, kGym = 18.8, kLegsBend = 4.0, kCartwheel = 1.6;

/// 0 at both ends of a clip, 1 within; `ramp` seconds each.
double within(double time, double duration, double ramp) {
  return smooth_step(0, ramp, time) * smooth_step(duration, duration - ramp, time);
}

/// Degrees that the trunk turns about y, bends forward and leans to its left, shared among the joints of the spine.
struct TrunkPose {
  double twist = 0, forward = 0, aside = 0;
};

void bend_trunk(Puppeteer& puppet, const TrunkPose& trunk) {
  const auto share = [&](const char* joint, double of_twist, double of_bend) {
    puppet.turn(joint,
                about_y(of_twist * trunk.twist) * about_z(-of_bend * trunk.aside) * about_x(of_bend * trunk.forward));
  };
  share("spine_01", 0.32, 0.34);
  share("spine_02", 0.36, 0.36);
  share("chest", 0.32, 0.30);
  puppet.turn("neck", about_y(-0.15 * trunk.twist) * about_x(-0.15 * trunk.forward));
  puppet.turn("head", about_y(-0.20 * trunk.twist) * about_x(-0.15 * trunk.forward));
}

void both_arms(Puppeteer& puppet, const ArmPose& pose) {
  for (const double side : {1.0, -1.0}) puppet.arm(side, pose);
}

Pose twist(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const double on = within(time, kTwist, 0.6);
  bend_trunk(puppet, {.twist = 62 * on * std::sin(kTurn * time / 3.4)});
  both_arms(puppet, {.lower = -8 * on, .swing = 6 * on, .bend = 12 * on});
  return puppet.pose;
}

Pose arms_bend(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const double on = within(time, kArmsBend, 0.8);
  for (const double side : {1.0, -1.0}) {
    const double wave = 0.5 - 0.5 * std::cos(kTurn * (time / 1.93 + (side > 0 ? 0 : 0.5)));
    puppet.arm(side, {.lower = -28 * on, .swing = 14 * on, .bend = on * (8 + 72 * wave)});
  }
  return puppet.pose;
}

Pose arms_up(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const double up = eased({{0.2, 0}, {1.5, 1}, {1.9, 0.94}, {2.4, 0.3}, {3.3, 1.04}, {3.7, 1}, {4.9, 0}}, time);
  both_arms(puppet, {.lower = -82 * up, .bend = 8 * up});
  bend_trunk(puppet, {.forward = -5 * up});
  return puppet.pose;
}

Pose arms_down(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const double down = eased({{0.2, 0}, {1.4, 1}, {2.0, 0.9}, {2.7, -0.6}, {3.6, 1}, {4.0, 1}, {4.9, 0}}, time);
  both_arms(puppet, {.lower = 27 * down, .swing = 4 * down, .bend = 6 * std::abs(down)});
  return puppet.pose;
}

Pose lean_back(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const double on = eased({{0.05, 0}, {1.1, 1}, {1.4, 0.97}, {2.35, 0}}, time);
  bend_trunk(puppet, {.forward = -34 * on});
  both_arms(puppet, {.lower = -6 * on, .swing = -16 * on});
  return puppet.pose;
}

Pose lean_forward(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const double on = eased({{0.05, 0}, {1.1, 1}, {1.4, 0.97}, {2.35, 0}}, time);
  puppet.turn("pelvis", about_x(12 * on));
  for (const double side : {1.0, -1.0}) puppet.turn("thigh" + biped::suffix(side), about_x(-12 * on));
  bend_trunk(puppet, {.forward = 52 * on});
  both_arms(puppet, {.lower = 4 * on, .swing = 34 * on, .bend = 10 * on});
  return puppet.pose;
}

// Arms stretched out as wings; the trunk banks into its turns.
Pose plane(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const double on = within(time, kPlane, 0.9), bank = std::sin(kTurn * time / 3.0);
  bend_trunk(puppet, {.twist = 18 * on * bank, .forward = 16 * on, .aside = 30 * on * bank});
  for (const double side : {1.0, -1.0})
    puppet.arm(side, {.lower = on * (-38 + 8 * side * bank), .swing = -4 * on, .bend = 4 * on});
  return puppet.pose;
}

// Twists and bent arms at once: not among the motions to learn from.
Pose yo(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const double on = within(time, kYo, 0.5), beat = kTurn * time / 1.17;
  bend_trunk(puppet, {.twist = 40 * on * std::sin(0.5 * beat),
                      .forward = on * (6 + 7 * std::sin(beat)),
                      .aside = 12 * on * std::sin(0.5 * beat + 0.8)});
  for (const double side : {1.0, -1.0}) {
    const double wave = 0.5 - 0.5 * std::cos(0.5 * beat + (side > 0 ? 0.0 : 0.5 * kTurn));
    puppet.arm(side, {.lower = on * (-24 - 22 * wave), .swing = on * (16 + 22 * wave), .bend = on * (22 + 58 * wave)});
  }
  return puppet.pose;
}

// A class of exercises, one after another, none as in the motions to learn from.
Pose gym(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const auto part = [&](double from, double to) {
    return smooth_step(from, from + 0.7, time) * smooth_step(to, to - 0.7, time);
  };
  const double circles = part(0.1, 4.6), stretch = part(4.0, 7.8), turning = part(7.2, 11.6), sides = part(11.0, 15.0),
               reach = part(14.4, 18.7);
  const double turn = std::sin(kTurn * (time - 7.2) / 2.2), side_bend = std::sin(kTurn * (time - 11.0) / 2.0);
  const double low = eased({{15.0, 0}, {16.0, 1}, {16.6, 0.9}, {17.6, 0}}, time);
  bend_trunk(puppet, {.twist = 48 * turning * turn + 14 * reach * low,
                      .forward = -26 * stretch + 40 * reach * low - 6 * reach * (1 - low),
                      .aside = 27 * sides * side_bend});
  for (const double side : {1.0, -1.0}) {
    const double angle = kTurn * (time - 0.1) / 1.5;
    puppet.arm(side, {.lower = circles * (-34 + 16 * std::sin(angle)) - 42 * stretch - 30 * turning -
                               sides * (30 + 34 * side * side_bend) - reach * (86 - 60 * low),
                      .swing = 18 * circles * std::cos(angle) - 12 * stretch + 18 * turning + 30 * reach * low,
                      .bend = 70 * turning + 6 * circles + 10 * sides});
  }
  return puppet.pose;
}

// For trousers: knees bent under feet that stay.
Pose legs_bend(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const double down = within(time, kLegsBend, 0.5) * (0.5 - 0.5 * std::cos(kTurn * time / 2.0));
  puppet.shift("pelvis", {0, -0.13 * down, -0.05 * down});
  puppet.turn("pelvis", about_x(14 * down));
  bend_trunk(puppet, {.forward = 12 * down});
  both_arms(puppet, {.lower = -14 * down, .swing = 30 * down, .bend = 12 * down});
  for (const double side : {1.0, -1.0}) puppet.foot(side, {biped::ankle_of(kPlan, {}, side)});
  return puppet.pose;
}

// To the character's left, limbs as the spokes of a wheel; the lowest of hands and feet stays on the ground.
Pose cartwheel(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const double u = time / kCartwheel, rolled = smooth_step(0.06, 0.94, u);
  const double spread = smooth_step(0, 0.22, u) * smooth_step(1, 0.78, u);
  puppet.turn("pelvis", about_z(-360 * rolled));
  bend_trunk(puppet, {.aside = 10 * spread * std::cos(kTurn * rolled)});
  both_arms(puppet, {.lower = -84 * spread, .bend = 4 * spread});
  for (const double side : {1.0, -1.0}) puppet.turn("thigh" + biped::suffix(side), about_z(32 * side * spread));
  double lowest = 0;  // a smooth minimum of the heights of wrists and ankles above theirs on the ground
  for (const double side : {1.0, -1.0}) {
    const double wrist = placement(skeleton, puppet.pose, skeleton.find("hand" + biped::suffix(side))).position.y();
    const double ankle = placement(skeleton, puppet.pose, skeleton.find("foot" + biped::suffix(side))).position.y();
    for (const double height : {wrist - 0.16, ankle - kPlan.leg[2].y()}) lowest += std::exp(-height / 0.03);
  }
  lowest = -0.03 * std::log(0.5 * lowest);  // 0 at rest, on two feet
  puppet.shift("pelvis", {2.3 * rolled, -lowest, 0});
  return puppet.pose;
}

}  // namespace

std::vector<Animation> clips(const Skeleton& skeleton) {
  return bake(skeleton, {{"Twist", kTwist, kRate, twist},
                         {"Arms Bend", kArmsBend, kRate, arms_bend},
                         {"Arms Up", kArmsUp, kRate, arms_up},
                         {"Arms Down", kArmsDown, kRate, arms_down},
                         {"Lean Back", kLeanBack, kRate, lean_back},
                         {"Lean Forward", kLeanForward, kRate, lean_forward},
                         {"Plane", kPlane, kRate, plane},
                         {"Yo", kYo, kRate, yo},
                         {"Gym", kGym, kRate, gym},
                         {"Legs Bend", kLegsBend, kRate, legs_bend},
                         {"Cartwheel", kCartwheel, 2 * kRate, cartwheel}});
}

}  // namespace rigspace::mannequin
