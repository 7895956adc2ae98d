// A plan to the sections of a rig file.
#include "rig_file_parts.h"
#include "rigspace/base/error.h"
#include "rigspace/io/rig_blocks.h"
#include "rigspace/rig/rig_plan.h"

#include <cmath>
#include <numbers>
#include <set>

namespace rigspace {
namespace {

using Json = Field::Json;

constexpr double kDegrees = 180 / std::numbers::pi;

Json list(const Vec3& v) { return {v[0], v[1], v[2]}; }
Json list(const Affine& A) { return std::vector<double>(A.data(), A.data() + 12); }
Json json(const plan::Value& value) { return value.expression.empty() ? Json(value.number) : Json(value.expression); }

void put(Json& to, const char* key, const std::string& text) {
  if (!text.empty()) to[key] = text;
}
void put(Json& to, const char* key, const plan::Value& value, const plan::Value& usual) {
  if (value != usual) to[key] = json(value);
}
void put(Json& to, const char* key, double value, double usual) {
  if (value != usual) to[key] = value;
}
void put(Json& to, const char* key, const Vec3& value, const Vec3& usual) {
  if (value != usual) to[key] = list(value);
}

Json json(const Control& control) {
  const double outer = control.unit == Unit::angle ? kDegrees : 1;
  Json to{{"name", control.name}, {"unit", name(control.unit)}, {"rest", control.rest * outer}};
  if (std::isfinite(control.min)) to["min"] = control.min * outer;
  if (std::isfinite(control.max)) to["max"] = control.max * outer;
  to["typical"] = control.typical * outer;
  put(to, "group", control.group);
  return to;
}

Json json(const plan::Point& point) {
  Json to{{"name", point.name}};
  put(to, "parent", point.parent);
  to["at"] = list(point.position);
  put(to, "typical", point.typical_length, 1);
  return to;
}

Json json(const plan::Driver& driver) {
  using Mode = plan::Driver::Mode;
  const char* key = driver.mode == Mode::value ? "name" : driver.mode == Mode::set ? "set" : "add";
  return {{key, driver.name}, {"to", driver.expression}};
}

Json json(const plan::Constraint& constraint) {
  using Kind = plan::Constraint::Kind;
  constexpr const char* kNames[] = {"point",          "orient",        "parent", "scale", "aim", "limit_translation",
                                    "limit_rotation", "limit_distance"};
  const plan::Constraint usual;
  Json to{{"type", kNames[static_cast<int>(constraint.kind)]}, {"node", constraint.name}};
  if (!constraint.targets.empty()) to["targets"] = Json::array();
  for (const plan::Target& target : constraint.targets) {
    to["targets"].push_back({{"node", target.node}});
    put(to["targets"].back(), "weight", target.weight, 1);
  }
  put(to, "influence", constraint.influence, 1);
  if (constraint.keep_offset != (constraint.kind != Kind::aim)) to["keep_offset"] = constraint.keep_offset;
  put(to, "axis", constraint.axis, usual.axis);
  put(to, "up_axis", constraint.up_axis, usual.up_axis);
  put(to, "up", constraint.up);
  if (constraint.low.allFinite()) to["low"] = list(constraint.low);
  if (constraint.high.allFinite()) to["high"] = list(constraint.high);
  put(to, "nearest", constraint.nearest, 0);
  if (std::isfinite(constraint.farthest)) to["farthest"] = constraint.farthest;
  return to;
}

Json json(const plan::Ik& ik) {
  Json to{{"name", ik.name}, {"chain", ik.chain}, {"target", ik.target}};
  put(to, "pole", ik.pole);
  put(to, "blend", ik.blend, 1);
  put(to, "orient", ik.orient, 0);
  put(to, "stretch", ik.stretch, 0);
  put(to, "soft", ik.soft, 0);
  for (const plan::JointLimit& limit : ik.limits) {
    Json each = Json::object();
    if (limit.hinge)
      each = {{"hinge", list(limit.axis)}, {"low", limit.low[0]}, {"high", limit.high[0]}};
    else
      each = {{"low", list(limit.low)}, {"high", list(limit.high)}};
    put(each, "stiffness", limit.stiffness, 1);
    to["limits"].push_back(std::move(each));
  }
  return to;
}

Json json(const plan::FootRoll& roll) {
  const plan::FootRoll usual;
  Json to{{"name", roll.name},         {"foot", roll.foot},        {"heel", list(roll.heel)},
          {"ball", list(roll.ball)},   {"toe", list(roll.toe)},    {"inner", list(roll.inner)},
          {"outer", list(roll.outer)}, {"ankle", list(roll.ankle)}};
  put(to, "roll", roll.roll, usual.roll);
  put(to, "bank", roll.bank, usual.bank);
  put(to, "heel_twist", roll.heel_twist, usual.heel_twist);
  put(to, "toe_twist", roll.toe_twist, usual.toe_twist);
  put(to, "ball_break", roll.ball_break, usual.ball_break);
  put(to, "toe_straight", roll.toe_straight, usual.toe_straight);
  return to;
}

Json json(const plan::SplineChain& chain) {
  constexpr const char* kCurves[] = {"b_spline", "bezier", "catmull_rom"};
  Json to{{"name", chain.name},
          {"points", chain.points},
          {"joints", chain.joints},
          {"curve", kCurves[static_cast<int>(chain.kind)]}};
  put(to, "up", chain.up);
  put(to, "up_axis", chain.up_axis, Vec3::UnitY());
  put(to, "stretch", chain.stretch, 0);
  put(to, "start_twist", chain.start_twist, 0);
  put(to, "end_twist", chain.end_twist, 0);
  return to;
}

Json json(const plan::PoseWeights& poses) {
  constexpr const char* kKernels[] = {"linear", "gaussian", "multiquadric"};
  Json to{{"name", poses.name}, {"inputs", Json::array()}, {"examples", poses.examples}};
  for (const plan::Value& input : poses.inputs) to["inputs"].push_back(json(input));
  to["kernel"] = kKernels[static_cast<int>(poses.kernel)];
  put(to, "radius", poses.radius, 0);
  return to;
}

Json json(const plan::HelperJoint& helper) {
  Json to{{"name", helper.name}, {"parent", helper.parent}, {"child", helper.child}, {"axis", list(helper.axis)}};
  put(to, "twist", helper.twist, 0.5);
  put(to, "swing", helper.swing, 0);
  put(to, "along", helper.along, 0.5);
  return to;
}

Json json(const plan::ControlRule& rule) {
  Json to{{"match", rule.pattern}};
  put(to, "group", rule.group);
  if (std::isfinite(rule.min)) to["min"] = rule.min;
  if (std::isfinite(rule.max)) to["max"] = rule.max;
  put(to, "typical", rule.typical, 0);
  return to;
}

void put(Json& to, const plan::Mask& mask) {
  if (mask.is_everywhere()) return;
  Json& where = to["where"];
  if (!mask.joints.empty()) where["joints"] = mask.joints;
  for (const plan::Mask::Ball& ball : mask.balls)
    where["balls"].push_back({{"center", list(ball.center)}, {"inner", ball.inner}, {"outer", ball.outer}});
  if (mask.points.empty()) return;
  where["points"] = mask.points;
  where["weights"] = mask.weights;
}

void put(Json& to, const plan::Lattice& lattice) {
  constexpr const char* kOutside[] = {"still", "fade", "extend"};
  to["type"] = "lattice";
  to["frame"] = list(lattice.frame);
  to["size"] = lattice.size;
  to["basis"] = lattice.basis == LatticeBasis::bezier ? "bezier" : "b_spline";
  to["outside"] = kOutside[static_cast<int>(lattice.outside)];
  to["margin"] = list(lattice.margin);
  for (const auto& at : lattice.free) to["free"].push_back({at[0] + 1, at[1] + 1, at[2] + 1});
  put(to, "typical", lattice.typical_length, 1);
  put(to, lattice.where);
}

void put(Json& to, const plan::Wire& wire) {
  constexpr const char* kCurves[] = {"quadratic", "cubic", "catmull_rom"};
  to["type"] = "wire";
  to["points"] = wire.points;
  to["curve"] = kCurves[static_cast<int>(wire.curve)];
  if (std::isfinite(wire.radius)) to["radius"] = wire.radius;
  put(to, "thinning", wire.thinning, 0);
  put(to, "start_roll", wire.start_roll, 0);
  put(to, "end_roll", wire.end_roll, 0);
  put(to, "thickness", wire.thickness, 1);
  put(to, "strength", wire.strength, 1);
  put(to, wire.where);
}

void put(Json& to, const plan::Nonlinear& nonlinear) {
  to["type"] = name(nonlinear.kind);
  put(to, "handle", nonlinear.handle);
  to["frame"] = list(nonlinear.frame);
  to["low"] = nonlinear.low;
  to["high"] = nonlinear.high;
  put(to, "rounding", nonlinear.rounding, 0.2);
  for (const auto& [parameter, value] : nonlinear.parameters) to["parameters"][parameter] = json(value);
  put(to, nonlinear.where);
}

void put(Json& to, const plan::Clusters& clusters) {
  to["type"] = "clusters";
  to["clusters"] = Json::array();
  for (const plan::Cluster& cluster : clusters.clusters) {
    to["clusters"].push_back({{"node", cluster.node}});
    put(to["clusters"].back(), cluster.where);
  }
}

void put(Json& to, const plan::Wrap& wrap) {
  to["type"] = "wrap";
  to["to"] = wrap.to;
  put(to, "blend", wrap.blend, 1);
  if (wrap.max_triangles != 16) to["max_triangles"] = wrap.max_triangles;
  put(to, wrap.where);
}

// The mesh file holds these; only their place in the stack is written.
void put(Json& to, const plan::Skin&) { to["type"] = "skin"; }
void put(Json& to, const plan::Shapes&) { to["type"] = "shapes"; }

void put(Json& to, const std::shared_ptr<const plan::OwnDeformer>& own) {
  const RigDeformerType* known = find_rig_deformer(own->type());
  const std::string type(own->type());
  if (known == nullptr)
    throw Error({.element = "deformer of type \"" + type + "\"",
                 .problem = "cannot be written",
                 .remedy = "its type is not registered (register_rig_deformer)"});
  to["type"] = type;
  to.update(Json::parse(known->write(*own)));
}

Json deformers(const std::vector<plan::Deformer>& all) {
  Json to = Json::array();
  std::set<std::string> of_mesh;
  for (const plan::Deformer& deformer : all) {
    Json each;
    std::visit([&](const auto& kind) { put(each, kind); }, deformer.kind);
    const std::string type = each["type"];
    if (type == "skin" || type == "shapes") {
      if (of_mesh.insert(type).second) to.push_back({{"type", type}});
      continue;
    }
    each["name"] = deformer.name;
    if (!deformer.pieces.empty()) each["pieces"] = deformer.pieces;
    to.push_back(std::move(each));
  }
  return to;
}

template <class Parts>
void section(Json& to, const char* key, const Parts& parts) {
  for (const auto& part : parts) to[key].push_back(json(part));
}

}  // namespace

Json write_parts(const RigPlan& plan) {
  Json to = Json::object();
  section(to, "controls", plan.controls);
  section(to, "points", plan.points);
  section(to, "drivers", plan.drivers);
  section(to, "constraints", plan.constraints);
  section(to, "ik", plan.ik);
  section(to, "foot_rolls", plan.foot_rolls);
  section(to, "spline_chains", plan.spline_chains);
  section(to, "pose_weights", plan.pose_weights);
  section(to, "helpers", plan.helpers);
  if (!plan.deformers.empty()) to["deformers"] = deformers(plan.deformers);
  section(to, "rules", plan.rules);
  return to;
}

}  // namespace rigspace
