// A sumo wrestler, after the Sumone of the Thesis: 174 controls of soft flesh wait for the foot to come down.

#include "assembly.h"
#include "coarsen.h"
#include "eyes.h"
#include "members.h"
#include "rigspace/geometry/polygonise.h"
#include "sumo_clips.h"
#include "sumo_rig.h"
#include "sumo_shape.h"

#include <cmath>
#include <string>
#include <utility>

namespace rigspace {
namespace sumo {
namespace {

using flesh::Flesh;
using puppet::Skeleton;

const Eigen::Vector4f kBlack(0.018f, 0.016f, 0.022f, 1), kLid(0.62f, 0.32f, 0.19f, 1), kLip(0.42f, 0.09f, 0.07f, 1);

Skeleton make_skeleton() {
  Skeleton skeleton = biped::make_skeleton(kPlan);
  for (const double side : {1.0, -1.0}) {
    const Vec3 eye = side > 0 ? kEye : shapes::mirrored(kEye);
    skeleton.add("eye" + biped::suffix(side), "head", eye, eye + Vec3::UnitZ(), Vec3::UnitX());
    skeleton.add("lid" + biped::suffix(side), "head", eye, eye + Vec3::UnitZ(), Vec3::UnitX());
  }
  return skeleton;
}

std::vector<flesh::Part> parts_of(const Skeleton& skeleton) {
  std::vector<flesh::Part> parts;
  parts.push_back({torso, 0.03, biped::spine_weights(kPlan, skeleton, 0.1), {}});
  parts.push_back(
      {head,
       0.025,
       [joint = skeleton.find("head")](const Vec3&, double share, flesh::WeightRow row) { row[joint] += share; },
       {}});
  for (const double side : {1.0, -1.0}) {
    const auto own = [side](const Vec3& p) { return side > 0 ? p : shapes::mirrored(p); };
    parts.push_back(
        {[own](const Vec3& p) { return arm(own(p)); }, 0.022, biped::arm_weights(kPlan, skeleton, side, 0.06), {}});
    parts.push_back({[own](const Vec3& p) { return leg(own(p)); }, 0.035, biped::leg_weights(kPlan, skeleton, side),
                     [side](const Vec3& p) { return smooth_step(0, 0.08, side * p.x()); }});
  }
  return parts;
}

// The Thesis's wrestler has 1302 surface points.
Flesh make_skin(const Skeleton& skeleton, bool proxy) {
  const TriMesh surface = surface_of(
      body, {.low = {-0.95, -0.1, -0.55}, .high = {0.95, 1.82, 0.7}, .cell = proxy ? 0.03 : 0.0175}, proxy ? 1302 : 0);
  const std::vector<flesh::Part> parts = parts_of(skeleton);
  return flesh::make_body(surface, {.name = proxy ? "proxy" : "body",
                                    .solid = body,
                                    .color = skin_color,
                                    .parts = parts,
                                    .joints = skeleton.size(),
                                    .smoothing = proxy ? 2 : 20});
}

Flesh make_belt(const Skeleton& skeleton) {
  const TriMesh surface = polygonise(mawashi, {.low = {-0.6, 0.2, -0.55}, .high = {0.6, 0.95, 0.7}, .cell = 0.015});
  const std::vector<flesh::Part> parts = parts_of(skeleton);
  return flesh::make_body(surface, {.name = "mawashi",
                                    .material = 3,
                                    .solid = mawashi,
                                    .color = mawashi_color,
                                    .parts = parts,
                                    .joints = skeleton.size(),
                                    .smoothing = 20});
}

Flesh make_eyes(const Skeleton& skeleton) {
  Flesh eyes{.name = "eyes", .material = 1};
  for (const double side : {1.0, -1.0}) {
    const Vec3 center = side > 0 ? kEye : shapes::mirrored(kEye);
    const std::string end = biped::suffix(side);
    flesh::add_eye({.center = center,
                    .radius = kEyeRadius,
                    .gaze = Vec3(0.04 * side, 0, 1).normalized(),
                    .iris = 40,
                    .pupil = 26,
                    .iris_color = {0.10f, 0.04f, 0.02f, 1}},
                   skeleton.find("eye" + end), eyes);
    flesh::add_lid({center, 1.08 * kEyeRadius, {0.12 * -side, std::cos(0.48), -std::sin(0.48)}},
                   {skeleton.find("lid" + end), kLid}, eyes);
    flesh::add_lid({center, 1.07 * kEyeRadius, {0, -std::cos(0.6), -std::sin(0.6)}}, {skeleton.find("head"), kLid},
                   eyes);
  }
  return eyes;
}

// Brows and mouth.
Flesh make_details(const Skeleton& skeleton) {
  Flesh details{.name = "details", .material = 2};
  const int joint = skeleton.find("head");
  for (const double side : {1.0, -1.0}) {
    flesh::TubeShape brow;
    for (int k = 0; k <= 12; ++k) {
      const double t = k / 12.0;
      const double height = 1.470 + 0.022 * t - 0.028 * std::max(0.0, t - 0.6);
      brow.line.push_back(shapes::front_skin(head, side * (0.03 + 0.09 * t), height).position + Vec3(0, 0, 0.004));
      brow.radii.push_back(0.0135 * std::sqrt(1.06 - std::pow(2 * t - 1, 2)));
    }
    flesh::add_tube(brow, {joint, kBlack}, details);
  }
  flesh::TubeShape mouth;
  for (int k = 0; k <= 24; ++k) {
    const double s = k / 12.0 - 1;
    mouth.line.push_back(shapes::front_skin(head, 0.052 * s, 1.322 + 0.010 * s * s).position);
    mouth.radii.push_back(0.007 * std::sqrt(1.05 - s * s));
  }
  flesh::add_tube(mouth, {joint, kLip}, details);
  return details;
}

}  // namespace
}  // namespace sumo

RiggedCharacter make_sumo(Version version) {
  using namespace sumo;
  const Skeleton skeleton = make_skeleton();
  Assembly assembly("sumo", {"skin", "eyes", "details", "cloth"});
  assembly.add_joints(skeleton);
  std::vector<Flesh> skins{make_skin(skeleton, false)};
  assembly.add(skins.front());
  assembly.add(make_eyes(skeleton));
  assembly.add(make_details(skeleton));
  assembly.add(make_belt(skeleton));
  if (version == Version::rig) {
    skins.push_back(make_skin(skeleton, true));
    assembly.add(skins.back());
    add_rig(skins, assembly.plan);
  }
  assembly.character.clips = clips(skeleton);
  return std::move(assembly).finish(version);
}

}  // namespace rigspace
