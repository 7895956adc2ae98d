// A face, after the one of the Thesis's table 5.1 (Baskin's rig): 6557 points, 44 controls of many kinds.

#include "assembly.h"
#include "biped.h"
#include "coarsen.h"
#include "eyes.h"
#include "face_rig.h"
#include "face_shape.h"
#include "members.h"
#include "rigspace/geometry/polygonise.h"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace rigspace {
namespace face {
namespace {

using flesh::Flesh;
using puppet::Skeleton;

constexpr int kPoints = 6557, kHairPoints = 360;
const Eigen::Vector4f kHair(0.12f, 0.045f, 0.015f, 1), kLip(0.62f, 0.13f, 0.11f, 1), kDark(0.045f, 0.008f, 0.010f, 1),
    kTooth(0.90f, 0.87f, 0.80f, 1), kLid(0.68f, 0.34f, 0.23f, 1);

Skeleton make_skeleton() {
  Skeleton skeleton;
  skeleton.add("bust", "", Vec3::Zero(), Vec3::UnitY(), Vec3::UnitX());
  skeleton.add("neck", "bust", kNeck, kHead, Vec3::UnitX());
  skeleton.add("head", "neck", kHead, kHead + Vec3::UnitY(), Vec3::UnitX());
  skeleton.add("jaw", "head", kJaw, kJaw + Vec3::UnitY(), Vec3::UnitX());
  for (const double side : {1.0, -1.0}) {
    const std::string end = biped::suffix(side);
    const Vec3 eye = side > 0 ? kEye : shapes::mirrored(kEye);
    for (const char* stem : {"eye", "lid", "lidlow"})
      skeleton.add(stem + end, "head", eye, eye + Vec3::UnitY(), Vec3::UnitX());
  }
  return skeleton;
}

// Bust, neck and head by height, the jaw's share of the head's.
flesh::ShareOut bust_weights(const Skeleton& skeleton) {
  return [bust = skeleton.find("bust"), neck = skeleton.find("neck"), head = skeleton.find("head"),
          jaw = skeleton.find("jaw")](const Vec3& p, double share, flesh::WeightRow row) {
    const double above = smooth_step(0.05, 0.13, p.y());
    const double skull = smooth_step(0.14, 0.255, p.y() + 0.45 * std::max(0.0, p.z()));
    const double mandible = jaw_share(p);
    row[bust] += share * (1 - above);
    row[neck] += share * above * (1 - skull);
    row[head] += share * above * skull * (1 - mandible);
    row[jaw] += share * above * skull * mandible;
  };
}

// Hangs the points from `first` on between head and jaw.
void hang(int first, const Skeleton& skeleton, const std::function<double(int)>& jaw_share_of, Flesh& flesh) {
  const int head = skeleton.find("head"), jaw = skeleton.find("jaw");
  for (int v = first; v < flesh.size(); ++v) {
    const double w = std::clamp(jaw_share_of(v), 0.0, 1.0);
    flesh.influences[v] = w < 0.02   ? std::vector<Influence>{{head, 1.0}}
                          : w > 0.98 ? std::vector<Influence>{{jaw, 1.0}}
                          : w > 0.5  ? std::vector<Influence>{{jaw, w}, {head, 1 - w}}
                                     : std::vector<Influence>{{head, 1 - w}, {jaw, w}};
  }
}

// A tube across the mouth on the skin, `height` over its line in the middle, bowed down at the corners.
struct MouthTube {
  double height, bow, radius, forward, half;
  int points, segments;
};

void add_mouth_tube(const MouthTube& plan, const flesh::Attachment& look, Flesh& flesh) {
  flesh::TubeShape tube;
  tube.segments = plan.segments;
  for (int k = 0; k < plan.points; ++k) {
    const double s = 2.0 * k / (plan.points - 1) - 1;
    const double y =
        kMouthHeight + plan.height * (1 - s * s) + plan.bow * std::cos(3 * std::numbers::pi * s) * (1 - s * s);
    tube.line.push_back(shapes::front_skin(skin, plan.half * s, y).position + Vec3(0, 0, plan.forward));
    tube.radii.push_back(plan.radius * std::sqrt(1.04 - s * s));
  }
  flesh::add_tube(tube, look, flesh);
}

double across(const Vec3& p) { return std::min(1.0, std::abs(p.x()) / kMouthHalf); }

// A tube of the face that a stroke may stand for: its points begin here, a tip, then ring by ring.
struct Feature {
  std::string name;
  int first, rings, segments;
};

// Lips, what is between them, and brows; returns those that are drawn.
std::vector<Feature> add_features(const Skeleton& skeleton, Flesh& face) {
  std::vector<Feature> drawn;
  const int head = skeleton.find("head");
  const auto corner = [&](int v) { return 0.5 * std::pow(across(face.points[v]), 4); };
  int first = face.size();
  add_mouth_tube({0.007, 0.0022, 0.0098, 0.001, kMouthHalf, 25, 8}, {head, kLip}, face);
  drawn.push_back({"lip_upper", first, 25, 8});
  hang(first, skeleton, corner, face);
  first = face.size();
  add_mouth_tube({-0.008, 0, 0.0118, 0.000, 0.97 * kMouthHalf, 25, 8}, {head, kLip}, face);
  drawn.push_back({"lip_lower", first, 25, 8});
  hang(
      first, skeleton, [&](int v) { return 1 - corner(v); }, face);
  // Dark between the lips, and teeth in front of it: their lower rims go with the jaw.
  first = face.size();
  add_mouth_tube({0.000, 0, 0.0070, -0.003, 0.93 * kMouthHalf, 13, 8}, {head, kDark}, face);
  const auto rim = [&](int v) { return smooth_step(kMouthHeight + 0.004, kMouthHeight - 0.004, face.points[v].y()); };
  hang(
      first, skeleton, [&](int v) { return corner(v) + (1 - 2 * corner(v)) * rim(v); }, face);
  first = face.size();
  add_mouth_tube({0.0035, 0, 0.0035, 0.0012, 0.74 * kMouthHalf, 11, 6}, {head, kTooth}, face);
  hang(
      first, skeleton,
      [&](int v) {
        return 0.30 * smooth_step(kMouthHeight + 0.005, kMouthHeight + 0.001, face.points[v].y()) *
               (1 - std::pow(across(face.points[v]), 2));
      },
      face);
  for (const double side : {1.0, -1.0}) {
    flesh::TubeShape brow;
    brow.segments = 6;
    drawn.push_back({"brow" + biped::suffix(side), face.size(), 25, 6});
    for (int k = 0; k <= 24; ++k) {
      const double t = k / 24.0, x = side * (0.022 + 0.096 * t);
      const double y = 0.502 + 0.020 * std::sin(std::numbers::pi * (0.10 + 0.72 * t)) - 0.012 * t * t;
      brow.line.push_back(shapes::front_skin(skin, x, y).position + Vec3(0, 0, 0.003));
      brow.radii.push_back(0.0115 * std::sqrt(1.05 - std::pow(1.5 * t - 0.5, 2)));
    }
    flesh::add_tube(brow, {head, kHair}, face);
  }
  return drawn;
}

Flesh make_eyes(const Skeleton& skeleton) {
  Flesh eyes{.name = "eyes", .material = 1};
  for (const double side : {1.0, -1.0}) {
    const Vec3 center = side > 0 ? kEye : shapes::mirrored(kEye);
    const std::string end = biped::suffix(side);
    flesh::add_eye({.center = center,
                    .radius = kEyeRadius,
                    .gaze = Vec3(0.03 * side, 0, 1).normalized(),
                    .iris = 32,
                    .pupil = 15,
                    .iris_color = {0.05f, 0.20f, 0.28f, 1}},
                   skeleton.find("eye" + end), eyes);
    flesh::add_lid({center, 1.07 * kEyeRadius, {0.10 * side, std::cos(0.55), -std::sin(0.55)}},
                   {skeleton.find("lid" + end), kLid}, eyes);
    flesh::add_lid({center, 1.06 * kEyeRadius, {0.05 * side, -std::cos(0.50), -std::sin(0.50)}},
                   {skeleton.find("lidlow" + end), kLid}, eyes);
  }
  return eyes;
}

Flesh make_hair(const Skeleton& skeleton) {
  const TriMesh surface =
      surface_of(hair, {.low = {-0.26, 0.22, -0.3}, .high = {0.26, 0.75, 0.24}, .cell = 0.016}, kHairPoints);
  const std::array parts{flesh::Part{hair, 1, biped::held_by(skeleton.find("head")), {}}};
  return flesh::make_body(surface, {.name = "hair",
                                    .material = 2,
                                    .solid = hair,
                                    .color = [](const Vec3&) { return kHair; },
                                    .parts = parts,
                                    .joints = skeleton.size(),
                                    .smoothing = 0});
}

// Fine at eyes, nose and mouth, coarse behind and below.
double spacing(const Vec3& p) {
  const double front = smooth_step(0.04, 0.13, p.z()) * smooth_step(0.20, 0.25, p.y()) * smooth_step(0.56, 0.50, p.y());
  const double ear = smooth_step(0.09, 0.06, (shapes::to_left(p) - Vec3(0.17, 0.405, -0.02)).norm());
  return 1 + 1.9 * (1 - std::max(front, 0.8 * ear));
}

// Features first, since the skin gets the points that are left.
Flesh make_face(const Skeleton& skeleton, int other_points, std::vector<Feature>& drawn) {
  Flesh features{.name = "features"};
  drawn = add_features(skeleton, features);
  const int left = kPoints - other_points - features.size();
  const TriMesh surface = coarsened(
      polygonise(skin, {.low = {-0.36, -0.06, -0.3}, .high = {0.36, 0.74, 0.34}, .cell = 0.010}), skin, left, spacing);
  const std::array parts{flesh::Part{skin, 1, bust_weights(skeleton), {}}};
  Flesh face = flesh::make_body(
      surface,
      {.name = "face", .solid = skin, .color = skin_color, .parts = parts, .joints = skeleton.size(), .smoothing = 2});
  const int first = face.size();
  for (Feature& feature : drawn) feature.first += first;
  for (auto& triangle : features.triangles)
    face.triangles.push_back({triangle[0] + first, triangle[1] + first, triangle[2] + first});
  face.points.insert(face.points.end(), features.points.begin(), features.points.end());
  face.normals.insert(face.normals.end(), features.normals.begin(), features.normals.end());
  face.colors.insert(face.colors.end(), features.colors.begin(), features.colors.end());
  face.influences.insert(face.influences.end(), features.influences.begin(), features.influences.end());
  return face;
}

// Strokes along lips and brows, on points of the surface itself: 100 of them (table 5.1: dim z = 200).
CastAbstraction make_strokes(const Character& character, const Flesh& face, std::span<const Feature> drawn) {
  CastAbstraction strokes{.name = "features"};
  std::vector<int> points;
  for (const Feature& feature : drawn) {
    strokes.curves.push_back({feature.name, static_cast<int>(points.size()), feature.rings, false});
    for (int ring = 0; ring < feature.rings; ++ring) {
      int foremost = feature.first + 1 + ring * feature.segments;
      for (int k = 1; k < feature.segments; ++k) {
        const int v = feature.first + 1 + ring * feature.segments + k;
        if (face.points[v].z() > face.points[foremost].z()) foremost = v;
      }
      points.push_back(foremost);
    }
  }
  strokes.points_rest.resize(static_cast<Eigen::Index>(3 * points.size()));
  for (std::size_t k = 0; k < points.size(); ++k)
    strokes.points_rest.segment<3>(static_cast<Eigen::Index>(3 * k)) = face.points[points[k]];
  strokes.surface_points = points;
  strokes.rig = character.rig->restricted(points);
  return strokes;
}

// Looks about, opens its mouth, blinks.
constexpr double kDuration = 3.0;  // seconds

puppet::Pose look_around(const Skeleton& skeleton, double time) {
  puppet::Pose result(skeleton);
  const double turn = 2 * std::numbers::pi * time / kDuration;
  const auto set = [&](const std::string& joint, const Quat& by) { result.turn[skeleton.find(joint)] = by; };
  set("neck", puppet::about_x(3 * std::sin(turn)));
  set("head", puppet::about_y(16 * std::sin(turn)) * puppet::about_z(4 * std::sin(turn - 0.6)));
  set("jaw", puppet::about_x(9 * std::pow(std::sin(turn), 2)));
  for (const char* end : {"_l", "_r"}) {
    set(std::string("eye") + end, puppet::about_y(18 * std::sin(turn + 0.5)));
    set(std::string("lid") + end, puppet::about_x(50 * smooth_step(0.12, 0.0, std::abs(time - 1.6))));
  }
  return result;
}

CastSketch make(Version version) {
  const Skeleton skeleton = make_skeleton();
  Assembly assembly("face", {"skin", "eyes", "hair"});
  assembly.add_joints(skeleton);
  const Flesh eyes = make_eyes(skeleton), hair = make_hair(skeleton);
  std::vector<Feature> drawn;
  const Flesh face = make_face(skeleton, eyes.size() + hair.size(), drawn);
  assembly.add(face);
  assembly.add(eyes);
  assembly.add(hair);
  assembly.character.clips = puppet::bake(skeleton, {{"LookAround", kDuration, 30, look_around}});
  if (version == Version::skeleton) {
    add_shapes(face, false, assembly);
    return std::move(assembly).finish(version);
  }
  add_rig(face, assembly);
  CastSketch made = std::move(assembly).finish(version);
  made.abstractions.push_back(make_strokes(made.character, face, drawn));
  return made;
}

}  // namespace
}  // namespace face

CastSketch make_face(Version version) { return face::make(version); }

}  // namespace rigspace
