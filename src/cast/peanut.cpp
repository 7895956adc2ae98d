// Peanut, an elephant on two legs: 1.2 m of good temper, for rig-space physics to put in motion.

#include "assembly.h"
#include "coarsen.h"
#include "elephant_rig.h"
#include "eyes.h"
#include "members.h"
#include "peanut_clips.h"
#include "peanut_rig.h"
#include "peanut_shape.h"
#include "refine.h"
#include "rigspace/base/require.h"
#include "rigspace/cast/sized.h"
#include "rigspace/geometry/polygonise.h"

#include <cmath>
#include <string>
#include <utility>

namespace rigspace {
namespace peanut {
namespace {

using flesh::Flesh;
using puppet::Skeleton;

const Eigen::Vector4f kIvory(0.86f, 0.78f, 0.62f, 1), kInk(0.035f, 0.028f, 0.045f, 1), kLid(0.155f, 0.18f, 0.27f, 1),
    kMouth(0.05f, 0.02f, 0.03f, 1);

std::vector<std::string> numbered_names(const std::string& stem, int count) {
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) names.push_back(biped::numbered(stem, k));
  return names;
}

// Where glTF must do, chains of joints stand for the deformers of trunk, tail and ears.
Skeleton make_skeleton(bool chains) {
  Skeleton skeleton = biped::make_skeleton(kPlan);
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    const Vec3 eye = side > 0 ? kEye : shapes::mirrored(kEye);
    skeleton.add("eye" + end, "head", eye, eye + Vec3::UnitZ(), Vec3::UnitX());
    skeleton.add("lid" + end, "head", eye, eye + Vec3::UnitZ(), Vec3::UnitX());
    if (chains) biped::add_chain({numbered_names("ear" + end, 3), "head", biped::on_side(kEar, side)}, skeleton);
  }
  if (chains) {
    biped::add_chain({numbered_names("trunk", 6), "head", biped::on_side(kTrunk, 1), Vec3::UnitX()}, skeleton);
    biped::add_chain({numbered_names("tail", 4), "pelvis", biped::on_side(kTail, 1), Vec3::UnitX()}, skeleton);
  }
  return skeleton;
}

// A chain of joints, or the one joint that carries the whole part where the skeleton has no chain.
struct Hanging {
  std::string stem;
  int count;
  std::string carrier;
  std::vector<Vec3> points;
};

flesh::ShareOut hang(const Skeleton& skeleton, const Hanging& part, bool chains) {
  if (!chains) {
    return
        [joint = skeleton.find(part.carrier)](const Vec3&, double share, flesh::WeightRow row) { row[joint] += share; };
  }
  flesh::ChainWeights weights{{}, part.points, 0.045};
  for (const std::string& name : numbered_names(part.stem, part.count)) weights.joints.push_back(skeleton.find(name));
  return weights;
}

// In the order of PartIndex.
std::vector<flesh::Part> parts_of(const Skeleton& skeleton, bool chains) {
  using shapes::mirrored;
  std::vector<flesh::Part> parts;
  parts.push_back({torso, 0.022, biped::spine_weights(kPlan, skeleton, 0.07), {}});
  parts.push_back({head, 0.022, biped::held_by(skeleton.find("head")), {}});
  parts.push_back({[](const Vec3& p) { return trunk(p); },
                   0.018,
                   hang(skeleton, {"trunk", 6, "head", biped::on_side(kTrunk, 1)}, chains),
                   {}});
  parts.push_back({[](const Vec3& p) { return tail(p); },
                   0.016,
                   hang(skeleton, {"tail", 4, "pelvis", biped::on_side(kTail, 1)}, chains),
                   {}});
  for (const double side : {1.0, -1.0}) {
    const auto own = [side](const Vec3& p) { return side > 0 ? p : mirrored(p); };
    parts.push_back(
        {[own](const Vec3& p) { return arm(own(p)); }, 0.013, biped::arm_weights(kPlan, skeleton, side, 0.035), {}});
    // Between the legs, the torso's.
    parts.push_back({[own](const Vec3& p) { return leg(own(p)); }, 0.022, biped::leg_weights(kPlan, skeleton, side),
                     [side](const Vec3& p) { return smooth_step(0, 0.06, side * p.x()); }});
    parts.push_back({[own](const Vec3& p) { return ear(own(p)); },
                     0.016,
                     hang(skeleton, {"ear" + biped::suffix(side), 3, "head", biped::on_side(kEar, side)}, chains),
                     {}});
  }
  return parts;
}

// The papers' elephant has 761 surface points.
Flesh make_skin(const Skeleton& skeleton, std::span<const flesh::Part> parts, bool proxy) {
  const double thicker = proxy ? 0.006 : 0;
  const ScalarField solid = [thicker](const Vec3& p) { return body(p, thicker); };
  const TriMesh surface = surface_of(
      solid, {.low = {-0.72, -0.1, -0.6}, .high = {0.72, 1.36, 0.72}, .cell = proxy ? 0.026 : 0.0135}, proxy ? 761 : 0);
  return flesh::make_body(surface, {.name = proxy ? "proxy" : "body",
                                    .solid = solid,
                                    .color = skin_color,
                                    .parts = parts,
                                    .joints = skeleton.size(),
                                    .smoothing = proxy ? 1 : 15});
}

// Of about so many points; weights are smoothed over the same stretch of skin at all sizes.
Flesh make_sized_skin(const Skeleton& skeleton, std::span<const flesh::Part> parts, int vertices) {
  constexpr int kMostDirect = 20000, kSmoothed = 24700, kRounds = 15;  // as make_skin has it
  const ScalarField solid = [](const Vec3& p) { return body(p); };
  int base = vertices, divisions = 0;
  for (; base > kMostDirect; ++divisions) base = (base + 6) / 4;  // V + E of a closed surface is 4 V - 6
  TriMesh surface;
  for (double cell = 0.0135; surface.point_count() < base; cell *= 0.9)
    surface = polygonise(solid, {.low = {-0.72, -0.1, -0.6}, .high = {0.72, 1.36, 0.72}, .cell = cell});
  surface = coarsened(surface, solid, base);
  Flesh skin = flesh::make_body(surface, {.solid = solid,
                                          .color = skin_color,
                                          .parts = parts,
                                          .joints = skeleton.size(),
                                          .smoothing = std::max(1, kRounds * base / kSmoothed)});
  for (; divisions > 0; --divisions) skin = refined(skin, solid);
  return skin;
}

Flesh make_eyes(const Skeleton& skeleton) {
  Flesh eyes{.name = "eyes", .material = 1};
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    const Vec3 center = side > 0 ? kEye : shapes::mirrored(kEye);
    flesh::add_eye({.center = center,
                    .radius = kEyeRadius,
                    .gaze = Vec3(0.10 * side, 0.02, 1).normalized(),
                    .iris = 38,
                    .pupil = 23,
                    .iris_color = {0.22f, 0.085f, 0.03f, 1}},
                   skeleton.find("eye" + end), eyes);
    flesh::add_lid({center, 1.07 * kEyeRadius, {-0.02 * side, std::cos(0.92), -std::sin(0.92)}},
                   {skeleton.find("lid" + end), kLid}, eyes);
    flesh::add_lid({center, 1.06 * kEyeRadius, {0, -std::cos(0.62), -std::sin(0.62)}}, {skeleton.find("head"), kLid},
                   eyes);
  }
  return eyes;
}

