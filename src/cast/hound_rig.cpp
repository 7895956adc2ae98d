#include "hound_rig.h"

#include "biped.h"
#include "hound_shape.h"

#include <algorithm>
#include <utility>

namespace rigspace::hound {
namespace {

using biped::numbered;
using biped::suffix;
using puppet::Skeleton;

void add_leg(const std::string& leg, Skeleton& skeleton) {
  const std::vector<Vec3> points = leg_points(leg);
  const std::vector<std::string> names = leg_joints(leg);
  biped::add_chain({names, leg.front() == 'f' ? "chest" : "pelvis", points, Vec3(0, 0.2, 1)}, skeleton);
  const auto twist = [&](const char* stem, int bone) {
    const Vec3 middle = 0.5 * (points[bone] + points[bone + 1]);
    skeleton.add(std::string(stem) + "_twist_" + leg, names[bone], middle, points[bone + 1], Vec3::UnitX());
  };
  if (leg.front() == 'f') return twist("radius", 2);
  twist("thigh", 0);
  twist("shin", 1);
}

Control slider(const std::string& name, double low, double high) {
  return {.name = name,
          .node = name.substr(0, name.find('.')),
          .unit = Unit::scalar,
          .min = low,
          .max = high,
          .typical = 0.5};
}

/// A control of its own that adds to channels of joints: share of it, channel.
void add_slider(RigPlan& plan, Control control, const std::vector<std::pair<std::string, std::string>>& drives) {
  for (const auto& [share, channel] : drives) drive(plan, channel, share + " * " + control.name);
  plan.rules.push_back({.pattern = control.name, .group = "sliders"});
  plan.controls.push_back(std::move(control));
}

std::vector<std::pair<std::string, std::string>> along(const std::vector<std::string>& joints, const char* axis,
                                                       const char* share) {
  std::vector<std::pair<std::string, std::string>> drives;
  for (const std::string& joint : joints) drives.emplace_back(share, joint + axis);
  return drives;
}

void add_body_sliders(RigPlan& plan) {
  const auto spine = series("spine", 5), neck = series("neck", 4), tail = series("tail", 10);
  const std::vector<std::string> root(tail.begin(), tail.begin() + 5), tip(tail.begin() + 5, tail.end());
  const auto angle = [](const char* name) { return angle_control(name, 0.3); };
  add_slider(plan, angle("spine.bend"), along(spine, ".rx", "0.2"));
  add_slider(plan, angle("spine.side"), along(spine, ".rz", "0.2"));
  add_slider(plan, angle("spine.twist"), along(spine, ".ry", "0.2"));
  add_slider(plan, angle("neck.lift"), along(neck, ".rx", "-0.25"));
  add_slider(plan, angle("neck.turn"), along(neck, ".rz", "0.25"));
  add_slider(plan, angle("neck.tilt"), along(neck, ".ry", "0.25"));
  add_slider(plan, angle("tail.lift"), along(root, ".rx", "0.2"));
  add_slider(plan, angle("tail.curl"), along(tip, ".rx", "0.2"));
  add_slider(plan, angle("tail.swing"), along(tail, ".rz", "0.1"));
  add_slider(plan, angle("hips.sway"), {{"1", "pelvis.rz"}, {"-0.6", "spine_01.rz"}});
  add_slider(plan, slider("breath", -1, 1), {{"0.02", "ribs.tz"}, {"0.012", "belly.tz"}});
  add_slider(plan, slider("squash", -1, 1), {{"0.2", "cog.sy"}, {"-0.1", "cog.sx"}, {"-0.1", "cog.sz"}});
}

void add_face_sliders(RigPlan& plan) {
  const auto angle = [](const std::string& name) { return angle_control(name, 0.3); };
  add_slider(plan, angle("jaw.open"), {{"1", "jaw.rx"}});
  add_slider(plan, angle("jaw.side"), {{"1", "jaw.rz"}});
  add_slider(plan, slider("tongue.out", 0, 1), {{"0.05", "tongue_01.ty"}});
  add_slider(plan, angle("eyes.up"), {{"-1", "eye_l.rx"}, {"-1", "eye_r.rx"}});
  add_slider(plan, angle("eyes.side"), {{"1", "eye_l.rz"}, {"1", "eye_r.rz"}});
  for (const double side : {1.0, -1.0}) {
    const std::string end = suffix(side), ear = "ear" + end;
    add_slider(plan, slider("blink" + end, 0, 1), {{"70", "lid" + end + ".rx"}});
    add_slider(plan, angle(ear + ".flop"), along(series(ear, 3), ".rx", "0.33"));
    add_slider(plan, angle(ear + ".turn"), {{"1", ear + "_01.ry"}});
    add_slider(plan, angle(ear + ".spread"), {{"1", ear + "_01.rz"}});
  }
}

// IK with a reverse foot, and a pole before or behind the middle joint.
void add_leg_rig(const std::string& leg, RigPlan& plan) {
  const bool front = leg.front() == 'f';
  const std::vector<std::string> joints = leg_joints(leg);
  const std::vector<Vec3> points = leg_points(leg);
  const int top = front ? 1 : 0;  // of the chain that IK bends; the scapula slides by its own controls
  const Vec3 &ankle = points[top + 2], &ball = points[top + 3], &toe = points[top + 5];
  const Vec3 at(ankle.x(), 0, ankle.z());
  for (const char* name : {"roll_", "bank_", "heel_twist_", "toe_twist_"})
    add_slider(plan, angle_control(name + leg, 0.3), {});
  add_slider(plan, angle_control("curl_" + leg, 0.3), {{"1", "toe_" + leg + ".rx"}});
  add_slider(plan, slider("stretch_" + leg, 0, 1), {});
  Control blend = slider("ik_" + leg, 0, 1);
  blend.rest = 1;
  add_slider(plan, blend, {});
  add_slider(plan, angle_control("twist_" + leg, 0.3),
             {{"1", (front ? "radius_twist_" : "thigh_twist_") + leg + ".ry"}});
  plan.nodes.push_back({.name = "paw_ctrl_" + leg, .parent = "root", .translation = at, .typical_length = 0.1});
  const Vec3 line = (ankle - points[top]).normalized(), bent = points[top + 1] - points[top];
  const Vec3 aside = (bent - bent.dot(line) * line).normalized();
  plan.points.push_back(
      {.name = "pole_" + leg, .parent = "root", .position = points[top + 1] + 0.3 * aside, .typical_length = 0.1});
  const Vec3 width(ankle.x() > 0 ? 0.04 : -0.04, 0, 0), sole(ball.x(), 0, ball.z());
  plan.foot_rolls.push_back({.name = "sole_" + leg,
                             .foot = "paw_ctrl_" + leg,
                             .heel = sole - Vec3(0, 0, 0.04) - at,
                             .ball = ball - at,
                             .toe = Vec3(toe.x(), 0, toe.z()) - at,
                             .inner = sole - width - at,
                             .outer = sole + width - at,
                             .ankle = ankle - at,
                             .roll = "roll_" + leg,
                             .bank = "bank_" + leg,
                             .heel_twist = "heel_twist_" + leg,
                             .toe_twist = "toe_twist_" + leg});
  plan.ik.push_back({.name = "leg_" + leg,
                     .chain = {joints[top], joints[top + 1], joints[top + 2]},
                     .target = "sole_" + leg + ".ankle",
                     .pole = "pole_" + leg,
                     .blend = "ik_" + leg,
                     .orient = 1,
                     .stretch = "stretch_" + leg,
                     .soft = 0.02});
  plan.constraints.push_back({.name = "paw_" + leg,
                              .kind = plan::Constraint::Kind::orient,
                              .targets = {{"sole_" + leg + ".toe"}},
                              .influence = "ik_" + leg});
}

// Between root and pelvis: what animators move first.
void add_centre(const Skeleton& skeleton, RigPlan& plan) {
  plan.nodes.push_back({.name = "cog", .parent = "root", .translation = kSpine[0], .typical_length = 0.1});
  for (plan::Node& node : plan.nodes)
    if (node.name == "pelvis") node.parent = "cog", node.translation = Vec3::Zero();
  (void)skeleton;
}

}  // namespace

std::vector<std::string> series(const std::string& stem, int count) {
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) names.push_back(numbered(stem, k));
  return names;
}

