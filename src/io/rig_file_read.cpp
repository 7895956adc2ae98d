// Sections of a rig file to a plan.
#include "rig_file_parts.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/io/rig_blocks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

template <class T, class Read>
void optional(const Field& field, const char* key, T& value, Read&& read) {
  if (const auto found = field.find(key)) value = read(*found);
}
void number(const Field& field, const char* key, double& value, double low = -1e12, double high = 1e12) {
  optional(field, key, value, [&](const Field& f) { return f.number(low, high); });
}
void text(const Field& field, const char* key, std::string& value) {
  optional(field, key, value, [](const Field& f) { return f.text(); });
}
void vec3(const Field& field, const char* key, Vec3& value) {
  optional(field, key, value, [](const Field& f) { return f.vec3(); });
}
void flag(const Field& field, const char* key, bool& value) {
  optional(field, key, value, [](const Field& f) { return f.boolean(); });
}
void value(const Field& field, const char* key, plan::Value& result) {
  optional(field, key, result, [](const Field& f) {
    if (!f.is_text() && !f.is_number()) f.fail("is neither a number nor an expression in quotes");
    return f.is_text() ? plan::Value(f.text()) : plan::Value(f.number());
  });
}

Quat euler_xyz(const Vec3& degrees) {
  return Quat(Eigen::AngleAxisd(degrees.z() * kDegree, Vec3::UnitZ()) *
              Eigen::AngleAxisd(degrees.y() * kDegree, Vec3::UnitY()) *
              Eigen::AngleAxisd(degrees.x() * kDegree, Vec3::UnitX()));
}

/// "rotation" as a quaternion x y z w, or "rotate" in degrees about x, then y, then z.
Quat rotation(const Field& field) {
  const auto quaternion = field.find("rotation");
  const auto angles = field.find("rotate");
  if (quaternion && angles) angles->fail("stands beside \"rotation\"", "give one of them");
  if (angles) return euler_xyz(angles->vec3());
  if (!quaternion) return Quat::Identity();
  const std::vector<double> q = quaternion->numbers();
  if (q.size() != 4) quaternion->fail("has " + std::to_string(q.size()) + " numbers", "expected 4: x y z w");
  const Quat result(q[3], q[0], q[1], q[2]);
  if (!(result.norm() > 1e-9)) quaternion->fail("has no length");
  return result.normalized();
}

Affine affine(const Field& field) {
  const std::vector<double> numbers = field.numbers();
  if (numbers.size() != 12)
    field.fail("has " + std::to_string(numbers.size()) + " numbers", "expected 12: three axes and an origin");
  const Affine A = Eigen::Map<const Affine>(numbers.data());
  if (!(std::abs(linear(A).determinant()) > 1e-300)) field.fail("is flat", "its three axes must span space");
  return A;
}

/// "frame" as 12 numbers, or "center", "size" and "rotate" of a box, whose unit cube it is.
Affine box(const Field& field) {
  if (const auto frame = field.find("frame")) return affine(*frame);
  const Field boxed = field["box"];
  boxed.allow({"center", "size", "rotate", "rotation"});
  const Vec3 size = boxed["size"].vec3();
  if (!(size.minCoeff() > 0)) boxed["size"].fail("has a side that is not positive", "give three positive lengths");
  Affine A;
  linear(A) = rotation(boxed).toRotationMatrix() * size.asDiagonal();
  translation(A) = boxed["center"].vec3() - 0.5 * linear(A) * Vec3::Ones();
  return A;
}

/// "frame" as 12 numbers, or "at" and "rotate" of a handle.
Affine handle(const Field& field) {
  if (const auto frame = field.find("frame")) return affine(*frame);
  Affine A = Affine::Identity();
  linear(A) = rotation(field).toRotationMatrix();
  Vec3 at = Vec3::Zero();
  vec3(field, "at", at);
  translation(A) = at;
  return A;
}

plan::Mask mask(const Field& field) {
  plan::Mask result;
  const auto where = field.find("where");
  if (!where) return result;
  where->allow({"joints", "balls", "points", "weights"});
  optional(*where, "joints", result.joints, [](const Field& f) { return f.texts(); });
  if (const auto balls = where->find("balls"))
    for (const Field& each : balls->items()) {
      each.allow({"center", "inner", "outer"});
      plan::Mask::Ball ball{.center = each["center"].vec3(), .inner = 0, .outer = each["outer"].number(0, 1e12)};
      number(each, "inner", ball.inner, 0, ball.outer);
      result.balls.push_back(ball);
    }
  if (const auto points = where->find("points")) {
    for (const Field& each : points->items()) result.points.push_back(each.integer(0, 1 << 30));
    result.weights = (*where)["weights"].numbers();
    if (result.weights.size() != result.points.size())
      (*where)["weights"].fail("has " + std::to_string(result.weights.size()) + " numbers",
                               "expected one per point: " + std::to_string(result.points.size()));
  }
  return result;
}