void add_nail(const ScalarField& solid, const Vec3& from, const Vec3& direction, int joint, Flesh& details) {
  const shapes::SkinPoint skin = shapes::first_hit(solid, from, direction);
  flesh::add_ellipsoid({.center = skin.position - 0.003 * skin.normal,
                        .axes = shapes::facing(skin.normal),
                        .half = {0.024, 0.025, 0.011},
                        .rings = 8,
                        .segments = 16},
                       {joint, kIvory}, details);
}

// A few hairs, tusks, nails, and the corners of a smile.
Flesh make_details(const Skeleton& skeleton) {
  Flesh details{.name = "details", .material = 2};
  const ScalarField solid = [](const Vec3& p) { return body(p); };
  const int crown = skeleton.find("head");
  for (const double side : {1.0, -1.0}) {
    const auto own = [side](double x, double y, double z) { return Vec3(side * x, y, z); };
    const std::array tusk{own(0.082, 0.895, 0.15), own(0.098, 0.858, 0.225), own(0.11, 0.835, 0.29),
                          own(0.116, 0.838, 0.345)};
    flesh::TubeShape tube;
    tube.segments = 16;
    for (const shapes::CurvePoint& c : shapes::smooth_line(tusk, 5)) {
      tube.line.push_back(c.position);
      tube.radii.push_back(0.026 * std::sqrt(1.02 - c.fraction * c.fraction));
    }
    tube.up = Vec3::UnitX();
    flesh::add_tube(tube, {crown, kIvory}, details);
    flesh::TubeShape smile;
    smile.up = Vec3::UnitZ();
    for (int k = 0; k <= 12; ++k) {
      const double t = k / 12.0;
      smile.line.push_back(shapes::front_skin(head, side * (0.085 + 0.075 * t), 0.868 + 0.035 * t * t).position);
      smile.radii.push_back(0.0055 * std::sqrt(1.08 - t * t));
    }
    flesh::add_tube(smile, {crown, kMouth}, details);
    for (const double toe : {-0.075, -0.027, 0.027, 0.075}) {
      add_nail(solid, own(0.156 + toe, 0.045, 0.5), -Vec3::UnitZ(), skeleton.find("toe" + biped::suffix(side)),
               details);
    }
  }
  for (const auto& [x, lean] : {std::pair{-0.02, -0.035}, std::pair{0.0, 0.01}, std::pair{0.022, 0.04}}) {
    flesh::TubeShape hair;
    for (int k = 0; k <= 8; ++k) {
      const double t = k / 8.0;
      hair.line.push_back(Vec3(x + lean * t * t, 1.175 + 0.09 * t, 0.0 + 0.03 * t * t));
      hair.radii.push_back(0.009 * (1.05 - t));
    }
    flesh::add_tube(hair, {crown, kInk}, details);
  }
  return details;
}

}  // namespace
}  // namespace peanut

