#include "biped_rig.h"

#include "assembly.h"

#include <string>

namespace rigspace::biped {
namespace {

// Where the middle joint bends to: away from the line between the ends, in the plane of the limb.
Vec3 pole_of(const Vec3& root, const Vec3& middle, const Vec3& end, double distance) {
  const Vec3 line = (end - root).normalized();
  const Vec3 aside = middle - root - (middle - root).dot(line) * line;
  return middle + distance * aside.normalized();
}

void add_leg(const Plan& plan, double side, RigPlan& rig) {
  const std::string end = suffix(side), blend = "leg_ik" + end;
  const std::vector<Vec3> leg = on_side(plan.leg, side);
  rig.controls.push_back(switch_control(blend));
  rig.controls.push_back(angle_control("foot_roll" + end, 0.3));
  rig.controls.push_back(angle_control("foot_bank" + end, 0.3));
  const Vec3 at(leg[2].x(), 0, leg[2].z());
  rig.nodes.push_back({.name = "foot_ctrl" + end, .parent = "root", .translation = at, .typical_length = 0.1});
  rig.points.push_back({.name = "knee" + end,
                        .parent = "root",
                        .position = pole_of(leg[0], leg[1], leg[2], 0.4),
                        .typical_length = 0.1});
  const double width = 0.5 * plan.leg[3].x();  // about half a sole
  rig.foot_rolls.push_back({.name = "roll" + end,
                            .foot = "foot_ctrl" + end,
                            .heel = Vec3(leg[3].x(), 0, plan.heel) - at,
                            .ball = leg[3] - at,
                            .toe = leg[4] - at,
                            .inner = leg[3] - at - Vec3(side * width, 0, 0),
                            .outer = leg[3] - at + Vec3(side * width, 0, 0),
                            .ankle = leg[2] - at,
                            .roll = "foot_roll" + end,
                            .bank = "foot_bank" + end});
  rig.ik.push_back({.name = "leg" + end,
                    .chain = {"thigh" + end, "shin" + end, "foot" + end},
                    .target = "roll" + end + ".ankle",
                    .pole = "knee" + end,
                    .blend = blend,
                    .orient = 1});
  rig.constraints.push_back({.name = "toe" + end,
                             .kind = plan::Constraint::Kind::orient,
                             .targets = {{"roll" + end + ".toe"}},
                             .influence = blend});
}

void add_arm(const Plan& plan, double side, RigPlan& rig) {
  const std::string end = suffix(side), blend = "arm_ik" + end;
  const std::vector<Vec3> arm = on_side(plan.arm, side);
  rig.controls.push_back(switch_control(blend));
  rig.nodes.push_back({.name = "hand_ctrl" + end, .parent = "root", .translation = arm[3], .typical_length = 0.1});
  rig.points.push_back({.name = "elbow" + end,
                        .parent = "root",
                        .position = pole_of(arm[1], arm[2], arm[3], 0.3),
                        .typical_length = 0.1});
  rig.ik.push_back({.name = "arm" + end,
                    .chain = {"upper_arm" + end, "lower_arm" + end, "hand" + end},
                    .target = "hand_ctrl" + end,
                    .pole = "elbow" + end,
                    .blend = blend,
                    .orient = 1});
}

}  // namespace

void add_ik(const Plan& plan, RigPlan& rig) {
  for (const double side : {1.0, -1.0}) {
    add_leg(plan, side, rig);
    add_arm(plan, side, rig);
  }
  const auto group = [&](const char* pattern, const char* name) {
    rig.rules.push_back({.pattern = pattern, .group = name});
  };
  for (const char* pattern : {"root", "pelvis", "spine_*", "chest", "neck", "head"}) group(pattern, "body");
  for (const char* pattern : {"clavicle_*", "upper_arm_*", "lower_arm_*", "hand_?", "hand_ctrl_?.t?", "hand_ctrl_?.r?",
                              "elbow_*", "arm_ik_*"})
    group(pattern, "arms");
  for (const char* pattern : {"thigh_*", "shin_*", "foot_*", "toe_*", "knee_*", "leg_ik_*"}) group(pattern, "legs");
  for (const char* pattern : {"eye_*", "lid_*"}) group(pattern, "face");
}

}  // namespace rigspace::biped
