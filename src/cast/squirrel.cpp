// A squirrel that is deformed as a whole, after IRM (figure 8): its body squashes, and its neck sinks when it bends, so
// that the front teeth stay out of the chest.

#include "assembly.h"
#include "biped.h"
#include "coarsen.h"
#include "members.h"
#include "shapes.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace rigspace {
namespace squirrel {
namespace {

using flesh::Flesh;
using puppet::Skeleton;
using shapes::mirrored;
using shapes::to_left;

const std::array kSpine{Vec3(0, 0.14, 0),    Vec3(0, 0.25, 0),    Vec3(0, 0.38, 0.0),
                        Vec3(0, 0.49, 0.01), Vec3(0, 0.56, 0.02), Vec3(0, 0.84, 0.03)};
const std::array kTail{Vec3(0, 0.15, -0.12), Vec3(0, 0.20, -0.26), Vec3(0, 0.37, -0.35), Vec3(0, 0.56, -0.34),
                       Vec3(0, 0.72, -0.25)};
const std::array kArm{Vec3(0.115, 0.42, 0.04), Vec3(0.175, 0.33, 0.09), Vec3(0.15, 0.27, 0.17)};
const std::array kLeg{Vec3(0.11, 0.12, 0.03), Vec3(0.125, 0.035, 0.03), Vec3(0.125, 0.03, 0.17)};
const Eigen::Vector4f kFur(0.55f, 0.20f, 0.06f, 1), kCream(0.86f, 0.70f, 0.48f, 1), kBlack(0.01f, 0.01f, 0.012f, 1),
    kWhite(0.94f, 0.93f, 0.88f, 1);

double trunk(const Vec3& p) {
  const double belly = ellipsoid(p, {0, 0.21, 0.01}, {0.165, 0.17, 0.155});
  return smooth_union(belly, ellipsoid(p, {0, 0.40, 0.005}, {0.125, 0.12, 0.11}), 0.07);
}

double head(const Vec3& p) {
  const Vec3 left = to_left(p);
  double d = ellipsoid(p, {0, 0.665, 0.03}, {0.135, 0.115, 0.125});
  d = smooth_union(d, ellipsoid(left, {0.062, 0.62, 0.085}, {0.075, 0.062, 0.07}), 0.04);  // cheeks
  d = smooth_union(d, ellipsoid(p, {0, 0.645, 0.145}, {0.048, 0.04, 0.05}), 0.03);         // muzzle
  return smooth_union(d, tapered_capsule(left, {0.075, 0.745, 0.02}, {0.105, 0.85, 0.01}, 0.042, 0.012), 0.02);
}

double tail(const Vec3& p) {
  static const shapes::Tube tube(kTail,
                                 [](double t) { return 0.05 + 0.075 * std::sin(2.7 * std::min(1.0, t + 0.06)); });
  return tube(p);
}

double arm(const Vec3& p) {
  return smooth_union(tapered_capsule(p, kArm[0], kArm[1], 0.042, 0.035),
                      tapered_capsule(p, kArm[1], kArm[2], 0.035, 0.032), 0.02);
}

double leg(const Vec3& p) {
  const double foot = smooth_intersection(ellipsoid(p, {0.125, 0.032, 0.09}, {0.05, 0.04, 0.1}), -p.y(), 0.012);
  return smooth_union(foot, ellipsoid(p, {0.125, 0.11, 0.035}, {0.06, 0.085, 0.085}), 0.03);
}

double body(const Vec3& p) {
  const Vec3 left = to_left(p);
  const double neck = tapered_capsule(p, {0, 0.44, 0.0}, {0, 0.6, 0.02}, 0.075, 0.07);
  double d = smooth_union(smooth_union(trunk(p), neck, 0.04), head(p), 0.03);
  d = smooth_union(d, tail(p), 0.03);
  return smooth_union(smooth_union(d, arm(left), 0.02), leg(left), 0.025);
}

Eigen::Vector4f color(const Vec3& p) {
  const auto front = static_cast<float>(smooth_step(0.0, 0.09, p.z() - 0.02 - 4 * p.x() * p.x()) *
                                        smooth_step(0.70, 0.60, p.y()) * smooth_step(0.05, 0.10, p.y()));
  return kFur + front * (kCream - kFur);
}

Skeleton make_skeleton() {
  Skeleton skeleton;
  skeleton.add("root", "", Vec3::Zero(), Vec3::UnitY(), Vec3::UnitX());
  biped::add_chain({{"hips", "belly", "chest", "neck", "head"}, "root", {kSpine.begin(), kSpine.end()}, Vec3::UnitZ()},
                   skeleton);
  biped::add_chain({{"tail_01", "tail_02", "tail_03", "tail_04"}, "hips", {kTail.begin(), kTail.end()}, Vec3::UnitZ()},
                   skeleton);
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    biped::add_chain({{"arm" + end, "paw" + end}, "chest", biped::on_side(kArm, side), Vec3::UnitZ()}, skeleton);
    biped::add_chain({{"leg" + end, "foot" + end}, "root", biped::on_side(kLeg, side), Vec3::UnitY()}, skeleton);
  }
  return skeleton;
}

std::vector<flesh::Part> parts_of(const Skeleton& skeleton) {
  const auto chain = [&](std::vector<const char*> names, std::span<const Vec3> points, double width) {
    flesh::ChainWeights weights{.joints = {}, .points = {points.begin(), points.end()}, .width = width};
    for (const char* name : names) weights.joints.push_back(skeleton.find(name));
    return weights;
  };
  const flesh::ChainWeights spine = chain({"hips", "belly", "chest", "neck", "head"}, kSpine, 0.06);
  std::vector<flesh::Part> parts{{trunk, 0.02, spine, {}}, {head, 0.015, spine, {}}};
  parts.push_back({tail, 0.02, chain({"tail_01", "tail_02", "tail_03", "tail_04"}, kTail, 0.06), {}});
  for (const double side : {1.0, -1.0}) {
    const auto own = [side](const Vec3& p) { return side > 0 ? p : mirrored(p); };
    const std::string end = biped::suffix(side), upper = "arm" + end, lower = "paw" + end, knee = "leg" + end,
                      foot = "foot" + end;
    const auto arm_line = biped::on_side(kArm, side), leg_line = biped::on_side(kLeg, side);
    parts.push_back({[own](const Vec3& p) { return arm(own(p)); },
                     0.012,
                     chain({upper.c_str(), lower.c_str()}, arm_line, 0.03),
                     {}});
    parts.push_back({[own](const Vec3& p) { return leg(own(p)); }, 0.02,
                     chain({knee.c_str(), foot.c_str()}, leg_line, 0.03),
                     [side](const Vec3& p) { return smooth_step(0, 0.04, side * p.x()); }});
  }
  return parts;
}

Flesh make_skin(const Skeleton& skeleton) {
  const std::vector<flesh::Part> parts = parts_of(skeleton);
  const TriMesh surface =
      surface_of(body, {.low = {-0.28, -0.04, -0.50}, .high = {0.28, 0.92, 0.26}, .cell = 0.014}, 1400);
  return flesh::make_body(
      surface,
      {.name = "body", .solid = body, .color = color, .parts = parts, .joints = skeleton.size(), .smoothing = 6});
}

/// Two front teeth below the muzzle: what must not go into the chest.
Flesh make_teeth(const Skeleton& skeleton) {
  Flesh teeth{.name = "teeth", .material = 1};
  for (const double side : {1.0, -1.0})
    flesh::add_ellipsoid(
        {.center = {0.014 * side, 0.594, 0.178}, .half = {0.0135, 0.034, 0.009}, .rings = 7, .segments = 10},
        {skeleton.find("head"), kWhite}, teeth);
  return teeth;
}

Flesh make_eyes(const Skeleton& skeleton) {
  Flesh eyes{.name = "eyes", .material = 2};
  const flesh::Attachment black{skeleton.find("head"), kBlack}, light{black.joint, kWhite};
  for (const double side : {1.0, -1.0}) {
    const Vec3 at(0.062 * side, 0.70, 0.128);
    flesh::add_ellipsoid({.center = at, .half = {0.022, 0.029, 0.016}}, black, eyes);
    flesh::add_ellipsoid({.center = at + Vec3(-0.006 * side, 0.011, 0.0145), .half = {0.0065, 0.0075, 0.003}}, light,
                         eyes);
  }
  flesh::add_ellipsoid({.center = {0, 0.665, 0.192}, .half = {0.017, 0.012, 0.011}}, black, eyes);
  return eyes;
}

/// Smooth motions of controls that stand alone, each with periods of its own.
std::vector<Animation> clips(const Skeleton& skeleton) {
  using puppet::kTurn;
  constexpr double kDegree = kTurn / 360;
  const auto still = [](const Skeleton& each, double) { return puppet::Pose(each); };
  const auto wave = [](double size, double period, double late) {
    return [=](double t) { return size * std::sin(kTurn * (t / period - late)); };
  };
  const auto bow = [](double size, double period) {  // from rest and back
    return [=](double t) { return 0.5 * size * (1 - std::cos(kTurn * t / period)); };
  };
  const auto squash = [](const std::function<double(double)>& deeper) {  // the volume stays
    const auto tall = [deeper](double t) { return 1 - deeper(t); };
    const auto wide = [tall](double t) { return 1 / std::sqrt(tall(t)); };
    return std::vector<puppet::ScalarKeys>{{"hips.sy", tall}, {"hips.sx", wide}, {"hips.sz", wide}};
  };
  puppet::ClipPlan squashed{"Squash", 2, 30, still,
                            squash([](double t) { return 0.22 * (1 - std::cos(kTurn * t)) * (t < 1 ? 1 : -0.45); })};
  puppet::ClipPlan nod{"Nod", 2, 30, still};
  nod.scalars = {{"neck.rx", bow(38 * kDegree, 2)}, {"head.rx", bow(24 * kDegree, 2)}};
  puppet::ClipPlan sway{"Sway", 3, 30, still};
  for (const char* joint : {"belly", "chest", "neck", "head"})
    sway.scalars.push_back({std::string(joint) + ".rz", wave(9 * kDegree, 3, 0)});
  for (int k = 1; k <= 4; ++k)
    sway.scalars.push_back({"tail_0" + std::to_string(k) + ".rz", wave(14 * kDegree, 1.5, 0.06 * k)});
  puppet::ClipPlan play{"Play", 8, 30, still, squash([](double t) { return 0.16 + 0.24 * std::sin(kTurn * t / 2.3); })};
  double period = 1.7;
  for (const char* joint : {"hips", "belly", "chest", "neck", "head"})
    for (const char* axis : {".rx", ".rz"})
      play.scalars.push_back({joint + std::string(axis), wave((axis[2] == 'x' ? 15 : 8) * kDegree, period += 0.31, 0)});
  for (int k = 1; k <= 4; ++k)
    play.scalars.push_back({"tail_0" + std::to_string(k) + ".rx", wave(16 * kDegree, period += 0.17, 0.1 * k)});
  for (const char* axis : {".tx", ".ty", ".tz"})
    play.scalars.push_back({std::string("root") + axis, wave(axis[2] == 'y' ? 0.06 : 0.1, period += 0.23, 0)});
  return puppet::bake(skeleton, {squashed, nod, sway, play});
}

/// The neck sinks as it bends to the front: the head goes down before the chest instead of into it.
void add_rig(Assembly& assembly) {
  RigPlan& plan = assembly.plan;
  for (const char* joint : {"hips", "belly", "chest", "neck", "head", "tail_*", "arm_*", "paw_*"})
    plan.rules.push_back({.pattern = std::string(joint) + ".r?", .group = "pose"});
  plan.rules.push_back({.pattern = "hips.s?", .group = "squash"});
  plan.rules.push_back({.pattern = "root.t?", .group = "place"});
  plan.drivers.push_back(
      {.name = "tuck", .mode = plan::Driver::Mode::value, .expression = "smoothstep(6, 50, neck.rx + head.rx)"});
  drive(plan, "neck.tz", "0.05 * tuck");
  drive(plan, "neck.ty", "-0.045 * tuck");
}

}  // namespace
}  // namespace squirrel

RiggedCharacter make_squirrel(Version version) {
  using namespace squirrel;
  const puppet::Skeleton skeleton = make_skeleton();
  Assembly assembly("squirrel", {"fur", "teeth", "eyes"});
  assembly.add_joints(skeleton);
  assembly.add(make_skin(skeleton));
  assembly.add(make_teeth(skeleton));
  assembly.add(make_eyes(skeleton));
  assembly.character.clips = clips(skeleton);
  if (version == Version::rig) add_rig(assembly);
  return std::move(assembly).finish(version);
}

}  // namespace rigspace
