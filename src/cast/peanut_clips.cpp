#include "peanut_clips.h"

#include "biped.h"
#include "peanut_shape.h"

#include <cmath>
#include <string>
#include <utility>

namespace rigspace::peanut {
namespace {

using biped::eased;
using biped::Puppeteer;
using namespace puppet;

constexpr double kArmsDown = 26;  // degrees, from rest to hanging at ease beside the belly
constexpr double kBlink = 84;     // degrees that an upper lid turns until it meets the lower one

// Shut within 0.1 s, open again soon after.
double blink(std::initializer_list<double> times, double now) {
  double shut = 0;
  for (const double t : times)
    shut = std::max(shut, smooth_step(t - 0.1, t, now) * smooth_step(t + 0.17, t + 0.05, now));
  return shut;
}

void lids(Puppeteer& puppet, double shut) {
  for (const double side : {1.0, -1.0}) puppet.turn("lid" + biped::suffix(side), about_x(kBlink * shut));
}

void look(Puppeteer& puppet, double left, double up) {
  for (const double side : {1.0, -1.0}) puppet.turn("eye" + biped::suffix(side), about_y(left) * about_x(-up));
}

// ---- Walk ----------------------------------------------------------------------------------------------------------

constexpr double kWalkDuration = 1.1;  // seconds a cycle
const biped::Gait kGait{.stride = 0.40, .stance = 0.62, .toe_up = 17, .heel_up = 36, .lift = 0.02, .aside = 0.016};

// A waddle with weight: the pelvis goes over the standing leg and sinks as it takes the load, chest turns against the
// hips, the head stays nearly level, and late.
void walking_spine(double phase, Puppeteer& puppet) {
  const auto wave = [&](double late) { return std::sin(kTurn * (phase - 0.06 - late)); };     // +1 over the left foot
  const auto stride = [&](double late) { return std::cos(kTurn * (phase - late)); };          // +1 left foot foremost
  const auto bob = [&](double late) { return std::cos(2 * kTurn * (phase - 0.34 - late)); };  // +1 when highest
  puppet.shift("pelvis", {0.034 * wave(0), -0.021 + 0.014 * bob(0), 0.007 * bob(0.12)});
  puppet.turn("pelvis", about_y(-9 * stride(0)) * about_z(-6.5 * wave(0)) * about_x(1 + 1.5 * bob(0.1)));
  puppet.turn("spine_01", about_y(5 * stride(0.01)) * about_z(1.5 * wave(0.02)) * about_x(-2 - 0.8 * bob(0.04)));
  puppet.turn("spine_02", about_y(6 * stride(0.02)) * about_z(2.0 * wave(0.03)) * about_x(-1 - 0.8 * bob(0.06)));
  puppet.turn("chest", about_y(6 * stride(0.03)) * about_z(2.0 * wave(0.05)) * about_x(-1.0 * bob(0.08)));
  puppet.turn("neck", about_y(-3 * stride(0.05)) * about_z(1.5 * wave(0.10)) * about_x(1 + 1.5 * bob(0.16)));
  puppet.turn("head", about_y(-5 * stride(0.06)) * about_z(3.0 * wave(0.16)) * about_x(2.5 * bob(0.20)));
}

Pose walk(const Skeleton& skeleton, double time) {
  const double cycles = time / kWalkDuration, phase = cycles - std::floor(cycles);
  Puppeteer puppet(kPlan, skeleton);
  walking_spine(phase, puppet);
  for (const double side : {1.0, -1.0}) {
    // The arm goes with the other foot, elbow and hand behind it.
    const auto swing = [&](double late) { return -side * std::cos(kTurn * (phase - late)); };
    const double bob = std::cos(2 * kTurn * (phase - 0.48));
    puppet.arm(side, {.lower = 20 + 4 * bob, .swing = 27 * swing(0.04) + 4, .bend = 28 + 14 * swing(0.11)});
    puppet.foot(side, biped::walking_foot(kPlan, kGait, side > 0 ? phase : std::fmod(phase + 0.5, 1.0), side));
  }
  puppet.shift("root", {0, 0, kGait.stride * cycles});  // last: the feet were placed about the root
  return puppet.pose;
}

// ---- Dance ---------------------------------------------------------------------------------------------------------

constexpr double kDanceDuration = 2.4;  // eight beats at 200 a minute: four sways, two with either arm up

// Eases 0 to 1 to 0 and so on between halves of the loop: which arm is up.
double side_up(double phase, double side) {
  const double half = 0.5 - 0.5 * std::cos(kTurn * phase);
  const double sharp = smooth_step(0.22, 0.78, half);
  return side > 0 ? sharp : 1 - sharp;
}

void dancing_spine(double phase, Puppeteer& puppet) {
  const auto sway = [&](double late) {  // hips to the left +1; held a little at either end
    const double s = std::sin(kTurn * (4 * phase - late));
    return 1.15 * s - 0.15 * s * s * s;
  };
  const auto beat = [&](double late) { return std::cos(kTurn * (8 * phase - late)); };  // +1 between the beats
  const auto twist = [&](double late) { return std::sin(kTurn * (2 * phase - late)); };
  puppet.shift("pelvis", {0.046 * sway(0), -0.030 + 0.012 * beat(0), 0.010 * beat(0.25)});
  puppet.turn("pelvis", about_y(9 * twist(0)) * about_z(8 * sway(0.02)) * about_x(2 - 2 * beat(0.1)));
  puppet.turn("spine_01", about_y(-3 * twist(0.03)) * about_z(-5 * sway(0.05)) * about_x(1.5 * beat(0.15)));
  puppet.turn("spine_02", about_y(-4 * twist(0.05)) * about_z(-6 * sway(0.08)) * about_x(-1 + 1.5 * beat(0.2)));
  puppet.turn("chest", about_y(-6 * twist(0.08)) * about_z(-4 * sway(0.11)) * about_x(-2 + 2 * beat(0.25)));
  puppet.turn("neck", about_y(4 * twist(0.1)) * about_z(3 * sway(0.15)) * about_x(2 - 3 * beat(0.32)));
  puppet.turn("head", about_y(6 * twist(0.12)) * about_z(7 * sway(0.20)) * about_x(-4 * beat(0.40)));
}

Pose dance(const Skeleton& skeleton, double time) {
  const double phase = std::fmod(time, kDanceDuration) / kDanceDuration;
  Puppeteer puppet(kPlan, skeleton);
  dancing_spine(phase, puppet);
  for (const double side : {1.0, -1.0}) {
    const auto beat = [&](double late) { return std::cos(kTurn * (8 * phase - late)); };
    const double up = side_up(phase, side), pump = beat(0.15), bent = beat(0.4);
    puppet.arm(side, {.lower = 12 - 62 * up + (6 + 6 * up) * pump,
                      .swing = 34 * (1 - up) - 8 * up,
                      .bend = 62 - 22 * up + (10 + 8 * up) * bent,
                      .twist = 20 * up});
    // The heel of the leg without weight comes up with the beat; the ball of the foot stays.
    const double unweighted = smooth_step(0.15, 0.95, -side * std::sin(kTurn * (4 * phase - 0.02)));
    const double pitch = 30 * unweighted;
    puppet.foot(side, {biped::ankle_of(kPlan, {Vec3::Zero(), pitch}, side), pitch});
  }
  lids(puppet, blink({0.62, 1.9}, time));
  look(puppet, 9 * std::sin(kTurn * phase), 4 * side_up(phase, 1));
  return puppet.pose;
}

// ---- Workout -------------------------------------------------------------------------------------------------------

constexpr double kWorkoutDuration = 3.2;  // arms up and on the toes, then a deep knee bend

Pose workout(const Skeleton& skeleton, double time) {
  Puppeteer puppet(kPlan, skeleton);
  const auto at = [&](double late) { return time - late; };
  const double rise = eased({{0.45, 0}, {0.95, 1}, {1.30, 1}, {1.62, 0}}, time);  // on the toes
  const double dip = eased({{0.05, 0}, {0.32, 1}, {0.62, 0}}, time);              // anticipation
  const double squat = eased({{1.38, 0}, {1.95, 1}, {2.15, 0.94}, {2.32, 1}, {2.78, -0.07}, {3.0, 0}}, time);
  const double heel = 26 * rise;
  // Heels up raise the ankle, and the pelvis with it: what the toe pivot does to the joint.
  const double lifted = biped::ankle_of(kPlan, {Vec3::Zero(), heel}, 1).position.y() - kPlan.leg[2].y();
  puppet.shift("pelvis", {0, lifted - 0.004 - 0.022 * dip - 0.098 * squat, 0.014 * rise - 0.012 * dip - 0.05 * squat});
  const auto lean = [&](double late) {
    return eased({{0.05, 0}, {0.34, 8}, {0.9, -7}, {1.3, -8}, {1.95, 22}, {2.3, 23}, {2.8, -4}, {3.05, 0}}, at(late));
  };
  puppet.turn("pelvis", about_x(0.55 * lean(0)));
  puppet.turn("spine_01", about_x(0.25 * lean(0.02)));
  puppet.turn("spine_02", about_x(0.25 * lean(0.04)));
  puppet.turn("chest", about_x(0.2 * lean(0.06)));
  puppet.turn("neck", about_x(-0.4 * lean(0.09)));
  puppet.turn("head", about_x(-0.75 * lean(0.13)));
  const double lower = eased(
      {{0.08, kArmsDown}, {0.36, 36}, {0.92, -62}, {1.28, -66}, {1.95, 30}, {2.3, 32}, {2.85, 22}, {3.1, kArmsDown}},
      at(0.03));
  const double swing =
      eased({{0.08, 4}, {0.36, -22}, {0.75, 12}, {1.28, 6}, {1.95, 72}, {2.3, 74}, {2.9, -6}, {3.12, 4}}, at(0.04));
  const double bend =
      eased({{0.1, 18}, {0.4, 30}, {0.95, 34}, {1.3, 28}, {1.95, 10}, {2.3, 12}, {2.9, 26}, {3.15, 18}}, at(0.05));
  for (const double side : {1.0, -1.0}) {
    puppet.arm(side, {.lower = lower, .swing = swing, .bend = bend});
    puppet.foot(side, {biped::ankle_of(kPlan, {Vec3::Zero(), heel}, side), heel});
  }
  // Eyes shut with the effort at the bottom, and once on the way.
  const double effort = eased({{1.75, 0}, {1.98, 0.8}, {2.28, 0.8}, {2.5, 0}}, time);
  lids(puppet, std::max(effort, blink({0.40}, time)));
  look(puppet, 0, eased({{0.4, 0}, {0.9, 9}, {1.3, 9}, {1.6, 0}}, time));
  return puppet.pose;
}

}  // namespace

std::vector<Animation> clips(const Skeleton& skeleton) {
  // Short legs turn far in a thirtieth of a second: linear keys at 60 a second keep the soles in place.
  return bake(skeleton, {{"Walk", kWalkDuration, 60, walk},
                         {"Dance", kDanceDuration, 60, dance},
                         {"Workout", kWorkoutDuration, 60, workout}});
}

}  // namespace rigspace::peanut
