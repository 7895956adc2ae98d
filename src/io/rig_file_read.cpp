// Sections of a rig file to a plan.
#include "rig_file_fields.h"
#include "rig_file_parts.h"
#include "rigspace/base/suggestion.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <unordered_set>

namespace rigspace {
namespace {

/// `names`: of all controls before it, which it joins.
void read_control(const Field& field, RigPlan& plan, std::unordered_set<std::string>& names) {
  field.allow({"name", "unit", "rest", "min", "max", "typical", "group"});
  Control control{.name = read_name(field)};
  if (const auto unit = field.find("unit"); unit && unit->json() == "length") control.typical = ordinary_length(plan);
  if (!names.insert(control.name).second)
    field["name"].fail("is \"" + control.name + "\", which another control is called");
  constexpr Unit kUnits[] = {Unit::scalar, Unit::length, Unit::angle, Unit::scale};
  if (const auto unit = field.find("unit")) control.unit = kUnits[unit->one_of({"scalar", "length", "angle", "scale"})];
  if (control.unit == Unit::scale) control.rest = 1;
  if (control.unit == Unit::angle) control.typical = 30;
  read_number(field, "rest", control.rest);
  read_number(field, "min", control.min);
  read_number(field, "max", control.max);
  read_number(field, "typical", control.typical, 1e-12);
  read_text(field, "group", control.group);
  if (!(control.min <= control.max)) field.fail("has its min above its max");
  if (!(control.min <= control.rest && control.rest <= control.max))
    field.fail("rests outside its limits", "give a \"rest\" between min and max");
  const double inner = control.unit == Unit::angle ? kDegree : 1;
  for (double* each : {&control.rest, &control.min, &control.max, &control.typical}) *each *= inner;
  const std::size_t dot = control.name.rfind('.');
  control.node = dot == std::string::npos ? control.name : control.name.substr(0, dot);
  plan.controls.push_back(std::move(control));
}

void read_node(const Field& field, RigPlan& plan) {
  field.allow({"name", "parent", "translate", "rotate", "rotation", "scale", "matrix", "typical"});
  plan::Node node{.name = read_name(field), .parent = {}};
  node.typical_length = ordinary_length(plan);
  read_text(field, "parent", node.parent);
  read_vec3(field, "translate", node.translation);
  node.rotation = read_orientation(field);
  read_vec3(field, "scale", node.scale);
  read_optional(field, "matrix", node.constant, read_affine);
  read_number(field, "typical", node.typical_length, 1e-12);
  node.origin = field.place();
  plan.nodes.push_back(std::move(node));
}

void read_point(const Field& field, RigPlan& plan) {
  field.allow({"name", "parent", "at", "typical"});
  plan::Point point{.name = read_name(field), .parent = {}, .position = field["at"].vec3()};
  point.typical_length = ordinary_length(plan);
  read_text(field, "parent", point.parent);
  read_number(field, "typical", point.typical_length, 1e-12);
  point.origin = field.place();
  plan.points.push_back(std::move(point));
}

void read_driver(const Field& field, RigPlan& plan) {
  field.allow({"name", "set", "add", "to"});
  plan::Driver driver;
  int given = 0;
  for (const auto& [key, mode] : {std::pair{"name", plan::Driver::Mode::value},
                                  std::pair{"set", plan::Driver::Mode::set}, std::pair{"add", plan::Driver::Mode::add}})
    if (const auto found = field.find(key)) {
      driver.name = found->text();
      driver.mode = mode;
      ++given;
    }
  if (given != 1) field.fail("has " + std::to_string(given) + " of the fields name, set and add", "expected one");
  driver.expression = field["to"].is_number() ? field["to"].json().dump() : field["to"].text();
  driver.origin = field.place();
  plan.drivers.push_back(std::move(driver));
}

void read_constraint(const Field& field, RigPlan& plan) {
  field.allow({"type", "node", "target", "targets", "influence", "keep_offset", "axis", "up_axis", "up", "low", "high",
               "nearest", "farthest"});
  using Kind = plan::Constraint::Kind;
  constexpr Kind kKinds[] = {Kind::point,          Kind::orient,        Kind::parent,
                             Kind::scale,          Kind::aim,           Kind::limit_translation,
                             Kind::limit_rotation, Kind::limit_distance};
  plan::Constraint constraint{.name = field["node"].text()};
  constraint.kind = kKinds[field["type"].one_of(
      {"point", "orient", "parent", "scale", "aim", "limit_translation", "limit_rotation", "limit_distance"})];
  constraint.keep_offset = constraint.kind != Kind::aim;
  if (const auto target = field.find("target")) constraint.targets.push_back({target->text()});
  if (const auto targets = field.find("targets"))
    for (const Field& each : targets->items()) {
      each.allow({"node", "weight"});
      constraint.targets.push_back({each["node"].text()});
      read_value(each, "weight", constraint.targets.back().weight);
    }
  read_value(field, "influence", constraint.influence);
  read_flag(field, "keep_offset", constraint.keep_offset);
  read_vec3(field, "axis", constraint.axis);
  read_vec3(field, "up_axis", constraint.up_axis);
  read_text(field, "up", constraint.up);
  read_vec3(field, "low", constraint.low);
  read_vec3(field, "high", constraint.high);
  read_number(field, "nearest", constraint.nearest, 0);
  read_number(field, "farthest", constraint.farthest, 0);
  constraint.origin = field.place();
  plan.constraints.push_back(std::move(constraint));
}

void read_ik(const Field& field, RigPlan& plan) {
  field.allow({"name", "chain", "target", "pole", "blend", "orient", "stretch", "soft", "limits"});
  plan::Ik ik{.name = field["name"].text(), .chain = field["chain"].texts(), .target = field["target"].text()};
  read_text(field, "pole", ik.pole);
  read_value(field, "blend", ik.blend);
  read_value(field, "orient", ik.orient);
  read_value(field, "stretch", ik.stretch);
  read_number(field, "soft", ik.soft, 0, 1);
  if (const auto limits = field.find("limits"))
    for (const Field& each : limits->items()) {
      each.allow({"hinge", "low", "high", "stiffness"});
      plan::JointLimit limit;
      if (const auto axis = each.find("hinge")) {
        limit.hinge = true;
        limit.axis = axis->vec3();
        read_number(each, "low", limit.low[0], -180, 180);
        read_number(each, "high", limit.high[0], -180, 180);
      } else {
        read_vec3(each, "low", limit.low);
        read_vec3(each, "high", limit.high);
      }
      read_number(each, "stiffness", limit.stiffness, 1e-6, 1e6);
      ik.limits.push_back(limit);
    }
  ik.origin = field.place();
  plan.ik.push_back(std::move(ik));
}

void read_foot_roll(const Field& field, RigPlan& plan) {
  field.allow({"name", "foot", "heel", "ball", "toe", "inner", "outer", "ankle", "roll", "bank", "heel_twist",
               "toe_twist", "ball_break", "toe_straight"});
  plan::FootRoll roll{.name = field["name"].text(), .foot = field["foot"].text()};
  for (const auto& [key, at] : {std::pair{"heel", &roll.heel}, std::pair{"ball", &roll.ball},
                                std::pair{"toe", &roll.toe}, std::pair{"ankle", &roll.ankle}})
    *at = field[key].vec3();
  roll.inner = roll.outer = roll.ball;
  read_vec3(field, "inner", roll.inner);
  read_vec3(field, "outer", roll.outer);
  for (const auto& [key, turned] :
       {std::pair{"roll", &roll.roll}, std::pair{"bank", &roll.bank}, std::pair{"heel_twist", &roll.heel_twist},
        std::pair{"toe_twist", &roll.toe_twist}, std::pair{"ball_break", &roll.ball_break},
        std::pair{"toe_straight", &roll.toe_straight}})
    read_value(field, key, *turned);
  roll.origin = field.place();
  plan.foot_rolls.push_back(std::move(roll));
}

void read_spline_chain(const Field& field, RigPlan& plan) {
  field.allow({"name", "points", "joints", "curve", "up", "up_axis", "stretch", "start_twist", "end_twist"});
  plan::SplineChain chain{
      .name = field["name"].text(), .points = field["points"].texts(), .joints = field["joints"].texts()};
  constexpr SplineKind kKinds[] = {SplineKind::b_spline, SplineKind::bezier, SplineKind::catmull_rom};
  if (const auto curve = field.find("curve")) chain.kind = kKinds[curve->one_of({"b_spline", "bezier", "catmull_rom"})];
  read_text(field, "up", chain.up);
  read_vec3(field, "up_axis", chain.up_axis);
  read_value(field, "stretch", chain.stretch);
  read_value(field, "start_twist", chain.start_twist);
  read_value(field, "end_twist", chain.end_twist);
  chain.origin = field.place();
  plan.spline_chains.push_back(std::move(chain));
}

void read_pose_weights(const Field& field, RigPlan& plan) {
  field.allow({"name", "inputs", "examples", "kernel", "radius"});
  plan::PoseWeights poses{.name = field["name"].text()};
  for (const Field& each : field["inputs"].items()) poses.inputs.push_back(plan::Value(each.text()));
  for (const Field& each : field["examples"].items()) {
    poses.examples.push_back(each.numbers());
    if (poses.examples.back().size() != poses.inputs.size())
      each.fail("has " + std::to_string(poses.examples.back().size()) + " numbers",
                "expected one per input: " + std::to_string(poses.inputs.size()));
  }
  constexpr PoseKernel kKernels[] = {PoseKernel::linear, PoseKernel::gaussian, PoseKernel::multiquadric};
  if (const auto kernel = field.find("kernel"))
    poses.kernel = kKernels[kernel->one_of({"linear", "gaussian", "multiquadric"})];
  read_number(field, "radius", poses.radius, 0);
  poses.origin = field.place();
  plan.pose_weights.push_back(std::move(poses));
}

void read_helper(const Field& field, RigPlan& plan) {
  field.allow({"name", "parent", "child", "axis", "twist", "swing", "along"});
  plan::HelperJoint helper{
      .name = field["name"].text(), .parent = field["parent"].text(), .child = field["child"].text()};
  read_vec3(field, "axis", helper.axis);
  read_value(field, "twist", helper.twist);
  read_value(field, "swing", helper.swing);
  read_number(field, "along", helper.along, 0, 1);
  helper.origin = field.place();
  plan.helpers.push_back(std::move(helper));
}

void read_rule(const Field& field, RigPlan& plan) {
  field.allow({"match", "group", "min", "max", "typical"});
  plan::ControlRule rule{.origin = field.place(), .pattern = field["match"].text(), .group = {}};
  read_text(field, "group", rule.group);
  read_number(field, "min", rule.min);
  read_number(field, "max", rule.max);
  read_number(field, "typical", rule.typical, 1e-12);
  plan.rules.push_back(std::move(rule));
}

}  // namespace

MeshPlace read_parts(const Field& root, RigPlan& plan) {
  const auto each = [&](const char* section, void (*read)(const Field&, RigPlan&)) {
    if (const auto list = root.find(section))
      for (const Field& item : list->items()) read(item, plan);
  };
  std::unordered_set<std::string> names;
  for (const Control& known : plan.controls) names.insert(known.name);
  if (const auto controls = root.find("controls"))
    for (const Field& item : controls->items()) read_control(item, plan, names);
  each("nodes", read_node);
  each("points", read_point);
  each("drivers", read_driver);
  each("constraints", read_constraint);
  each("ik", read_ik);
  each("foot_rolls", read_foot_roll);
  each("spline_chains", read_spline_chain);
  each("pose_weights", read_pose_weights);
  each("helpers", read_helper);
  each("rules", read_rule);
  std::optional<std::size_t> shapes, skin;
  if (const auto deformers = root.find("deformers"))
    for (const Field& item : deformers->items()) {
      const auto type = item.find("type");
      const std::string word = type && type->is_text() ? type->text() : std::string();
      if (word != "mesh" && word != "shapes" && word != "skin") {
        read_deformer(item, plan);
        continue;
      }
      item.allow({"type"});
      if ((word != "skin" && shapes) || (word != "shapes" && skin))
        item.fail("stands twice", "the mesh's own shapes and skin come once");
      if (word != "skin") shapes = plan.deformers.size();
      if (word != "shapes") skin = plan.deformers.size();
    }
  const std::size_t last = skin.value_or(plan.deformers.size());
  return {.shapes = shapes.value_or(last), .skin = last};
}

}  // namespace rigspace
