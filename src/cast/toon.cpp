// A cartoon man, after the Thesis's (table 5.1): 2236 points, 91 controls; drawn as a stick figure or by his outlines.

#include "assembly.h"
#include "coarsen.h"
#include "curve_drafts.h"
#include "members.h"
#include "rigspace/geometry/polygonise.h"
#include "toon_clips.h"
#include "toon_rig.h"
#include "toon_shape.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace rigspace {
namespace toon {
namespace {

using flesh::Flesh;
using puppet::Skeleton;
using shapes::mirrored;
using shapes::to_left;

const Eigen::Vector4f kSkin(0.83f, 0.47f, 0.31f, 1), kHair(0.105f, 0.030f, 0.012f, 1), kBlue(0.035f, 0.075f, 0.24f, 1),
    kWhite(0.94f, 0.93f, 0.90f, 1), kBlack(0.008f, 0.007f, 0.010f, 1), kLip(0.36f, 0.05f, 0.04f, 1);

Skeleton make_skeleton() {
  Skeleton skeleton = biped::make_skeleton(kPlan);
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side), hand = "hand" + end;
    const auto own = [side](const Vec3& p) { return side > 0 ? p : mirrored(p); };
    biped::add_chain({{"fingers" + end}, hand, {own(kKnuckles), own(kPlan.arm[4])}, Vec3::UnitZ()}, skeleton);
    biped::add_chain({{"thumb" + end}, hand, {own(kThumb), own(kThumbTip)}, Vec3::UnitZ()}, skeleton);
  }
  return skeleton;
}

std::vector<flesh::Part> parts_of(const Skeleton& skeleton) {
  std::vector<flesh::Part> parts;
  parts.push_back({trunk, 0.016, biped::spine_weights(kPlan, skeleton, 0.05), {}});
  parts.push_back({head, 0.012, biped::spine_weights(kPlan, skeleton, 0.03), {}});
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    const auto own = [side](const Vec3& p) { return side > 0 ? p : mirrored(p); };
    flesh::ChainWeights limb = biped::arm_weights(kPlan, skeleton, side, 0.03);
    limb.joints.push_back(skeleton.find("fingers" + end));
    limb.points.insert(limb.points.end() - 1, own(kKnuckles));
    parts.push_back({[own](const Vec3& p) { return arm(own(p)); }, 0.014, limb, {}});
    parts.push_back(
        {[own](const Vec3& p) { return thumb(own(p)); }, 0.008, biped::held_by(skeleton.find("thumb" + end)), {}});
    parts.push_back({[own](const Vec3& p) { return std::min(leg(own(p)), shoe(own(p))); }, 0.018,
                     biped::leg_weights(kPlan, skeleton, side),
                     [side](const Vec3& p) { return smooth_step(0, 0.05, side * p.x()); }});
  }
  return parts;
}

struct Garment {
  const char* name;
  int material;
  ScalarField solid;
  std::function<Eigen::Vector4f(const Vec3&)> color;
  double cell;  // metres
  int points;
};

Flesh make_garment(const Garment& garment, std::span<const flesh::Part> parts, int joints) {
  const TriMesh surface = surface_of(
      garment.solid, {.low = {-0.75, -0.06, -0.36}, .high = {0.75, 1.62, 0.36}, .cell = garment.cell}, garment.points);
  return flesh::make_body(surface, {.name = garment.name,
                                    .material = garment.material,
                                    .solid = garment.solid,
                                    .color = garment.color,
                                    .parts = parts,
                                    .joints = joints,
                                    .smoothing = 1});
}

// Eyes, brows and the mouth: 440 points.
Flesh make_details(const Skeleton& skeleton) {
  Flesh details{.name = "details", .material = 4};
  const int joint = skeleton.find("head");
  for (const double side : {1.0, -1.0}) {
    const auto own = [side](const Vec3& p) { return side > 0 ? p : mirrored(p); };
    const auto ball = [&](const Vec3& center, const Vec3& half, int rings, int segments, const Eigen::Vector4f& color) {
      flesh::add_ellipsoid({.center = own(center), .half = half, .rings = rings, .segments = segments}, {joint, color},
                           details);
    };
    ball(kEye, kEyeHalf, 7, 12, kWhite);
    const Vec3 pupil = kEye + Vec3(-0.014, -0.004, 0.050);
    ball(pupil, {0.030, 0.041, 0.018}, 4, 10, kBlack);
    ball(pupil + Vec3(-0.010 * side, 0.016, 0.0155), {0.010, 0.012, 0.004}, 2, 6, kWhite);
    flesh::TubeShape brow;
    for (int k = 0; k <= 6; ++k) {
      const double t = k / 6.0, arch = std::sin(std::numbers::pi * (0.15 + 0.75 * t));
      const Vec3 at(0.030 + 0.115 * t, 1.342 + 0.030 * arch, 0);
      brow.line.push_back(own(shapes::front_skin(head, at.x(), at.y()).position + Vec3(0, 0, 0.020)));
      brow.radii.push_back(0.017 * std::sqrt(1.08 - std::pow(1.6 * t - 0.6, 2)));
    }
    flesh::add_tube({brow.line, brow.radii, Vec3::UnitZ(), 6}, {joint, kHair}, details);
  }
  flesh::TubeShape mouth;
  for (int k = 0; k <= 10; ++k) {
    const double s = k / 5.0 - 1;
    mouth.line.push_back(shapes::front_skin(head, 0.088 * s, 1.083 + 0.030 * s * s).position + Vec3(0, 0, 0.002));
    mouth.radii.push_back(0.0115 * std::sqrt(1.06 - s * s));
  }
  flesh::add_tube({mouth.line, mouth.radii, Vec3::UnitZ(), 6}, {joint, kLip}, details);
  return details;
}

