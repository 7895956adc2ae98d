#include "peanut_rig.h"

#include "biped_rig.h"
#include "peanut_shape.h"

#include <string>
#include <vector>

namespace rigspace::peanut {
namespace {

using Weight = std::function<double(const Vec3&)>;

// Four points along the part of a curve that is free to move; `first`, `last` as fractions of it.
std::vector<Vec3> wire_points(std::span<const Vec3> joints, double first, double last) {
  const std::vector<shapes::CurvePoint> line = shapes::smooth_line(joints, 16);
  std::vector<Vec3> points;
  for (int k = 0; k < 4; ++k) {
    const double t = first + (last - first) * k / 3;
    points.push_back(line[static_cast<std::size_t>(t * static_cast<double>(line.size() - 1) + 0.5)].position);
  }
  return points;
}

// A deformer for each skin, the same but for where it acts.
template <class Kind>
void add_deformer(const std::string& name, std::span<const flesh::Flesh> skins, Kind kind, const Weight& weight,
                  RigPlan& plan) {
  for (const flesh::Flesh& skin : skins) {
    kind.where = mask_of(skin, weight);
    plan.deformers.push_back({.name = name + "_" + skin.name, .pieces = {skin.name}, .kind = kind});
  }
}

// A wire of four points `<name>_1` .. `<name>_4`; the weight lets go of the body toward its root.
plan::Wire wire_of(const std::string& name, std::span<const Vec3> points, RigPlan& plan) {
  plan::Wire wire;
  for (std::size_t k = 0; k < points.size(); ++k) {
    wire.points.push_back(name + "_" + std::to_string(k + 1));
    plan.points.push_back({.name = wire.points.back(), .parent = {}, .position = points[k], .typical_length = 0.05});
  }
  wire.curve = WireCurve::catmull_rom;
  wire.thinning = 0.25;
  plan.rules.push_back({.pattern = name + "_*", .group = name});
  return wire;
}

// The free points are the front layer but for its upper and lower rim: four across, three up. The lattice acts on what
// the spine carries, so that arms, legs and trunk stay out of it.
void add_belly(std::span<const flesh::Flesh> skins, RigPlan& plan) {
  plan::Lattice lattice;
  const Vec3 low(-0.36, 0.14, -0.14), high(0.36, 0.76, 0.38);
  linear(lattice.frame) = (high - low).asDiagonal();
  translation(lattice.frame) = low;
  lattice.size = {4, 5, 3};
  lattice.basis = LatticeBasis::b_spline;
  lattice.margin = Vec3(0.2, 0.1, 0.3);
  lattice.typical_length = 0.05;
  lattice.where.joints = {"pelvis", "spine_*", "chest"};
  for (int j = 1; j <= 3; ++j) {
    for (int i = 0; i < 4; ++i) lattice.free.push_back({i, j, 2});
  }
  plan.deformers.push_back({.name = "belly", .pieces = {}, .kind = lattice});
  for (const flesh::Flesh& skin : skins) plan.deformers.back().pieces.push_back(skin.name);
  plan.rules.push_back({.pattern = "belly_*", .group = "belly"});
}

// Knees bent, the belly is pressed out between chest and thighs.
void add_crouch(RigPlan& plan) {
  plan.drivers.push_back(
      {.name = "crouch", .mode = plan::Driver::Mode::value, .expression = "smoothstep(0, 0.14, 0.34 - pelvis.ty)"});
  drive(plan, "belly_133.tz", "0.03 * crouch");
  drive(plan, "belly_233.tz", "0.05 * crouch");
  drive(plan, "belly_333.tz", "0.05 * crouch");
  drive(plan, "belly_433.tz", "0.03 * crouch");
  drive(plan, "belly_133.tx", "-0.04 * crouch");
  drive(plan, "belly_433.tx", "0.04 * crouch");
}

// One angle for each ear: it curls forward from the root outward.
void add_ear(std::span<const flesh::Flesh> skins, double side, const Weight& weight, RigPlan& plan) {
  const std::string name = "ear" + biped::suffix(side);
  const Vec3 out = Vec3(side, 0, -0.36).normalized();
  plan::Nonlinear bend;
  bend.kind = Nonlinear::bend;
  linear(bend.frame).col(1) = out;
  linear(bend.frame).col(2) = -side * Vec3::UnitY();
  linear(bend.frame).col(0) = linear(bend.frame).col(1).cross(linear(bend.frame).col(2));  // forward
  translation(bend.frame) = biped::on_side(kEar, side)[0] + 0.02 * out;
  bend.low = 0;
  bend.high = 0.3;
  bend.parameters = {{"angle", name + ".flap"}};
  plan.controls.push_back(angle_control(name + ".flap", 0.3));
  plan.rules.push_back({.pattern = name + ".flap", .group = "ears"});
  add_deformer(name, skins, bend, weight, plan);
}

void add_shoulders(std::span<const flesh::Flesh> skins, const Weight& weight, RigPlan& plan) {
  plan.points.push_back({.name = "shoulders", .parent = {}, .position = Vec3(0, 0.69, 0), .typical_length = 0.03});
  plan.rules.push_back({.pattern = "shoulders", .group = "shoulders"});
  for (const flesh::Flesh& skin : skins) {
    plan.deformers.push_back({.name = "shoulders_" + skin.name,
                              .pieces = {skin.name},
                              .kind = plan::Clusters{{{"shoulders", mask_of(skin, weight)}}}});
  }
}

void add_blink(RigPlan& plan) {
  plan.controls.push_back(switch_control("blink"));
  plan.rules.push_back({.pattern = "blink", .group = "face"});
  for (const double side : {1.0, -1.0}) drive(plan, "lid" + biped::suffix(side) + ".rx", "84 * blink");
}

}  // namespace

void add_rig(std::span<const flesh::Flesh> skins, std::span<const flesh::Part> parts, RigPlan& plan) {
  const auto share = [parts](PartIndex part) -> Weight {
    return [parts, part](const Vec3& p) { return flesh::shares(parts, p)[part]; };
  };
  const shapes::Tube trunk_line(kTrunk, [](double) { return 0.05; }), tail_line(kTail, [](double) { return 0.03; });
  add_blink(plan);
  add_belly(skins, plan);
  add_crouch(plan);

  plan.controls.push_back(angle_control("trunk.twist", 0.5));
  plan.rules.push_back({.pattern = "trunk.twist", .group = "trunk"});
  plan::Wire trunk_wire = wire_of("trunk", wire_points(kTrunk, 0.2, 1.0), plan);
  trunk_wire.end_roll = "trunk.twist";
  add_deformer(
      "trunk", skins, trunk_wire,
      [&](const Vec3& p) { return share(kTrunkPart)(p) * smooth_step(0.06, 0.36, trunk_line.fraction(p)); }, plan);
  add_deformer(
      "tail", skins, wire_of("tail", wire_points(kTail, 0.1, 1.0), plan),
      [&](const Vec3& p) { return share(kTailPart)(p) * smooth_step(0.02, 0.3, tail_line.fraction(p)); }, plan);
  const auto shoulder = [&](const Vec3& p) {
    const std::vector<double> s = flesh::shares(parts, p);
    const double d = (shapes::to_left(p) - Vec3(0.15, 0.70, 0)).norm();
    return smooth_step(0.17, 0.04, d) * (s[kTorsoPart] + s[kArmLeft] + s[kArmRight]);
  };
  add_shoulders(skins, shoulder, plan);
  add_ear(skins, 1, share(kEarLeft), plan);
  add_ear(skins, -1, share(kEarRight), plan);
  biped::add_ik(kPlan, plan);
}

}  // namespace rigspace::peanut
