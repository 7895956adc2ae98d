#include "face_rig.h"

#include "face_shape.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rigspace::face {
namespace {

Control slider(const std::string& name, double low, double high, const char* group) {
  return {.name = name,
          .node = name,
          .unit = Unit::scalar,
          .rest = 0,
          .min = low,
          .max = high,
          .group = group,
          .typical = 0.5};
}

void add_bones(RigPlan& plan) {
  offer(plan, "neck.rx", "bones", -30, 30);
  offer(plan, "neck.rz", "bones", -25, 25);
  offer(plan, "head.rx", "bones", -35, 35);
  offer(plan, "head.ry", "bones", -60, 60);
  offer(plan, "head.rz", "bones", -30, 30);
  offer(plan, "jaw.rx", "bones", -3, 30);
  offer(plan, "jaw.ry", "bones", -12, 12);
  plan.rules.push_back({.pattern = "jaw.tz", .group = "bones", .typical = 0.01});
  for (const char* end : {"_l", "_r"}) {
    offer(plan, std::string("eye") + end + ".rx", "bones", -25, 25);
    offer(plan, std::string("eye") + end + ".ry", "bones", -35, 35);
  }
}

// Blinking turns both lids; the upper one also follows the eye.
void add_lids(RigPlan& plan) {
  for (const char* end : {"_l", "_r"}) {
    const std::string blink = std::string("blink") + end, low = std::string("lid_low") + end;
    plan.controls.push_back(slider(blink, -0.4, 1, "lids"));
    plan.controls.push_back(slider(low, -0.5, 1, "lids"));
    drive(plan, std::string("lid") + end + ".rx", "52 * " + blink + " + 0.55 * clamp(eye" + end + ".rx, -25, 25)");
    drive(plan, std::string("lidlow") + end + ".rx", "-20 * " + low + " - 8 * " + blink);
  }
}

// After the skin, in the space of the head: the whole head is bent to the front and to the side, twisted, squashed.
void add_nonlinear(Assembly& assembly) {
  constexpr double kHeight = 0.40;  // metres over the head's joint
  const auto angle = [&](const std::string& name, double most) {
    assembly.plan.controls.push_back(angle_control(name, 0.3));
    offer(assembly.plan, name, "bend", -most, most);
  };
  angle("bend_front", 60);
  angle("bend_side", 60);
  angle("twist", 70);
  assembly.plan.controls.push_back({.name = "squash",
                                    .node = "squash",
                                    .unit = Unit::scale,
                                    .rest = 1,
                                    .min = 0.6,
                                    .max = 1.6,
                                    .group = "bend",
                                    .typical = 0.2});
  const auto deformer = [&](const char* name, Nonlinear kind, std::map<std::string, plan::Value> parameters) {
    plan::Nonlinear each;
    each.kind = kind;
    each.handle = "head";
    translation(each.frame) = kHead;
    each.low = 0;
    each.high = kHeight;
    each.parameters = std::move(parameters);
    assembly.after_skins.push_back({.name = name, .pieces = {}, .kind = std::move(each)});
  };
  deformer("squash", Nonlinear::squash, {{"factor", "squash"}});
  deformer("twist", Nonlinear::twist, {{"end_angle", "twist"}});
  deformer("bend_side", Nonlinear::bend, {{"angle", "bend_side"}});
  deformer("bend_front", Nonlinear::bend, {{"angle", "bend_front"}, {"direction", -90}});
}

}  // namespace

void add_shapes(const flesh::Flesh& face, bool driven, Assembly& assembly) {
  const std::vector<SoftShape> shapes = soft_shapes();
  std::vector<std::string> controls;
  for (const SoftShape& shape : shapes) {
    if (std::find(controls.begin(), controls.end(), shape.control) == controls.end()) controls.push_back(shape.control);
  }
  plan::Shapes targets;
  for (const std::string& control : controls) {
    if (driven) assembly.plan.controls.push_back(slider(control, control == "mouth_shift" ? -1 : 0, 1, "shapes"));
    plan::Shape target{
        .name = driven ? control : "face:" + control, .weight = driven ? control : "", .points = {}, .offsets = {}};
    for (int v = 0; v < face.size(); ++v) {
      const Vec3 by = offset(shapes, control, face.points[v]);
      if (by.norm() < 1e-5) continue;
      target.points.push_back(v);
      target.offsets.push_back(by);
    }
    targets.targets.push_back(std::move(target));
  }
  assembly.plan.deformers.push_back({.name = "shapes", .pieces = {face.name}, .kind = std::move(targets)});
}

void add_rig(const flesh::Flesh& face, Assembly& assembly) {
  add_shapes(face, true, assembly);
  add_bones(assembly.plan);
  add_lids(assembly.plan);
  add_nonlinear(assembly);
  // A smile lifts the cheeks under the eyes, an open mouth draws its corners in.
  for (const char* end : {"_l", "_r"})
    drive(assembly.plan, std::string("squint") + end, std::string("0.45 * smile") + end);
  drive(assembly.plan, "pucker", "0.36 * (smoothstep(-4, 30, jaw.rx) - smoothstep(-4, 30, 0))");
}

}  // namespace rigspace::face
