#include "bobbin_clips.h"

#include "biped.h"
#include "bobbin_shape.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

namespace rigspace::bobbin {
namespace {

using biped::eased;
using biped::Puppeteer;
using namespace puppet;

constexpr double kArmsDown = 24;  // degrees, from rest to hanging at ease over the belly

// ---- Walk ----------------------------------------------------------------------------------------------------------

constexpr double kWalkDuration = 1.0;  // seconds a cycle
const biped::Gait kGait{.stride = 0.40, .stance = 0.60, .toe_up = 20, .heel_up = 42, .lift = 0.018, .aside = 0.012};

void walking_trunk(double phase, Puppeteer& puppet) {
  const auto wave = [&](double late) { return std::sin(kTurn * (phase - 0.06 - late)); };     // +1 over the left foot
  const auto stride = [&](double late) { return std::cos(kTurn * (phase - late)); };          // +1 left foot foremost
  const auto bob = [&](double late) { return std::cos(2 * kTurn * (phase - 0.33 - late)); };  // +1 when highest
  puppet.shift("pelvis", {0.026 * wave(0), -0.019 + 0.013 * bob(0), 0.006 * bob(0.12)});
  // The waddle: pelvis over the standing leg; chest turns against the hips; the head stays nearly level, and late.
  puppet.turn("pelvis", about_y(-9 * stride(0)) * about_z(-5 * wave(0)) * about_x(2 + 1.5 * bob(0.1)));
  puppet.turn("spine_01", about_y(5 * stride(0.01)) * about_z(1.0 * wave(0.02)) * about_x(-0.8 * bob(0.04)));
  puppet.turn("spine_02", about_y(6 * stride(0.02)) * about_z(1.5 * wave(0.03)) * about_x(-0.8 * bob(0.06)));
  puppet.turn("chest", about_y(6 * stride(0.03)) * about_z(1.5 * wave(0.05)) * about_x(-1.0 * bob(0.08)));
  puppet.turn("neck", about_y(-3 * stride(0.05)) * about_z(1.5 * wave(0.10)) * about_x(-1 + 1.5 * bob(0.16)));
  puppet.turn("head", about_y(-5 * stride(0.06)) * about_z(2.5 * wave(0.16)) * about_x(-1.5 + 2.5 * bob(0.20)));
  for (const double side : {1.0, -1.0}) {
    const auto swing = [&](double late) { return -side * stride(late); };  // the arm goes with the other foot
    puppet.arm(side, {21 + 4 * bob(0.15), 28 * swing(0.03) + 4, 30 + 14 * swing(0.10)});
  }
}

Pose walk(const Skeleton& skeleton, double time) {
  const double cycles = time / kWalkDuration, phase = cycles - std::floor(cycles);
  Puppeteer puppet(kPlan, skeleton);
  walking_trunk(phase, puppet);
  for (const double side : {1.0, -1.0}) {
    const double own = side > 0 ? phase : std::fmod(phase + 0.5, 1.0);
    puppet.foot(side, biped::walking_foot(kPlan, kGait, own, side));
  }
  puppet.shift("root", {0, 0, kGait.stride * cycles});  // last: the feet were placed about the root
  return puppet.pose;
}

// ---- Hop -----------------------------------------------------------------------------------------------------------

constexpr double kHopDuration = 1.6, kGravity = 9.81;
// Leaving and landing fall on keys, at 60 a second, so that no interpolated frame mixes standing and flying.
constexpr double kLeave = 17.0 / 30, kFlight = 13.0 / 30, kLand = kLeave + kFlight;  // seconds
constexpr double kLeaveHeight = 0.022;                                               // metres the pelvis is above rest
constexpr double kLeaveSpeed = kGravity * kFlight / 2 - kLeaveHeight / kFlight;      // so that it lands at rest height

// Crouch, thrust, free flight, absorb, settle. Hermite cubics reproduce the parabola of the flight exactly.
Curve hop_height() {
  Curve curve;
  curve.interpolation = Interpolation::hermite;
  curve.times = {0, 0.40, kLeave, kLand, kLand + 0.14, kLand + 0.37, kHopDuration};
  curve.values = {0, -0.062, kLeaveHeight, 0, -0.066, 0.006, 0};
  curve.in_tangents = {0, -0.05, kLeaveSpeed, kLeaveSpeed - kGravity * kFlight, 0, 0, 0};
  curve.out_tangents = curve.in_tangents;
  return curve;
}

biped::Foot hopping_foot(double time, double height, double side) {
  const double pitch = eased({{0.44, 0}, {kLeave, 38}, {kLeave + 0.2, 26}, {kLand, 0}}, time);
  Placement ankle = biped::ankle_of(kPlan, {Vec3::Zero(), pitch}, side);
  const double u = std::clamp((time - kLeave) / kFlight, 0.0, 1.0);
  if (u > 0 && u < 1) {
    const double tuck = 0.03 * 16 * u * u * (1 - u) * (1 - u);
    ankle.position += Vec3(side * 0.3 * tuck, height - kLeaveHeight * (1 - u) + tuck, 0);
  }
  return {ankle, pitch * (1 - smooth_step(0, 0.35, u))};
}

Pose hop(const Skeleton& skeleton, double time) {
  static const Curve height_curve = hop_height();
  const double height = height_curve(time);
  Puppeteer puppet(kPlan, skeleton);
  const double after = kLand + 0.12, settled = kLand + 0.40;
  const auto lean = [&](double late) {
    return eased({{0.02 + late, 0},
                  {0.38 + late, 13},
                  {kLeave + 0.05 + late, -7},
                  {kLand - 0.06 + late, 3},
                  {after + late, 11},
                  {settled + late, -2},
                  {kHopDuration, 0}},
                 time);
  };
  const auto swing = [&](double late) {
    return eased({{0.04 + late, 3},
                  {0.40 + late, -48},
                  {kLeave + 0.12 + late, 24},
                  {kLand - 0.04 + late, 18},
                  {after + 0.03 + late, -16},
                  {settled + late, 7},
                  {kHopDuration, 3}},
                 time);
  };
  const double lower = eased({{0.04, kArmsDown},
                              {0.38, 34},
                              {kLeave + 0.14, -28},
                              {kLand - 0.02, -16},
                              {after + 0.05, 32},
                              {settled, 19},
                              {kHopDuration, kArmsDown}},
                             time);
  puppet.shift("pelvis", {0, height, -0.0016 * lean(0)});
  puppet.turn("pelvis", about_x(0.6 * lean(0)));
  puppet.turn("spine_01", about_x(0.35 * lean(0.01)));
  puppet.turn("spine_02", about_x(0.40 * lean(0.02)));
  puppet.turn("chest", about_x(0.40 * lean(0.03)));
  puppet.turn("neck", about_x(-0.5 * lean(0.05)));
  puppet.turn("head", about_x(-0.95 * lean(0.08)));
  for (const double side : {1.0, -1.0}) {
    puppet.arm(side, {lower, swing(0), 16 + 0.3 * (swing(0.05) - 3)});
    puppet.foot(side, hopping_foot(time, height, side));
  }
  return puppet.pose;
}

// ---- Idle ----------------------------------------------------------------------------------------------------------

constexpr double kIdleDuration = 4;  // two breaths; one slow look to either side

Pose idle(const Skeleton& skeleton, double time) {
  const double phase = std::fmod(time, kIdleDuration) / kIdleDuration;
  const auto breath = [&](double late) { return std::sin(kTurn * (2 * phase - late)); };
  const auto sway = [&](double late) { return std::sin(kTurn * (phase - late)); };
  const double look = eased({{0, 0}, {0.5, 0}, {0.95, 13}, {1.7, 13}, {2.15, -9}, {2.9, -9}, {3.4, 0}, {4, 0}}, time);
  Puppeteer puppet(kPlan, skeleton);
  puppet.shift("pelvis", {0.012 * sway(0), -0.007 + 0.003 * breath(0), 0});
  puppet.turn("pelvis", about_z(-1.2 * sway(0)));
  puppet.turn("spine_01", about_z(0.5 * sway(0.03)) * about_x(-0.9 * breath(0.02)));
  puppet.turn("spine_02", about_z(0.5 * sway(0.04)) * about_x(-1.3 * breath(0.04)));
  puppet.turn("chest", about_y(0.15 * look) * about_x(-1.6 * breath(0.06)));
  puppet.turn("neck", about_y(0.3 * look) * about_x(1.2 * breath(0.12)));
  puppet.turn("head", about_y(0.7 * look) * about_z(-0.3 * look) * about_x(1.8 * breath(0.16) + 0.12 * std::abs(look)));
  for (const double side : {1.0, -1.0}) {
    puppet.arm(side, {kArmsDown - 2.5 * breath(0.1), 3 + 1.5 * breath(0.15), 16 + 3 * breath(0.2)});
    puppet.foot(side, {biped::ankle_of(kPlan, {}, side), 0});
  }
  return puppet.pose;
}

// Shut within 0.1 s, open again soon after.
puppet::ScalarKeys blinks(std::vector<double> times) {
  return {"eyes:blink", [times = std::move(times)](double now) {
            double shut = 0;
            for (const double t : times) {
              shut = std::max(shut, smooth_step(t - 0.1, t, now) * smooth_step(t + 0.16, t + 0.04, now));
            }
            return shut;
          }};
}

}  // namespace

std::vector<Animation> clips(const Skeleton& skeleton) {
  // The knees of the hop turn by up to 52 degrees in 1/30 s: linear keys that far apart let the feet slide 1.6 mm.
  return bake(skeleton, {{"Walk", kWalkDuration, 30, walk},
                         {"Hop", kHopDuration, 60, hop, {blinks({kLand + 0.1})}},
                         {"Idle", kIdleDuration, 30, idle, {blinks({1.3, 2.0, 3.3})}}});
}

}  // namespace rigspace::bobbin
