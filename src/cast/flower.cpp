// A sunflower in a pot (RSP, figure 6): stiff stem, soft blossom, softer leaves, as the animator likes.

#include "assembly.h"
#include "biped.h"
#include "coarsen.h"
#include "flower_shape.h"
#include "members.h"
#include "rigspace/geometry/polygonise.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace rigspace {
namespace flower {
namespace {

using flesh::Flesh;
using puppet::Skeleton;

Skeleton make_skeleton(bool chains) {
  Skeleton skeleton;
  skeleton.add("pot", "", Vec3::Zero(), Vec3::UnitY(), Vec3::UnitX());
  if (!chains) return skeleton;
  const std::vector<Vec3> stem(kStem.begin(), kStem.end());
  biped::add_chain({{"stem_01", "stem_02", "stem_03"}, "pot", stem, Vec3::UnitZ()}, skeleton);
  skeleton.add("blossom", "stem_03", kStem[3], kFace + 0.1 * Vec3::UnitY(), Vec3::UnitX());
  for (int k = 0; k < 2; ++k) {
    const std::string name = "leaf_" + std::to_string(k + 1);
    biped::add_chain({{name + "_01", name + "_02", name + "_03"},
                      k == 0 ? "stem_01" : "stem_02",
                      std::vector<Vec3>(kLeaves[k].begin(), kLeaves[k].end()),
                      Vec3::UnitZ()},
                     skeleton);
  }
  return skeleton;
}

std::vector<flesh::Part> parts_of(const Skeleton& skeleton, bool chains) {
  const auto find = [&](const std::string& name) { return skeleton.find(chains ? name : "pot"); };
  std::vector<flesh::Part> parts;
  parts.push_back({pot, 0.004, biped::held_by(skeleton.find("pot")), {}});
  flesh::ChainWeights stem_weights{{find("pot"), find("stem_01"), find("stem_02"), find("stem_03")},
                                   {Vec3(0, 0.1, 0), kStem[0], kStem[1], kStem[2], kStem[3]},
                                   0.05};
  parts.push_back({[](const Vec3& p) { return stem(p); }, 0.01, stem_weights, {}});
  parts.push_back({[](const Vec3& p) { return blossom(p); }, 0.012, biped::held_by(find("blossom")), {}});
  for (int k = 0; k < 2; ++k) {
    const std::string name = "leaf_" + std::to_string(k + 1);
    flesh::ChainWeights along{{find(name + "_01"), find(name + "_02"), find(name + "_03")},
                              std::vector<Vec3>(kLeaves[k].begin(), kLeaves[k].end()),
                              0.035};
    parts.push_back({[k](const Vec3& p) { return leaf(k, p); }, 0.01, along, {}});
  }
  return parts;
}

// The paper's has 329 surface points.
Flesh make_plant(const Skeleton& skeleton, bool chains, bool proxy) {
  const double thicker = proxy ? 0.005 : 0;
  const ScalarField solid = [thicker](const Vec3& p) { return plant(p, thicker); };
  const TriMesh surface =
      surface_of(solid, {.low = {-0.36, -0.06, -0.2}, .high = {0.40, 0.92, 0.26}, .cell = proxy ? 0.013 : 0.0065},
                 proxy ? 329 : 0);
  const std::vector<flesh::Part> parts = parts_of(skeleton, chains);
  return flesh::make_body(surface, {.name = proxy ? "proxy" : "plant",
                                    .solid = solid,
                                    .color = color,
                                    .parts = parts,
                                    .joints = skeleton.size(),
                                    .smoothing = proxy ? 0 : 8});
}

// Two eyes and a smile.
Flesh make_face(const Skeleton& skeleton, bool chains) {
  Flesh face{.name = "face", .material = 1};
  const int joint = skeleton.find(chains ? "blossom" : "pot");
  const Eigen::Vector4f dark(0.012f, 0.006f, 0.004f, 1), light(1, 1, 1, 1);
  const Mat3 axes = shapes::facing(kFacing);
  const ScalarField solid = [](const Vec3& p) { return plant(p); };
  const auto skin_at = [&](double x, double y) {
    return shapes::first_hit(solid, kFace + axes * Vec3(x, y, 0.3), -axes.col(2));
  };
  for (const double side : {1.0, -1.0}) {
    const shapes::SkinPoint eye = skin_at(side * 0.03, 0.016);
    const Mat3 out = shapes::facing(eye.normal);
    flesh::add_ellipsoid(
        {.center = eye.position, .axes = out, .half = {0.0115, 0.0165, 0.008}, .rings = 10, .segments = 20},
        {joint, dark}, face);
    flesh::add_ellipsoid({.center = eye.position + out * Vec3(-0.003, 0.006, 0.007),
                          .axes = out,
                          .half = {0.0035, 0.0035, 0.0015},
                          .rings = 4,
                          .segments = 10},
                         {joint, light}, face);
  }
  flesh::TubeShape smile;
  for (int k = 0; k <= 20; ++k) {
    const double s = k / 10.0 - 1;
    smile.line.push_back(skin_at(0.031 * s, -0.033 + 0.014 * s * s).position);
    smile.radii.push_back(0.0038 * std::sqrt(1.05 - s * s));
  }
  flesh::add_tube(smile, {joint, dark}, face);
  return face;
}

// Twenty-four controls: four points of a wire in the stem, a handle in either leaf, two in the blossom. The wire
// carries leaves and blossom along; it lets go toward the earth.
void add_rig(std::span<const Flesh> pieces, RigPlan& plan) {
  const auto add_point = [&](const std::string& name, const Vec3& at) {
    plan.points.push_back({.name = name, .parent = {}, .position = at, .typical_length = 0.05});
  };
  std::vector<std::string> stem_points;
  for (std::size_t k = 0; k < kStem.size(); ++k) {
    stem_points.push_back("stem_" + std::to_string(k + 1));
    add_point(stem_points.back(), kStem[k]);
  }
  for (int k = 0; k < 2; ++k) add_point("leaf_" + std::to_string(k + 1), kLeaves[k][3]);
  const std::array<Vec3, 2> blossom_ends{kFace + Vec3(0, 0.12, -0.02), kFace - Vec3(0, 0.12, -0.02)};
  for (int k = 0; k < 2; ++k) add_point("blossom_" + std::to_string(k + 1), blossom_ends[k]);

  for (const Flesh& piece : pieces) {
    const auto away = [](const Vec3& p) { return smooth_step(0.14, 0.24, p.y()); };
    plan::Clusters clusters;
    for (int k = 0; k < 2; ++k) {
      const Vec3 root = kLeaves[k][0], span = kLeaves[k][3] - root;
      plan::Mask mask = mask_of(piece, [&](const Vec3& p) {
        const double along = (p - root).dot(span) / span.squaredNorm();
        return smooth_step(0.012, 0.002, leaf(k, p, 0.01)) * std::pow(std::clamp(along, 0.0, 1.0), 1.5);
      });
      if (!mask.points.empty()) clusters.clusters.push_back({"leaf_" + std::to_string(k + 1), std::move(mask)});
    }
    for (int k = 0; k < 2; ++k) {  // the upper half, the lower half, blended across the middle
      plan::Mask mask = mask_of(piece, [&](const Vec3& p) {
        const double up = (k == 0 ? 1 : -1) * (p - kFace).y() / kPetals;
        return smooth_step(0.02, 0.008, blossom(p)) * smooth_step(-0.8, 0.9, up);
      });
      clusters.clusters.push_back({"blossom_" + std::to_string(k + 1), std::move(mask)});
    }
    plan.deformers.push_back({.name = "softness_" + piece.name, .pieces = {piece.name}, .kind = std::move(clusters)});
    plan::Wire wire;
    wire.points = stem_points;
    wire.curve = WireCurve::catmull_rom;
    wire.where = mask_of(piece, away);
    plan.deformers.push_back({.name = "stem_" + piece.name, .pieces = {piece.name}, .kind = std::move(wire)});
  }
  for (const char* group : {"stem", "leaf", "blossom"})
    plan.rules.push_back({.pattern = std::string(group) + "_?", .group = group});
  plan.rules.push_back({.pattern = "pot", .group = "pot"});
}

// The pot is lifted to one side, shaken there, and set back.
puppet::Pose push(const Skeleton& skeleton, double time) {
  const auto carried = biped::eased({{0.1, 0}, {0.6, 1}, {1.9, 1}, {2.4, 0}}, time);
  const double lifted = biped::eased({{0.05, 0}, {0.3, 1}, {0.45, 1}, {0.65, 0}, {1.85, 0}, {2.1, 1}, {2.4, 0}}, time);
  const double amount = biped::eased({{0.85, 0}, {1.05, 1}, {1.5, 1}, {1.75, 0}}, time);
  const double shake = amount * std::sin(2 * std::numbers::pi * 3.5 * (time - 0.85));
  puppet::Pose pose(skeleton);
  pose.shift[0] = Vec3(0.30 * carried + 0.03 * shake, 0.07 * lifted, 0);
  pose.turn[0] = puppet::about_z(-9 * lifted * (time < 1.2 ? 1 : -1) - 2.5 * shake) * puppet::about_y(10 * carried);
  return pose;
}

}  // namespace
}  // namespace flower

RiggedCharacter make_flower(Version version) {
  using namespace flower;
  const bool chains = version == Version::skeleton;
  const Skeleton skeleton = make_skeleton(chains);
  Assembly assembly("flower", {"plant", "face"});
  assembly.add_joints(skeleton);
  std::vector<Flesh> pieces{make_plant(skeleton, chains, false), make_face(skeleton, chains)};
  if (!chains) pieces.push_back(make_plant(skeleton, chains, true));
  for (const Flesh& piece : pieces) assembly.add(piece);
  if (!chains) add_rig(pieces, assembly.plan);
  assembly.character.clips = puppet::bake(skeleton, {{"Push", 3, 60, push}});
  return std::move(assembly).finish(version);
}

}  // namespace rigspace