std::vector<std::string> leg_joints(const std::string& leg) {
  std::vector<std::string> names;
  if (leg.front() == 'f')
    names = {"scapula_", "humerus_", "radius_", "carpus_", "paw_", "toe_", "claw_"};
  else
    names = {"thigh_", "shin_", "hock_", "paw_", "toe_", "claw_"};
  for (std::string& name : names) name += leg;
  return names;
}

std::vector<Vec3> leg_points(const std::string& leg) {
  const double side = leg.back() == 'l' ? 1 : -1;
  return leg.front() == 'f' ? biped::on_side(kFrontLeg, side) : biped::on_side(kHindLeg, side);
}

Skeleton make_skeleton() {
  Skeleton skeleton;
  skeleton.add("root", "", Vec3::Zero(), Vec3::UnitY(), Vec3::UnitX());
  const auto chain = [&](std::vector<std::string> names, const std::string& parent, std::span<const Vec3> points,
                         double side = 1) {
    const std::vector<Vec3> line = biped::on_side(points, side);
    std::string above = parent;
    for (std::size_t k = 0; k < names.size(); ++k) {
      skeleton.add(names[k], above, line[k], line[k + 1], Vec3::UnitX());
      above = names[k];
    }
  };
  std::vector<std::string> spine = series("spine", 5), neck = series("neck", 4);
  spine.insert(spine.begin(), "pelvis"), spine.push_back("chest"), neck.push_back("head");
  chain(spine, "root", kSpine);
  chain(neck, "chest", kNeck);
  chain({"jaw"}, "head", kJaw);
  chain(series("tongue", 3), "jaw", kTongue);
  chain(series("tail", 10), "pelvis", kTail);
  const auto lone = [&](const std::string& name, const char* parent, const Vec3& at, const Vec3& along) {
    skeleton.add(name, parent, at, at + along, Vec3::UnitX());
  };
  lone("nose", "head", kNose, Vec3::UnitZ());
  lone("throat", "neck_02", kThroat, Vec3::UnitZ());
  lone("withers", "chest", kWithers, Vec3::UnitZ());
  lone("ribs", "spine_05", kRibs, Vec3::UnitZ());
  lone("belly", "spine_03", kBelly, Vec3::UnitZ());
  for (const double side : {1.0, -1.0}) {
    const std::string end = suffix(side);
    const auto own = [side](const Vec3& p) { return side > 0 ? p : shapes::mirrored(p); };
    lone("eye" + end, "head", own(kEye), Vec3::UnitZ());
    lone("lid" + end, "head", own(kEye), Vec3::UnitZ());
    lone("brow" + end, "head", own(kBrow), Vec3::UnitZ());
    lone("lip" + end, "head", own(kLip), Vec3::UnitZ());
    biped::add_chain({series("ear" + end, 3), "head", biped::on_side(kEar, side), Vec3::UnitZ()}, skeleton);
  }
  for (const char* leg : kLegs) add_leg(leg, skeleton);
  return skeleton;
}