// Table 5.1: 190 points (dim z = 380) of a stick figure, 353 (706) of outlines.
std::vector<AbstractionDraft> make_abstractions(const Skeleton& skeleton, std::span<const flesh::Part> parts) {
  AbstractionDraft stick{"stick", {}}, outline{"outline", {}};
  const auto skinned = [&](const std::string& name, std::vector<Vec3> points, bool closed) {
    outline.curves.push_back(on_skin(name, std::move(points), parts, skeleton.size()));
    outline.curves.back().closed = closed;
  };
  stick.curves.push_back(along_bones(
      skeleton, {"spine", {"pelvis", "spine_01", "spine_02", "chest", "neck", "head"}, kPlan.spine.back(), 38}));
  const ScalarField skull = [](const Vec3& p) { return std::min(head(p), hair(p)); };
  skinned("head", outline_around(skull, {0, 1.24, 0.0}, Vec3::UnitZ(), 57), true);
  skinned("torso",
          outline_around([](const Vec3& p) { return std::min(trunk(p) - 0.01, trousers(p)); }, {0, 0.72, -0.005},
                         Vec3::UnitZ(), 100),
          true);
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    const auto own = [side](const Vec3& p) { return side > 0 ? p : mirrored(p); };
    const std::vector<Vec3> arm_line = biped::on_side(kPlan.arm, side), leg_line = biped::on_side(kPlan.leg, side);
    stick.curves.push_back(
        along_bones(skeleton, {"arm" + end,
                               {"clavicle" + end, "upper_arm" + end, "lower_arm" + end, "hand" + end, "fingers" + end},
                               arm_line.back(),
                               38}));
    stick.curves.push_back(along_bones(
        skeleton, {"leg" + end, {"thigh" + end, "shin" + end, "foot" + end, "toe" + end}, leg_line.back(), 38}));
    skinned("arm" + end,
            outline_of({.solid = [own](const Vec3& p) { return arm(own(p)); },
                        .chain = {arm_line[1], arm_line[2], arm_line[3], arm_line[4]},
                        .from = 0.2,
                        .to = 0.9,
                        .count = 48}),
            false);
    const Vec3 sole = own(Vec3(0.105, 0.05, 0));
    skinned("leg" + end,
            outline_of({.solid = [own](const Vec3& p) { return std::min(leg(own(p)), shoe(own(p))); },
                        .chain = {leg_line[0], leg_line[1], leg_line[2], sole},
                        .from = 0.15,
                        .to = 1,
                        .count = 50}),
            false);
  }
  return {std::move(stick), std::move(outline)};
}

void add_flesh(const Skeleton& skeleton, std::span<const flesh::Part> parts, Assembly& assembly) {
  const auto plain = [](const Eigen::Vector4f& color) { return [color](const Vec3&) { return color; }; };
  const ScalarField arms = [](const Vec3& p) { return smooth_union(arm(to_left(p)), thumb(to_left(p)), 0.012); };
  const std::array garments{
      Garment{"head", 0, head, face_color, 0.02, 412},
      Garment{"hair", 1, hair, plain(kHair), 0.02, 224},
      Garment{"shirt", 2, shirt, shirt_color, 0.02, 330},
      Garment{"trousers", 3, trousers, plain(kBlue), 0.02, 270},
      Garment{"arms", 0, arms, plain(kSkin), 0.014, 360},
      Garment{"shoes", 5, [](const Vec3& p) { return shoe(to_left(p)); }, shoe_color, 0.016, 200},
  };
  for (const Garment& garment : garments) assembly.add(make_garment(garment, parts, skeleton.size()));
  assembly.add(make_details(skeleton));
}

}  // namespace
}  // namespace toon

CastSketch make_toon(Version version) {
  using namespace toon;
  const Skeleton skeleton = make_skeleton();
  const std::vector<flesh::Part> parts = parts_of(skeleton);
  Assembly assembly("toon", {"skin", "hair", "shirt", "trousers", "details", "shoes"});
  assembly.add_joints(skeleton);
  add_flesh(skeleton, parts, assembly);
  assembly.character.clips = clips(skeleton);
  if (version == Version::skeleton) return std::move(assembly).finish(version);
  add_rig(skeleton, assembly);
  return std::move(assembly).finish(version, make_abstractions(skeleton, parts));
}

}  // namespace rigspace
