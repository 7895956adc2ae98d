// Bobbin, a plump little dragon: 1.2 m of flesh over a glTF skeleton, with eyes that blink.

#include "assembly.h"
#include "bobbin_clips.h"
#include "bobbin_shape.h"
#include "rigspace/geometry/polygonise.h"
#include "shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rigspace {
namespace bobbin {
namespace {

using flesh::Flesh;
using puppet::Skeleton;

Skeleton make_bobbin_skeleton() {
  Skeleton skeleton = biped::make_spine(kPlan);
  for (const double side : {1.0, -1.0}) {
    const std::string ear = "ear" + biped::suffix(side);
    biped::add_limbs(kPlan, side, skeleton);
    biped::add_chain({{ear + "_01", ear + "_02", ear + "_03"}, "head", biped::on_side(kEar, side)}, skeleton);
  }
  biped::add_chain(
      {{"tail_01", "tail_02", "tail_03", "tail_04", "tail_05"}, "pelvis", biped::on_side(kTail, 1), Vec3::UnitY()},
      skeleton);
  return skeleton;
}

// A chain of joints stem_01, stem_02 .. as it shares out its skin.
flesh::ChainWeights chain_of(const Skeleton& skeleton, const std::string& stem, std::vector<Vec3> points) {
  flesh::ChainWeights weights{{}, std::move(points), 0.05};
  for (std::size_t k = 0; k + 1 < weights.points.size(); ++k)
    weights.joints.push_back(skeleton.find(biped::numbered(stem, static_cast<int>(k))));
  return weights;
}

// Softness in metres: arms and tail hold less of the flanks that they lie against.
std::vector<flesh::Part> parts_of(const Skeleton& skeleton) {
  std::vector<flesh::Part> parts;
  parts.push_back({trunk, 0.022, biped::spine_weights(kPlan, skeleton, 0.07), {}});
  parts.push_back({head, 0.022, biped::held_by(skeleton.find("head")), {}});
  parts.push_back({tail, 0.018, chain_of(skeleton, "tail", biped::on_side(kTail, 1)), {}});
  for (const double side : {1.0, -1.0}) {
    const auto own = [side](const Vec3& p) { return side > 0 ? p : shapes::mirrored(p); };
    parts.push_back(
        {[own](const Vec3& p) { return arm(own(p)); }, 0.013, biped::arm_weights(kPlan, skeleton, side, 0.035), {}});
    // Between the legs, the trunk's.
    parts.push_back({[own](const Vec3& p) { return leg(own(p)); }, 0.022, biped::leg_weights(kPlan, skeleton, side),
                     [side](const Vec3& p) { return smooth_step(0, 0.06, side * p.x()); }});
    parts.push_back({[own](const Vec3& p) { return ear(own(p)); },
                     0.018,
                     chain_of(skeleton, "ear" + biped::suffix(side), biped::on_side(kEar, side)),
                     {}});
  }
  return parts;
}

Flesh make_body(const Skeleton& skeleton) {
  const TriMesh surface = polygonise(body, {.low = {-0.66, -0.1, -0.8}, .high = {0.66, 1.3, 0.44}, .cell = 0.0245});
  const std::vector<flesh::Part> parts = parts_of(skeleton);
  return flesh::make_body(
      surface, {.solid = body, .color = skin_color, .parts = parts, .joints = skeleton.size(), .smoothing = 5});
}

shapes::SkinPoint front_skin(double x, double y) { return shapes::front_skin(body, x, y); }

constexpr double kEyeX = 0.108, kEyeY = 0.962;
const Vec3 kEyeHalf(0.044, 0.056, 0.034);

// Dark glossy buttons with a catch light each; the light stays on the same side in both, as a lamp's would.
Flesh make_eyes(int head) {
  Flesh eyes{.name = "eyes", .material = 1};
  const Eigen::Vector4f dark(0.012f, 0.010f, 0.016f, 1), light(1, 1, 1, 1);
  for (const double side : {1.0, -1.0}) {
    const shapes::SkinPoint skin = front_skin(side * kEyeX, kEyeY);
    const Mat3 axes = shapes::facing(skin.normal);
    const Vec3 center = skin.position - 0.008 * skin.normal;
    flesh::add_ellipsoid({.center = center, .axes = axes, .half = kEyeHalf, .rings = 12, .segments = 24}, {head, dark},
                         eyes);
    const auto catch_light = [&](double right, double up, double size) {
      const Vec3 unit = Vec3(right, up, std::sqrt(1 - right * right - up * up));
      const Vec3 at = center + axes * unit.cwiseProduct(kEyeHalf);
      const Vec3 normal = (axes * unit.cwiseQuotient(kEyeHalf)).normalized();
      flesh::add_ellipsoid(
          {.center = at, .axes = shapes::facing(normal), .half = {size, size, 0.3 * size}, .rings = 5, .segments = 12},
          {head, light}, eyes);
    };
    catch_light(-0.28, 0.42, 0.0135);
    catch_light(0.3, -0.4, 0.006);
  }
  return eyes;
}

// The lids' work, done by the eyes: they flatten to a smiling line.
plan::Shape make_blink(const Flesh& eyes) {
  plan::Shape shape{.name = "eyes:blink", .weight = "'eyes:blink'", .points = {}, .offsets = {}};
  for (int v = 0; v < eyes.size(); ++v) {
    const Vec3& p = eyes.points[v];
    const double across = (std::abs(p.x()) - kEyeX) / kEyeHalf.x();
    const double line = kEyeY - 0.012 + 0.010 * across * across;
    const bool light = eyes.colors[v].x() > 0.5f;
    // Catch lights sink behind the line.
    shape.points.push_back(v);
    shape.offsets.push_back({0, (line - p.y()) * 0.9, light ? -0.03 : 0.0});
  }
  return shape;
}

// Smile, nostrils and toenails.
Flesh make_details(const Skeleton& skeleton) {
  Flesh details{.name = "details", .material = 2};
  const int head = skeleton.find("head");
  const Eigen::Vector4f brown(0.06f, 0.018f, 0.016f, 1), horn(0.93f, 0.80f, 0.58f, 1);
  flesh::TubeShape smile;
  for (int k = 0; k <= 24; ++k) {
    const double s = k / 12.0 - 1;
    smile.line.push_back(front_skin(0.088 * s, 0.838 + 0.026 * s * s).position);
    smile.radii.push_back(0.0065 * std::sqrt(1.05 - s * s));
  }
  flesh::add_tube(smile, {head, brown}, details);
  for (const double side : {1.0, -1.0}) {
    const shapes::SkinPoint nostril = front_skin(side * 0.034, 0.902);
    flesh::add_ellipsoid({.center = nostril.position,
                          .axes = shapes::facing(nostril.normal),
                          .half = {0.0085, 0.011, 0.004},
                          .rings = 5,
                          .segments = 12},
                         {head, brown}, details);
    for (const double toe : {-0.06, 0.0, 0.06}) {
      const shapes::SkinPoint skin = front_skin(side * (0.152 + toe), 0.05);
      flesh::add_ellipsoid({.center = skin.position - 0.003 * skin.normal,
                            .axes = shapes::facing(skin.normal),
                            .half = {0.022, 0.019, 0.010},
                            .rings = 6,
                            .segments = 12},
                           {skeleton.find(side > 0 ? "toe_l" : "toe_r"), horn}, details);
    }
  }
  return details;
}

}  // namespace
}  // namespace bobbin

// All of Bobbin is glTF; both versions are the same rig.
RiggedCharacter make_bobbin(Version /*version*/) {
  using namespace bobbin;
  const puppet::Skeleton skeleton = make_bobbin_skeleton();
  Assembly assembly("bobbin", {"skin", "eyes", "details"});
  assembly.add_joints(skeleton);
  assembly.add(make_body(skeleton));
  const Flesh eyes = make_eyes(skeleton.find("head"));
  assembly.add(eyes);
  assembly.add(make_details(skeleton));
  assembly.plan.controls.push_back(switch_control("eyes:blink"));
  assembly.plan.deformers.push_back({.name = "blink", .pieces = {"eyes"}, .kind = plan::Shapes{{make_blink(eyes)}}});
  assembly.character.clips = clips(skeleton);
  return std::move(assembly).finish(Version::skeleton);
}

}  // namespace rigspace
