#include "dragon_parts.h"

#include "biped.h"
#include "coarsen.h"
#include "rigspace/geometry/polygonise.h"

#include <cmath>
#include <utility>

namespace rigspace::dragon {
namespace {

using flesh::Flesh;
using puppet::Skeleton;
using shapes::mirrored;

void add_row(const std::vector<std::string>& names, const std::string& parent, std::span<const Vec3> points,
             Skeleton& skeleton) {
  std::string above = parent;
  for (std::size_t k = 0; k < names.size(); ++k) {
    skeleton.add(names[k], above, points[k], points[k + 1], Vec3::UnitX());
    above = names[k];
  }
}

std::span<const Vec3> leg_line(Kind kind) {
  return kind == Kind::front_legs ? std::span<const Vec3>(kFrontLeg) : std::span<const Vec3>(kHindLeg);
}

std::vector<std::string> sided(std::vector<std::string> names, double side) {
  for (std::string& name : names) name += biped::suffix(side);
  return names;
}

flesh::ChainWeights chain(const Skeleton& skeleton, const std::vector<std::string>& names, std::vector<Vec3> points,
                          double width) {
  flesh::ChainWeights weights{{}, std::move(points), width};
  for (const std::string& name : names) weights.joints.push_back(skeleton.find(name));
  return weights;
}

void add_wing_weights(const Skeleton& skeleton, double side, std::vector<flesh::Part>& parts) {
  const auto own = [side](const Vec3& p) { return side > 0 ? p : mirrored(p); };
  const auto bone = [&](const std::string& joint, const Vec3& a, const Vec3& b, double radius) {
    parts.push_back({[=](const Vec3& p) { return tapered_capsule(own(p), a, b, radius, radius); },
                     0.07,
                     biped::held_by(skeleton.find(joint)),
                     {}});
  };
  const std::string end = biped::suffix(side);
  bone("wings", kWing[0], kFlank, 0.02);
  bone("wing" + end, kWing[0], kWing[1], 0.05);
  bone("forewing" + end, kWing[1], kWing[2], 0.04);
  for (std::size_t k = 0; k < kFingers.size(); ++k)
    bone(biped::numbered("finger", static_cast<int>(k)) + end, kWing[2], kFingers[k], 0.03);
}

struct Solid {
  Kind kind;
  const char* name;
  ScalarField field;
  std::function<Eigen::Vector4f(const Vec3&)> color;
  Vec3 low, high;
  double cell;  // metres
  int points;
};

// The surface and its mirror image.
TriMesh doubled(const TriMesh& left) {
  const int count = left.point_count();
  TriMesh both{.points = Vec(2 * left.points.size()), .triangles = left.triangles};
  both.points << left.points, left.points;
  for (int v = count; v < 2 * count; ++v) both.points[3 * v] *= -1;
  for (const Triangle& t : left.triangles) both.triangles.push_back({t[0] + count, t[2] + count, t[1] + count});
  return both;
}

Flesh make_skin(const Solid& solid, const Skeleton& skeleton, std::span<const flesh::Part> parts) {
  const bool pair = solid.low.x() > -1e-9;  // of which the left one is given
  TriMesh surface = surface_of(solid.field, {.low = solid.low, .high = solid.high, .cell = solid.cell},
                               pair ? solid.points / 2 : solid.points);
  if (pair) surface = doubled(surface);
  return flesh::make_body(surface, {.name = solid.name,
                                    .solid = solid.field,
                                    .color = solid.color,
                                    .parts = parts,
                                    .joints = skeleton.size(),
                                    .smoothing = 8});
}

Solid solid_of(Kind kind) {
  switch (kind) {
    case Kind::torso: return {kind, "torso", torso, body_color, {-0.36, 0.45, -0.72}, {0.36, 1.26, 0.6}, 0.022, 2700};
    case Kind::wings:
      return {kind,
              "wings",
              membrane,
              [](const Vec3&) { return Eigen::Vector4f(0.78f, 0.27f, 0.035f, 1); },
              {0, 0.84, -1.06},
              {0.86, 2.14, 0.34},
              0.0175,
              3000};
    case Kind::head:
      return {kind,
              "head",
              [](const Vec3& p) { return smooth_union(neck(p), skull(p), 0.05); },
              head_color,
              {-0.25, 0.68, 0.12},
              {0.25, 1.66, 1.12},
              0.0165,
              2376};
    case Kind::tail: return {kind, "tail", tail, tail_color, {-0.26, 0.3, -2.08}, {0.26, 1.02, -0.25}, 0.018, 1800};
    case Kind::front_legs:
      return {kind, "front_legs", front_leg, leg_color, {0, -0.06, 0.02}, {0.42, 0.98, 0.56}, 0.022, 1248};
    case Kind::hind_legs: break;
  }
  return {Kind::hind_legs, "hind_legs", hind_leg, leg_color, {0, -0.06, -0.6}, {0.46, 0.98, 0.0}, 0.022, 1408};
}

}  // namespace

std::string name_of(Kind kind) {
  constexpr std::array kNames{"torso", "wings", "head", "tail", "front_legs", "hind_legs"};
  return kNames[static_cast<std::size_t>(kind)];
}

Vec3 socket_of(Kind kind) {
  switch (kind) {
    case Kind::torso: return kSpine[0];
    case Kind::wings: return {0, kWing[0].y(), kWing[0].z()};
    case Kind::head: return kNeck[0];
    case Kind::tail: return kTail[0];
    case Kind::front_legs: return {0, kFrontLeg[0].y(), kFrontLeg[0].z()};
    case Kind::hind_legs: return {0, kHindLeg[0].y(), kHindLeg[0].z()};
  }
  return Vec3::Zero();
}

std::string carrier_of(Kind kind) {
  switch (kind) {
    case Kind::torso: return "";
    case Kind::tail:
    case Kind::hind_legs: return "hips";
    default: return "chest";
  }
}

std::vector<std::string> joints_of(Kind kind) {
  switch (kind) {
    case Kind::torso: return {"hips", "waist", "chest"};
    case Kind::wings: return {"wing", "forewing", "finger_01", "finger_02", "finger_03"};
    case Kind::head: return {"neck_01", "neck_02", "neck_03", "skull"};
    case Kind::tail: return {"tail_01", "tail_02", "tail_03", "tail_04", "tail_05", "tail_06"};
    case Kind::front_legs: return {"foreleg", "forearm", "forefoot", "foretoes"};
    case Kind::hind_legs: return {"hindleg", "hindshin", "hindfoot", "hindtoes"};
  }
  return {};
}

void add_joints(Kind kind, const std::string& parent, Skeleton& skeleton) {
  const std::string root = name_of(kind);
  const std::vector<std::string> names = joints_of(kind);
  skeleton.add(root, parent, socket_of(kind), socket_of(kind) + Vec3::UnitY(), Vec3::UnitX());
  if (kind == Kind::torso) return add_row(names, root, kSpine, skeleton);
  if (kind == Kind::tail) return add_row(names, root, kTail, skeleton);
  if (kind == Kind::head) {
    add_row(names, root, kNeck, skeleton);
    skeleton.add("jaw", "skull", kJaw[0], kJaw[1], Vec3::UnitX());
    return;
  }
  for (const double side : {1.0, -1.0}) {
    if (kind != Kind::wings) {
      add_row(sided(names, side), root, biped::on_side(leg_line(kind), side), skeleton);
      continue;
    }
    const std::vector<Vec3> arm = biped::on_side(kWing, side), tips = biped::on_side(kFingers, side);
    const std::string end = biped::suffix(side);
    add_row({"wing" + end, "forewing" + end}, root, arm, skeleton);
    for (std::size_t k = 0; k < tips.size(); ++k)
      skeleton.add(names[2 + k] + end, "forewing" + end, arm[2], tips[k], Vec3::UnitX());
  }
}

std::vector<flesh::Part> weights_of(Kind kind, const Skeleton& skeleton) {
  std::vector<flesh::Part> parts;
  switch (kind) {
    case Kind::torso:
      parts.push_back({torso, 1, chain(skeleton, joints_of(kind), biped::on_side(kSpine, 1), 0.12), {}});
      break;
    case Kind::tail:
      parts.push_back({tail, 1, chain(skeleton, joints_of(kind), biped::on_side(kTail, 1), 0.09), {}});
      break;
    case Kind::head:
      parts.push_back({neck, 0.03, chain(skeleton, joints_of(kind), biped::on_side(kNeck, 1), 0.07), {}});
      parts.push_back({skull, 0.03, biped::held_by(skeleton.find("skull")), {}});
      break;
    case Kind::wings:
      for (const double side : {1.0, -1.0}) add_wing_weights(skeleton, side, parts);
      break;
    default:
      for (const double side : {1.0, -1.0}) {
        parts.push_back({[kind, side](const Vec3& p) {
                           const Vec3 own = side > 0 ? p : mirrored(p);
                           return kind == Kind::front_legs ? front_leg(own) : hind_leg(own);
                         },
                         0.02,
                         chain(skeleton, sided(joints_of(kind), side), biped::on_side(leg_line(kind), side), 0.05),
                         {}});
      }
  }
  return parts;
}

std::vector<Flesh> make_flesh(Kind kind, const Skeleton& skeleton) {
  std::vector<Flesh> result{make_skin(solid_of(kind), skeleton, weights_of(kind, skeleton))};
  if (kind == Kind::wings) {
    result.push_back(make_skin({kind,
                                "wing_bones",
                                wing_bones,
                                [](const Vec3&) { return Eigen::Vector4f(0.018f, 0.14f, 0.08f, 1); },
                                {0, 0.84, -1.06},
                                {0.86, 2.14, 0.34},
                                0.0175,
                                1300},
                               skeleton, weights_of(kind, skeleton)));
  }
  if (kind == Kind::head) {
    const std::array jaw_parts{flesh::Part{jaw, 1, biped::held_by(skeleton.find("jaw")), {}}};
    result.push_back(make_skin({kind, "jaw", jaw, head_color, {-0.14, 1.2, 0.56}, {0.14, 1.5, 1.1}, 0.014, 400},
                               skeleton, jaw_parts));
  }
  Flesh details = make_details(kind, skeleton);
  if (details.size() > 0) result.push_back(std::move(details));
  return result;
}

}  // namespace rigspace::dragon