/// Printable, so that lists and messages stay one line.
std::string name_of(const Field& field) {
  const std::string name = field["name"].text();
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; }))
    field["name"].fail("holds a character that cannot be printed");
  return name;
}

/// An ordinary displacement: as mesh joints have it, a share of the size.
double ordinary_length(const RigPlan& plan) {
  return plan.points_rest.size() > 0 ? 0.1 * bounding_box(plan.points_rest).size().maxCoeff() : 1;
}

void read_control(const Field& field, RigPlan& plan) {
  field.allow({"name", "unit", "rest", "min", "max", "typical", "group"});
  Control control{.name = name_of(field)};
  if (const auto unit = field.find("unit"); unit && unit->json() == "length") control.typical = ordinary_length(plan);
  for (const Control& known : plan.controls)
    if (known.name == control.name) field["name"].fail("is \"" + control.name + "\", which another control is called");
  constexpr Unit kUnits[] = {Unit::scalar, Unit::length, Unit::angle, Unit::scale};
  if (const auto unit = field.find("unit")) control.unit = kUnits[unit->one_of({"scalar", "length", "angle", "scale"})];
  if (control.unit == Unit::scale) control.rest = 1;
  if (control.unit == Unit::angle) control.typical = 30;
  number(field, "rest", control.rest);
  number(field, "min", control.min);
  number(field, "max", control.max);
  number(field, "typical", control.typical, 1e-12);
  text(field, "group", control.group);
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
  plan::Node node{.name = name_of(field), .parent = {}};
  node.typical_length = ordinary_length(plan);
  text(field, "parent", node.parent);
  vec3(field, "translate", node.translation);
  node.rotation = rotation(field);
  vec3(field, "scale", node.scale);
  optional(field, "matrix", node.constant, affine);
  number(field, "typical", node.typical_length, 1e-12);
  node.origin = field.place();
  plan.nodes.push_back(std::move(node));
}

void read_point(const Field& field, RigPlan& plan) {
  field.allow({"name", "parent", "at", "typical"});
  plan::Point point{.name = name_of(field), .parent = {}, .position = field["at"].vec3()};
  point.typical_length = ordinary_length(plan);
  text(field, "parent", point.parent);
  number(field, "typical", point.typical_length, 1e-12);
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
      value(each, "weight", constraint.targets.back().weight);
    }
  value(field, "influence", constraint.influence);
  flag(field, "keep_offset", constraint.keep_offset);
  vec3(field, "axis", constraint.axis);
  vec3(field, "up_axis", constraint.up_axis);
  text(field, "up", constraint.up);
  vec3(field, "low", constraint.low);
  vec3(field, "high", constraint.high);
  number(field, "nearest", constraint.nearest, 0);
  number(field, "farthest", constraint.farthest, 0);
  constraint.origin = field.place();
  plan.constraints.push_back(std::move(constraint));
}

