#include "toon_clips.h"

#include "biped.h"
#include "toon_shape.h"

#include <cmath>
#include <string>
#include <utility>

namespace rigspace::toon {
namespace {

using biped::Puppeteer;
using namespace puppet;

void curl_fingers(Puppeteer& puppet, double degrees) {
  for (const double side : {1.0, -1.0}) {
    // Toward the palm: about the line square to the hand in which the arm hangs.
    puppet.turn("fingers" + biped::suffix(side), about_z(-side * degrees));
    puppet.turn("thumb" + biped::suffix(side), about_z(-side * 0.4 * degrees) * about_y(side * 0.3 * degrees));
  }
}

// ---- Walk: a jaunty one, chest out, the head a little late
// ------------------------------------------------------------

constexpr double kWalkDuration = 0.96;  // seconds a cycle
const biped::Gait kWalk{.stride = 0.62, .stance = 0.60, .toe_up = 26, .heel_up = 46, .lift = 0.035, .aside = 0.012};

Pose walk(const Skeleton& skeleton, double time) {
  const double cycles = time / kWalkDuration, phase = cycles - std::floor(cycles);
  Puppeteer puppet(kPlan, skeleton);
  const auto wave = [&](double late) { return std::sin(kTurn * (phase - 0.06 - late)); };     // +1 over the left foot
  const auto stride = [&](double late) { return std::cos(kTurn * (phase - late)); };          // +1 left foot foremost
  const auto bob = [&](double late) { return std::cos(2 * kTurn * (phase - 0.32 - late)); };  // +1 when highest
  puppet.shift("pelvis", {0.022 * wave(0), -0.038 + 0.020 * bob(0), 0});
  puppet.turn("pelvis", about_y(-10 * stride(0)) * about_z(-4 * wave(0)) * about_x(2));
  puppet.turn("spine_01", about_y(5 * stride(0.01)) * about_x(-3 - bob(0.04)));
  puppet.turn("spine_02", about_y(6 * stride(0.02)) * about_z(1.5 * wave(0.03)) * about_x(-2 - bob(0.06)));
  puppet.turn("chest", about_y(7 * stride(0.03)) * about_z(2 * wave(0.05)) * about_x(-1.5 * bob(0.08)));
  puppet.turn("neck", about_y(-4 * stride(0.05)) * about_x(2 + 2 * bob(0.15)));
  puppet.turn("head", about_y(-5 * stride(0.06)) * about_z(3 * wave(0.14)) * about_x(1 + 3 * bob(0.18)));
  for (const double side : {1.0, -1.0}) {
    const auto swing = [&](double late) { return -side * std::cos(kTurn * (phase - late)); };
    puppet.arm(side, {.lower = 38, .swing = 34 * swing(0.03) + 4, .bend = 34 + 18 * swing(0.10)});
    puppet.foot(side, biped::walking_foot(kPlan, kWalk, side > 0 ? phase : std::fmod(phase + 0.5, 1.0), side));
  }
  curl_fingers(puppet, 30);
  puppet.shift("root", {0, 0, kWalk.stride * cycles});  // last: the feet were placed about the root
  return puppet.pose;
}

// ---- Run: both feet off the ground between the steps
// --------------------------------------------------------------------

constexpr double kRunDuration = 0.6;
const biped::Gait kRun{.stride = 1.15, .stance = 0.32, .toe_up = 8, .heel_up = 62, .lift = 0.17, .aside = 0.0};

Pose run(const Skeleton& skeleton, double time) {
  const double cycles = time / kRunDuration, phase = cycles - std::floor(cycles);
  Puppeteer puppet(kPlan, skeleton);
  const auto wave = [&](double late) { return std::sin(kTurn * (phase - late)); };
  const auto stride = [&](double late) { return std::cos(kTurn * (phase - late)); };
  const auto bob = [&](double late) { return std::cos(2 * kTurn * (phase - 0.40 - late)); };  // +1 in the air
  puppet.shift("pelvis", {0.010 * wave(0), -0.035 + 0.040 * bob(0), 0.02});
  puppet.turn("pelvis", about_y(-13 * stride(0)) * about_z(-3 * wave(0)) * about_x(12));
  puppet.turn("spine_01", about_y(7 * stride(0.01)) * about_x(4 - 2 * bob(0.03)));
  puppet.turn("spine_02", about_y(8 * stride(0.02)) * about_x(4 - 2 * bob(0.05)));
  puppet.turn("chest", about_y(9 * stride(0.03)) * about_x(2 - 2 * bob(0.07)));
  puppet.turn("neck", about_y(-6 * stride(0.04)) * about_x(-8 + 2 * bob(0.12)));
  puppet.turn("head", about_y(-5 * stride(0.05)) * about_x(-10 + 4 * bob(0.15)));
  for (const double side : {1.0, -1.0}) {
    const auto swing = [&](double late) { return -side * std::cos(kTurn * (phase - late)); };
    puppet.arm(side, {.lower = 36, .swing = 52 * swing(0.02) + 4, .bend = 88 + 14 * swing(0.06)});
    puppet.foot(side, biped::walking_foot(kPlan, kRun, side > 0 ? phase : std::fmod(phase + 0.5, 1.0), side));
  }
  curl_fingers(puppet, 75);
  puppet.shift("root", {0, 0, kRun.stride * cycles});
  return puppet.pose;
}

}  // namespace

std::vector<Animation> clips(const Skeleton& skeleton) {
  return bake(skeleton, {{"Walk", kWalkDuration, 60, walk}, {"Run", kRunDuration, 60, run}});
}

}  // namespace rigspace::toon
