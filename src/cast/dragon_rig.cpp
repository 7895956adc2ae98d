#include "dragon_rig.h"

#include "biped.h"
#include "bone_scales.h"

#include <string>
#include <utility>

namespace rigspace::dragon {
namespace {

// An angle of its own, within limits in degrees.
void add_angle(RigPlan& plan, const std::string& name, const char* group, double low, double high) {
  plan.controls.push_back(angle_control(name, 0.3));
  offer(plan, name, group, low, high);
}

// Both sides by one angle; what turns about z mirrors.
void drive_pair(RigPlan& plan, const std::string& joint, char axis, const std::string& control, double factor = 1) {
  const std::string by = std::to_string(factor) + " * " + control;
  drive(plan, joint + "_l.r" + axis, by);
  drive(plan, joint + "_r.r" + axis, axis == 'x' ? by : "-" + by);
}

void add_wing_pose(RigPlan& plan) {
  add_angle(plan, "wings.flap", "pose", -70, 60);
  add_angle(plan, "wings.sweep", "pose", -50, 50);
  add_angle(plan, "wings.fold", "pose", -50, 40);
  add_angle(plan, "wings.spread", "pose", -30, 30);
  drive_pair(plan, "wing", 'z', "wings.flap");
  drive_pair(plan, "wing", 'x', "wings.sweep");
  drive_pair(plan, "forewing", 'x', "wings.fold");
  drive_pair(plan, "finger_01", 'x', "wings.spread", 0.6);
  drive_pair(plan, "finger_03", 'x', "wings.spread", -0.6);
}

// Joints of the leg from the top: positive brings it back. No knee or hock turns inside out.
void add_leg_pose(Kind kind, RigPlan& plan) {
  const std::string stem = name_of(kind);
  const std::vector<std::string> joints = joints_of(kind);
  add_angle(plan, stem + ".swing", "pose", -45, 45);
  add_angle(plan, stem + ".bend", "pose", kind == Kind::front_legs ? -70 : -35, kind == Kind::front_legs ? 25 : 45);
  add_angle(plan, stem + ".foot", "pose", -35, 35);
  add_angle(plan, stem + ".spread", "pose", -10, 35);
  drive_pair(plan, joints[0], 'x', stem + ".swing");
  drive_pair(plan, joints[1], 'x', stem + ".bend");
  drive_pair(plan, joints[2], 'x', stem + ".foot");
  drive_pair(plan, joints[0], 'z', stem + ".spread");
}

void add_part_pose(Kind kind, RigPlan& plan) {
  if (kind == Kind::wings) return add_wing_pose(plan);
  if (kind == Kind::front_legs || kind == Kind::hind_legs) return add_leg_pose(kind, plan);
  for (const std::string& joint : joints_of(kind)) {
    if (joint == "hips") continue;  // the root turns them
    const double most = kind == Kind::torso ? 28 : 42;
    offer(plan, joint + ".rx", "pose", -most, most);
    offer(plan, joint + ".rz", "pose", -most, most);
  }
  if (kind == Kind::head) offer(plan, "jaw.rx", "pose", -6, 38);
}

}  // namespace

void add_part_rig(Kind kind, const puppet::Skeleton& skeleton, Assembly& assembly) {
  const std::string root = name_of(kind);
  for (const char* axis : {"tx", "ty", "tz"})
    assembly.plan.rules.push_back({.pattern = root + "." + axis, .group = "place"});
  for (const char* axis : {"rx", "ry", "rz"}) offer(assembly.plan, root + "." + axis, "place", -80, 80);
  add_part_pose(kind, assembly.plan);
  std::vector<BoneScale> scales{{root, Growth::size, {}, 0.4, 2.5}};
  for (const std::string& joint : joints_of(kind)) {
    const bool paired = kind == Kind::wings || kind == Kind::front_legs || kind == Kind::hind_legs;
    if (joint == "skull") {
      scales.push_back({joint, Growth::size});
    } else if (paired) {
      for (const double side : {1.0, -1.0}) {
        scales.push_back(
            {joint + biped::suffix(side), kind == Kind::wings ? Growth::along : Growth::along_and_across, joint});
      }
    } else {
      scales.push_back({joint, Growth::along_and_across});
    }
  }
  add_bone_scales(skeleton, scales, "shape", assembly);
  assembly.plan.rules.push_back({.pattern = root + ".size", .group = "place"});
}

void add_whole_rig(const puppet::Skeleton& skeleton, Assembly& assembly) {
  RigPlan& plan = assembly.plan;
  const auto angle = [&](const std::string& name, double low, double high) {
    add_angle(plan, name, "pose", low, high);
  };
  angle("dragon.pitch", -60, 60);
  drive(plan, "torso.rx", "dragon.pitch");
  angle("torso.arch", -40, 40);
  for (const char* joint : {"waist", "chest"}) drive(plan, std::string(joint) + ".rx", "0.5 * torso.arch");
  angle("neck.lift", -75, 75);
  angle("neck.turn", -75, 75);
  for (const char* joint : {"neck_01", "neck_02", "neck_03"}) {
    drive(plan, std::string(joint) + ".rx", "-0.33 * neck.lift");
    drive(plan, std::string(joint) + ".rz", "0.33 * neck.turn");
  }
  angle("head.nod", -45, 45);
  drive(plan, "skull.rx", "head.nod");
  angle("head.open", -6, 38);
  drive(plan, "jaw.rx", "head.open");
  angle("tail.lift", -75, 75);
  angle("tail.curl", -120, 120);
  angle("tail.swing", -120, 120);
  for (int k = 0; k < 6; ++k) {
    const std::string joint = biped::numbered("tail", k);
    drive(plan, joint + ".rx", k < 3 ? "0.33 * tail.lift" : "0.33 * tail.curl");
    drive(plan, joint + ".rz", "0.17 * tail.swing");
  }
  angle("wings.flap", -70, 60);
  drive_pair(plan, "wing", 'z', "wings.flap");
  angle("wings.sweep", -50, 50);
  drive_pair(plan, "wing", 'x', "wings.sweep");
  angle("wings.fold", -50, 40);
  drive_pair(plan, "forewing", 'x', "wings.fold");
  for (const Kind kind : {Kind::front_legs, Kind::hind_legs}) {
    angle(name_of(kind) + ".swing", -45, 45);
    drive_pair(plan, joints_of(kind)[0], 'x', name_of(kind) + ".swing");
    const bool front = kind == Kind::front_legs;
    angle(name_of(kind) + ".bend", front ? -70 : -35, front ? 25 : 45);
    drive_pair(plan, joints_of(kind)[1], 'x', name_of(kind) + ".bend");
  }
  std::vector<BoneScale> scales{{"torso", Growth::size, "dragon", 0.4, 2.5}, {"skull", Growth::size, "head"}};
  for (const std::string& joint : joints_of(Kind::torso)) scales.push_back({joint, Growth::along_and_across, "torso"});
  for (const char* joint : {"neck_01", "neck_02", "neck_03"}) scales.push_back({joint, Growth::along, "neck"});
  for (const std::string& joint : joints_of(Kind::tail)) scales.push_back({joint, Growth::along, "tail"});
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    for (const std::string& joint : joints_of(Kind::wings)) scales.push_back({joint + end, Growth::along, "wings"});
    for (const Kind kind : {Kind::front_legs, Kind::hind_legs}) {
      const std::vector<std::string> joints = joints_of(kind);
      for (int k = 0; k < 2; ++k) scales.push_back({joints[k] + end, Growth::along, name_of(kind)});
    }
  }
  add_bone_scales(skeleton, scales, "shape", assembly);
}

}  // namespace rigspace::dragon
