#include "elephant_rig.h"

#include "biped.h"
#include "bone_scales.h"

#include <string>

namespace rigspace::peanut {
namespace {

// All three angles of a joint, by one limit.
void offer_joint(RigPlan& plan, const std::string& joint, double most) {
  for (const char* axis : {".rx", ".ry", ".rz"}) offer(plan, joint + axis, "pose", -most, most);
}

}  // namespace

void add_drawn_rig(const puppet::Skeleton& skeleton, Assembly& assembly) {
  RigPlan& plan = assembly.plan;
  for (const char* axis : {"tx", "ty", "tz", "rx", "ry", "rz"})
    plan.rules.push_back({.pattern = std::string("pelvis.") + axis, .group = "pose"});
  for (const char* joint : {"spine_01", "spine_02", "chest", "neck", "head"}) offer_joint(plan, joint, 40);
  std::vector<BoneScale> scales{{"neck", Growth::along}};
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    offer_joint(plan, "clavicle" + end, 20);
    for (const char* joint : {"upper_arm", "lower_arm", "hand", "thigh", "shin", "foot", "toe"})
      offer_joint(plan, joint + end, 75);
    offer(plan, "lower_arm" + end + ".rx", "pose", -2, 130);  // no elbow bends backwards,
    offer(plan, "shin" + end + ".rx", "pose", -130, 2);       // no knee forwards,
    for (const char* axis : {".ry", ".rz"}) {                 // and neither sideways
      offer(plan, "lower_arm" + end + axis, "pose", -15, 15);
      offer(plan, "shin" + end + axis, "pose", -15, 15);
    }
    for (int k = 0; k < 3; ++k) offer_joint(plan, biped::numbered("ear" + end, k), 50);
    for (const char* bone : {"upper_arm", "lower_arm", "thigh", "shin"}) scales.push_back({bone + end, Growth::along});
  }
  for (int k = 0; k < 6; ++k) {
    offer_joint(plan, biped::numbered("trunk", k), 55);
    scales.push_back({biped::numbered("trunk", k), Growth::along});
  }
  for (int k = 0; k < 4; ++k) offer_joint(plan, biped::numbered("tail", k), 55);
  add_bone_scales(skeleton, scales, "build", assembly);
}

}  // namespace rigspace::peanut