void add_rig(const Skeleton& skeleton, RigPlan& plan) {
  add_body_sliders(plan);
  add_face_sliders(plan);
  add_centre(skeleton, plan);
  for (const char* leg : kLegs) add_leg_rig(leg, plan);
  const auto group = [&](const std::string& pattern, const char* name) {
    plan.rules.push_back({.pattern = pattern, .group = name});
  };
  for (const puppet::Joint& joint : skeleton.joints())
    for (const char* axis : {".tx", ".ty", ".tz", ".rx", ".ry", ".rz"}) group(joint.name + axis, "joints");
  for (const char* node : {"cog", "paw_ctrl_fl", "paw_ctrl_fr", "paw_ctrl_bl", "paw_ctrl_br"})
    for (const char* axis : {".tx", ".ty", ".tz", ".rx", ".ry", ".rz"}) group(std::string(node) + axis, "main");
  group("pole_*", "main");
  for (const char* chain : {"spine_??", "neck_??", "tail_??", "ear_l_??", "ear_r_??"})
    for (const char* axis : {".sx", ".sy", ".sz"}) group(std::string(chain) + axis, "scales");
  // What moves by millimetres has an ordinary change of a centimetre.
  for (const char* small :
       {"brow_?.t?", "lip_?.t?", "nose.t?", "throat.t?", "withers.t?", "ribs.t?", "belly.t?", "tongue_*.t?"})
    plan.rules.push_back({.origin = {}, .pattern = small, .group = {}, .typical = 0.01});
}

}  // namespace rigspace::hound
