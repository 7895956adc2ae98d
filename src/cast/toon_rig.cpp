#include "toon_rig.h"

#include "biped.h"
#include "bone_scales.h"

#include <string>

namespace rigspace::toon {
namespace {

void add_spine(RigPlan& plan) {
  for (const char* axis : {"tx", "ty", "tz", "rx", "ry", "rz"})
    plan.rules.push_back({.pattern = std::string("pelvis.") + axis, .group = "body"});
  for (const char* joint : {"spine_01", "spine_02", "chest"}) {
    const std::string stem = std::string(joint) + ".";
    offer(plan, stem + "rx", "body", -30, 45);
    offer(plan, stem + "ry", "body", -35, 35);
    offer(plan, stem + "rz", "body", -35, 35);
  }
  offer(plan, "neck.rx", "body", -40, 40);
  offer(plan, "neck.ry", "body", -45, 45);
  offer(plan, "neck.rz", "body", -30, 30);
  offer(plan, "head.rx", "body", -35, 40);
  offer(plan, "head.ry", "body", -60, 60);
  offer(plan, "head.rz", "body", -30, 30);
}

// Turning about a joint's x by a positive angle brings an arm forward and bends an elbow; about its z it raises the
// left arm and lowers the right one. `low`, `high` are the left arm's.
void offer_mirrored(RigPlan& plan, const std::string& stem, double side, double low, double high) {
  offer(plan, stem + biped::suffix(side) + ".rz", "arms", side > 0 ? low : -high, side > 0 ? high : -low);
}

void add_arm(double side, RigPlan& plan) {
  const std::string end = biped::suffix(side);
  offer(plan, "clavicle" + end + ".rx", "arms", -15, 20);
  offer_mirrored(plan, "clavicle", side, -10, 30);
  offer(plan, "upper_arm" + end + ".rx", "arms", -60, 120);
  offer(plan, "upper_arm" + end + ".ry", "arms", -80, 80);
  offer_mirrored(plan, "upper_arm", side, -50, 125);
  offer(plan, "lower_arm" + end + ".rx", "arms", -2, 145);  // no elbow bends backwards
  offer(plan, "lower_arm" + end + ".ry", "arms", -80, 80);
  offer(plan, "hand" + end + ".rx", "arms", -30, 30);
  offer_mirrored(plan, "hand", side, -75, 60);
  offer_mirrored(plan, "fingers", side, -105, 20);
  offer(plan, "thumb" + end + ".rx", "arms", -50, 35);
}

void add_leg(double side, RigPlan& plan) {
  const std::string end = biped::suffix(side);
  offer(plan, "thigh" + end + ".rx", "legs", -60, 120);
  offer(plan, "thigh" + end + ".ry", "legs", -45, 45);
  offer(plan, "thigh" + end + ".rz", "legs", side > 0 ? -25 : -75, side > 0 ? 75 : 25);
  offer(plan, "shin" + end + ".rx", "legs", -145, 2);  // no knee bends forwards
  offer(plan, "foot" + end + ".rx", "legs", -50, 35);
  offer(plan, "foot" + end + ".ry", "legs", -30, 30);
  offer(plan, "foot" + end + ".rz", "legs", -25, 25);
  offer(plan, "toe" + end + ".rx", "legs", -30, 60);
}

}  // namespace

void add_rig(const puppet::Skeleton& skeleton, Assembly& assembly) {
  std::vector<BoneScale> scales{{"pelvis", Growth::across}};
  for (const char* bone : {"spine_01", "spine_02", "chest", "neck"}) scales.push_back({bone});
  scales.push_back({"head", Growth::each_axis});
  add_spine(assembly.plan);
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    for (const char* bone : {"upper_arm", "lower_arm", "thigh", "shin"}) scales.push_back({bone + end});
    for (const char* bone : {"hand", "foot"}) scales.push_back({bone + end, Growth::size});
    add_arm(side, assembly.plan);
    add_leg(side, assembly.plan);
  }
  add_bone_scales(skeleton, scales, "build", assembly);
}

}  // namespace rigspace::toon