void read_ik(const Field& field, RigPlan& plan) {
  field.allow({"name", "chain", "target", "pole", "blend", "orient", "stretch", "soft", "limits"});
  plan::Ik ik{.name = field["name"].text(), .chain = field["chain"].texts(), .target = field["target"].text()};
  text(field, "pole", ik.pole);
  value(field, "blend", ik.blend);
  value(field, "orient", ik.orient);
  value(field, "stretch", ik.stretch);
  number(field, "soft", ik.soft, 0, 1);
  if (const auto limits = field.find("limits"))
    for (const Field& each : limits->items()) {
      each.allow({"hinge", "low", "high", "stiffness"});
      plan::JointLimit limit;
      if (const auto axis = each.find("hinge")) {
        limit.hinge = true;
        limit.axis = axis->vec3();
        number(each, "low", limit.low[0], -180, 180);
        number(each, "high", limit.high[0], -180, 180);
      } else {
        vec3(each, "low", limit.low);
        vec3(each, "high", limit.high);
      }
      number(each, "stiffness", limit.stiffness, 1e-6, 1e6);
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
  vec3(field, "inner", roll.inner);
  vec3(field, "outer", roll.outer);
  for (const auto& [key, turned] :
       {std::pair{"roll", &roll.roll}, std::pair{"bank", &roll.bank}, std::pair{"heel_twist", &roll.heel_twist},
        std::pair{"toe_twist", &roll.toe_twist}, std::pair{"ball_break", &roll.ball_break},
        std::pair{"toe_straight", &roll.toe_straight}})
    value(field, key, *turned);
  roll.origin = field.place();
  plan.foot_rolls.push_back(std::move(roll));
}

void read_spline_chain(const Field& field, RigPlan& plan) {
  field.allow({"name", "points", "joints", "curve", "up", "up_axis", "stretch", "start_twist", "end_twist"});
  plan::SplineChain chain{
      .name = field["name"].text(), .points = field["points"].texts(), .joints = field["joints"].texts()};
  constexpr SplineKind kKinds[] = {SplineKind::b_spline, SplineKind::bezier, SplineKind::catmull_rom};
  if (const auto curve = field.find("curve")) chain.kind = kKinds[curve->one_of({"b_spline", "bezier", "catmull_rom"})];
  text(field, "up", chain.up);
  vec3(field, "up_axis", chain.up_axis);
  value(field, "stretch", chain.stretch);
  value(field, "start_twist", chain.start_twist);
  value(field, "end_twist", chain.end_twist);
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
  number(field, "radius", poses.radius, 0);
  poses.origin = field.place();
  plan.pose_weights.push_back(std::move(poses));
}

void read_helper(const Field& field, RigPlan& plan) {
  field.allow({"name", "parent", "child", "axis", "twist", "swing", "along"});
  plan::HelperJoint helper{
      .name = field["name"].text(), .parent = field["parent"].text(), .child = field["child"].text()};
  vec3(field, "axis", helper.axis);
  value(field, "twist", helper.twist);
  value(field, "swing", helper.swing);
  number(field, "along", helper.along, 0, 1);
  helper.origin = field.place();
  plan.helpers.push_back(std::move(helper));
}

void read_rule(const Field& field, RigPlan& plan) {
  field.allow({"match", "group", "min", "max", "typical"});
  plan::ControlRule rule{.origin = field.place(), .pattern = field["match"].text(), .group = {}};
  text(field, "group", rule.group);
  number(field, "min", rule.min);
  number(field, "max", rule.max);
  number(field, "typical", rule.typical, 1e-12);
  plan.rules.push_back(std::move(rule));
}

plan::Lattice read_lattice(const Field& field, const RigPlan& plan) {
  field.allow(
      {"type", "name", "pieces", "where", "box", "frame", "size", "basis", "outside", "margin", "free", "typical"});
  plan::Lattice lattice{.frame = box(field)};
  const std::vector<Field> size = field["size"].items();
  if (size.size() != 3) field["size"].fail("has " + std::to_string(size.size()) + " numbers", "expected 3");
  for (int k = 0; k < 3; ++k) lattice.size[k] = size[k].integer(2, kMaxLatticeSize);
  if (const auto basis = field.find("basis"))
    lattice.basis = basis->one_of({"bezier", "b_spline"}) == 0 ? LatticeBasis::bezier : LatticeBasis::b_spline;
  constexpr LatticeOutside kOutside[] = {LatticeOutside::still, LatticeOutside::fade, LatticeOutside::extend};
  if (const auto outside = field.find("outside"))
    lattice.outside = kOutside[outside->one_of({"still", "fade", "extend"})];
  if (const auto margin = field.find("margin"))
    lattice.margin = margin->is_number() ? Vec3(Vec3::Constant(margin->number(1e-6, 1e6))) : margin->vec3();
  if (const auto free = field.find("free"); free && free->items().empty())
    free->fail("is empty", "leave it out to free all points");
  if (const auto free = field.find("free"))
    for (const Field& each : free->items()) {
      const std::vector<Field> at = each.items();
      if (at.size() != 3) each.fail("has " + std::to_string(at.size()) + " numbers", "expected 3, counted from 1");
      lattice.free.push_back({at[0].integer(1, lattice.size[0]) - 1, at[1].integer(1, lattice.size[1]) - 1,
                              at[2].integer(1, lattice.size[2]) - 1});
    }
  lattice.typical_length = 0.5 * ordinary_length(plan);
  number(field, "typical", lattice.typical_length, 1e-12);
  lattice.where = mask(field);
  return lattice;
}

plan::Wire read_wire(const Field& field) {
  field.allow({"type", "name", "pieces", "where", "points", "curve", "radius", "thinning", "start_roll", "end_roll",
               "thickness", "strength"});
  plan::Wire wire{.points = field["points"].texts()};
  constexpr WireCurve kCurves[] = {WireCurve::quadratic, WireCurve::cubic, WireCurve::catmull_rom};
  if (const auto curve = field.find("curve"))
    wire.curve = kCurves[curve->one_of({"quadratic", "cubic", "catmull_rom"})];
  number(field, "radius", wire.radius, 1e-12);
  number(field, "thinning", wire.thinning, -2, 2);
  value(field, "start_roll", wire.start_roll);
  value(field, "end_roll", wire.end_roll);
  value(field, "thickness", wire.thickness);
  value(field, "strength", wire.strength);
  wire.where = mask(field);
  return wire;
}

plan::Nonlinear read_nonlinear(const Field& field, rigspace::Nonlinear kind) {
  field.allow({"type", "name", "pieces", "where", "handle", "frame", "at", "rotate", "rotation", "low", "high",
               "rounding", "parameters"});
  plan::Nonlinear nonlinear{.kind = kind, .handle = {}, .frame = handle(field)};
  text(field, "handle", nonlinear.handle);
  number(field, "low", nonlinear.low);
  number(field, "high", nonlinear.high);
  number(field, "rounding", nonlinear.rounding, 0, 0.5);
  if (!(nonlinear.low < nonlinear.high)) field.fail("has its high not above its low");
  if (const auto parameters = field.find("parameters"))
    for (const auto& [name, each] : parameters->members()) value(*parameters, name.c_str(), nonlinear.parameters[name]);
  nonlinear.where = mask(field);
  return nonlinear;
}

plan::Clusters read_clusters(const Field& field) {
  field.allow({"type", "name", "pieces", "clusters"});
  plan::Clusters clusters;
  for (const Field& each : field["clusters"].items()) {
    each.allow({"node", "where"});
    clusters.clusters.push_back({each["node"].text(), mask(each)});
  }
  return clusters;
}

plan::Wrap read_wrap(const Field& field) {
  field.allow({"type", "name", "pieces", "where", "to", "blend", "max_triangles"});
  plan::Wrap wrap;
  const Field to = field["to"];
  wrap.to = to.is_text() ? std::vector{to.text()} : to.texts();
  if (wrap.to.empty()) to.fail("is empty", "name the pieces to follow");
  number(field, "blend", wrap.blend, 1e-6, 1e6);
  optional(field, "max_triangles", wrap.max_triangles, [](const Field& f) { return f.integer(1, 64); });
  wrap.where = mask(field);
  return wrap;
}

void read_deformer(const Field& field, RigPlan& plan) {
  if (!field.is_object()) field.fail("is no object", "expected {\"type\": ..}");
  plan::Deformer deformer;
  const std::string type = field["type"].text();
  if (type == "lattice") {
    deformer.kind = read_lattice(field, plan);
  } else if (type == "wire") {
    deformer.kind = read_wire(field);
  } else if (type == "clusters") {
    deformer.kind = read_clusters(field);
  } else if (type == "wrap") {
    deformer.kind = read_wrap(field);
  } else if (const auto kind = find_nonlinear(type)) {
    deformer.kind = read_nonlinear(field, *kind);
  } else if (const RigDeformerType* known = find_rig_deformer(type)) {
    deformer.kind = known->read(field);
  } else {
    std::vector<std::string> types{"mesh", "shapes", "skin",  "lattice", "wire",  "clusters", "wrap",
                                   "bend", "twist",  "taper", "squash",  "flare", "sine"};
    for (const RigDeformerType& each : rig_deformers()) types.push_back(each.name);
    std::string all = "expected " + types.front();
    for (std::size_t k = 1; k < types.size(); ++k) all += (k + 1 < types.size() ? ", " : " or ") + types[k];
    field["type"].fail("is \"" + type + "\"", suggestion(type, types, all));
  }
  deformer.name = type + std::to_string(plan.deformers.size() + 1);
  text(field, "name", deformer.name);
  optional(field, "pieces", deformer.pieces, [](const Field& f) { return f.texts(); });
  deformer.origin = field.place();
  plan.deformers.push_back(std::move(deformer));
}

}  // namespace

MeshPlace read_parts(const Field& root, RigPlan& plan) {
  const auto each = [&](const char* section, void (*read)(const Field&, RigPlan&)) {
    if (const auto list = root.find(section))
      for (const Field& item : list->items()) read(item, plan);
  };
  each("controls", read_control);
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