RiggedCharacter make_peanut(Version version) {
  using namespace peanut;
  const bool chains = version == Version::skeleton;
  const Skeleton skeleton = make_skeleton(chains);
  const std::vector<flesh::Part> parts = parts_of(skeleton, chains);
  Assembly assembly("peanut", {"skin", "eyes", "details"});
  assembly.add_joints(skeleton);
  std::vector<Flesh> skins{make_skin(skeleton, parts, false)};
  assembly.add(skins.front());
  assembly.add(make_eyes(skeleton));
  assembly.add(make_details(skeleton));
  if (!chains) {
    skins.push_back(make_skin(skeleton, parts, true));
    assembly.add(skins.back());
    add_rig(skins, parts, assembly.plan);
  }
  assembly.character.clips = clips(skeleton);
  return std::move(assembly).finish(version);
}

RiggedCharacter make_elephant(Version version) {
  using namespace peanut;
  constexpr int kPoints = 2054;  // table 5.1: dim x = 6162
  const Skeleton skeleton = make_skeleton(true);
  const std::vector<flesh::Part> parts = parts_of(skeleton, true);
  Assembly assembly("elephant", {"skin"});
  assembly.add_joints(skeleton);
  assembly.add(make_sized_skin(skeleton, parts, kPoints));
  if (version == Version::rig) add_drawn_rig(skeleton, assembly);
  assembly.character.clips = clips(skeleton);
  return std::move(assembly).finish(version);
}

Character make_sized_peanut(int vertices, bool with_proxy) {
  using namespace peanut;
  require_option(vertices >= 500 && vertices <= 4000000, "number of vertices", vertices, "expected 500 to 4000000");
  const Skeleton skeleton = make_skeleton(false);
  const std::vector<flesh::Part> parts = parts_of(skeleton, false);
  Assembly assembly("peanut", {"skin"});
  assembly.add_joints(skeleton);
  std::vector<Flesh> skins{make_sized_skin(skeleton, parts, vertices)};
  if (with_proxy) skins.push_back(make_skin(skeleton, parts, true));
  for (const Flesh& skin : skins) assembly.add(skin);
  add_rig(skins, parts, assembly.plan);
  assembly.character.clips = clips(skeleton);
  return std::move(assembly).finish(Version::rig).character;
}

}  // namespace rigspace
