#include "biped.h"
#include "dragon_rig.h"

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace rigspace::dragon {
namespace {

using namespace puppet;

void turn(const Skeleton& skeleton, const std::string& joint, const Quat& by, Pose& pose) {
  pose.turn[skeleton.find(joint)] = by;
}

// Down fast, up slower with the wing folded; the tips late.
void flap(const Skeleton& skeleton, double phase, double effort, Pose& pose) {
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    const auto beat = [&](double late) {
      return std::sin(kTurn * (phase - late) + 0.4 * std::sin(kTurn * (phase - late)));
    };
    turn(skeleton, "wing" + end, about_z(-side * effort * (34 - 44 * beat(0))) * about_x(6 * effort * beat(0.2)), pose);
    turn(skeleton, "forewing" + end, about_z(-side * effort * (8 - 20 * beat(0.09))), pose);
    for (int k = 0; k < 3; ++k)
      turn(skeleton, biped::numbered("finger", k) + end, about_z(side * effort * 14 * beat(0.16 + 0.02 * k)), pose);
  }
}

void step(Kind kind, const Skeleton& skeleton, double phase, double effort, Pose& pose) {
  const std::vector<std::string> joints = joints_of(kind);
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    const double at = kTurn * (phase + (side > 0 ? 0 : 0.5));
    const double swing = std::cos(at), lift = std::max(0.0, -std::sin(at));  // forward while lifted
    const double fold = kind == Kind::front_legs ? 1 : -0.6;
    turn(skeleton, joints[0] + end, about_x(-effort * (22 * swing + 8 * lift)), pose);
    turn(skeleton, joints[1] + end, about_x(effort * fold * (34 * lift)), pose);
    turn(skeleton, joints[2] + end, about_x(effort * (14 * swing + 20 * lift)), pose);
  }
}

// A clip that loops; `pose` is of the phase, 0 to 1.
ClipPlan loop(std::string name, double duration, std::function<Pose(double)> pose) {
  return {std::move(name), duration, 30, [pose = std::move(pose), duration](const Skeleton&, double time) {
            return pose(time >= duration ? 0 : time / duration);
          }};
}

}  // namespace

void pose_part(Kind kind, const Skeleton& skeleton, double phase, double effort, Pose& pose) {
  const auto wave = [&](double late) { return effort * std::sin(kTurn * (phase - late)); };
  switch (kind) {
    case Kind::torso:
      turn(skeleton, "waist", about_x(3 * wave(0)) * about_z(3 * wave(0.25)), pose);
      turn(skeleton, "chest", about_x(-4 * wave(0.1)) * about_z(-4 * wave(0.3)), pose);
      return;
    case Kind::wings: return flap(skeleton, phase, effort, pose);
    case Kind::head:
      for (int k = 0; k < 3; ++k)
        turn(skeleton, biped::numbered("neck", k), about_x(7 * wave(0.08 * k)) * about_y(5 * wave(0.25 + 0.08 * k)),
             pose);
      turn(skeleton, "skull", about_x(-9 * wave(0.2)), pose);
      turn(skeleton, "jaw", about_x(9 * effort * (1 - std::cos(kTurn * phase))), pose);
      return;
    case Kind::tail:
      for (int k = 0; k < 6; ++k)
        turn(skeleton, biped::numbered("tail", k), about_y(11 * wave(0.09 * k)) * about_x(3 * wave(0.25 + 0.09 * k)),
             pose);
      return;
    default: return step(kind, skeleton, phase, effort, pose);
  }
}

std::vector<Animation> part_clips(Kind kind, const Skeleton& skeleton) {
  constexpr std::array kNames{"Breathe", "Flap", "Nod", "Wag", "Step", "Step"};
  constexpr std::array kDurations{2.4, 0.9, 2.0, 1.6, 1.2, 1.2};
  const auto k = static_cast<std::size_t>(kind);
  return bake(skeleton, {loop(kNames[k], kDurations[k], [&](double phase) {
                Pose pose(skeleton);
                pose_part(kind, skeleton, phase, 1, pose);
                return pose;
              })});
}

std::vector<Animation> whole_clips(const Skeleton& skeleton) {
  const auto whole = [&](double phase, double wings, double legs) {
    Pose pose(skeleton);
    for (const Kind kind : kKinds) {
      const bool leg = kind == Kind::front_legs || kind == Kind::hind_legs;
      const double own = kind == Kind::hind_legs ? phase + 0.3 : phase;
      pose_part(kind, skeleton, own, leg ? legs : kind == Kind::wings ? wings : 0.7, pose);
    }
    return pose;
  };
  const auto fly = [&](double phase) {
    Pose pose = whole(phase, 1, 0.15);
    const double late = std::sin(kTurn * (phase - 0.28));
    pose.shift[skeleton.find("torso")] = Vec3(0, 0.55 + 0.07 * late, 0);
    for (const double side : {1.0, -1.0}) {
      const std::string end = biped::suffix(side);
      pose.turn[skeleton.find("foreleg" + end)] = about_x(42 + 4 * late);
      pose.turn[skeleton.find("forearm" + end)] = about_x(30);
      pose.turn[skeleton.find("hindleg" + end)] = about_x(48 + 4 * late);
      pose.turn[skeleton.find("hindshin" + end)] = about_x(14);
    }
    return pose;
  };
  const auto walk = [&](double phase) {
    Pose pose = whole(phase, 0.22, 1);
    pose.shift[skeleton.find("torso")] = Vec3(0, 0.012 * std::cos(2 * kTurn * phase), 0);
    return pose;
  };
  return bake(skeleton, {loop("Fly", 1.0, fly), loop("Walk", 1.2, walk)});
}

}  // namespace rigspace::dragon
