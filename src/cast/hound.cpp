// A hound for the inverse rig (IRM 5.1): 78 joints, 642 controls, of which its clips use 218.

#include "rigspace/cast/hound.h"
#include "assembly.h"
#include "biped.h"
#include "coarsen.h"
#include "hound_clips.h"
#include "hound_rig.h"
#include "hound_shape.h"
#include "rigspace/base/decompositions.h"

#include <string>
#include <utility>

namespace rigspace {
namespace hound {
namespace {

using flesh::Flesh;
using puppet::Skeleton;

constexpr int kPoints = 2600;

flesh::ChainWeights chain(const Skeleton& skeleton, const std::vector<std::string>& names, std::vector<Vec3> points,
                          double width) {
  flesh::ChainWeights weights{{}, std::move(points), width};
  for (const std::string& name : names) weights.joints.push_back(skeleton.find(name));
  return weights;
}

std::vector<flesh::Part> parts_of(const Skeleton& skeleton) {
  std::vector<std::string> spine = series("spine", 5);
  spine.insert(spine.begin(), "pelvis"), spine.push_back("chest");
  std::vector<flesh::Part> parts;
  parts.push_back({torso, 0.02, chain(skeleton, spine, biped::on_side(kSpine, 1), 0.05), {}});
  std::vector<Vec3> neck_line(kNeck.begin(), kNeck.begin() + 5);
  parts.push_back({neck, 0.016, chain(skeleton, series("neck", 4), neck_line, 0.035), {}});
  parts.push_back({head, 0.012, biped::held_by(skeleton.find("head")), {}});
  parts.push_back({jaw, 0.006, biped::held_by(skeleton.find("jaw")), {}});
  parts.push_back({tail, 0.014, chain(skeleton, series("tail", 10), biped::on_side(kTail, 1), 0.025), {}});
  for (const double side : {1.0, -1.0}) {
    const auto own = [side](const Vec3& p) { return side > 0 ? p : shapes::mirrored(p); };
    const std::string end = biped::suffix(side);
    const auto add = [&](double (*solid)(const Vec3&), double softness, flesh::ShareOut weigh) {
      parts.push_back({[own, solid](const Vec3& p) { return solid(own(p)); }, softness, std::move(weigh),
                       [side](const Vec3& p) { return smooth_step(-0.01, 0.03, side * p.x()); }});
    };
    add(ear, 0.01, chain(skeleton, series("ear" + end, 3), biped::on_side(kEar, side), 0.02));
    for (const std::string leg : {side > 0 ? "fl" : "fr", side > 0 ? "bl" : "br"})
      add(leg.front() == 'f' ? front_leg : hind_leg, 0.018, chain(skeleton, leg_joints(leg), leg_points(leg), 0.02));
  }
  return parts;
}

Flesh make_skin(const Skeleton& skeleton) {
  const std::vector<flesh::Part> parts = parts_of(skeleton);
  const TriMesh surface =
      surface_of(body, {.low = {-0.25, -0.05, -1.1}, .high = {0.25, 1.1, 0.9}, .cell = 0.016}, kPoints);
  return flesh::make_body(surface,
                          {.solid = body, .color = coat, .parts = parts, .joints = skeleton.size(), .smoothing = 2});
}

Flesh make_eyes(const Skeleton& skeleton) {
  Flesh eyes{.name = "eyes", .material = 1};
  for (const double side : {1.0, -1.0}) {
    const Vec3 at = side > 0 ? kEye : shapes::mirrored(kEye);
    flesh::add_ellipsoid({.center = at, .half = Vec3::Constant(kEyeRadius)},
                         {skeleton.find("eye" + biped::suffix(side)), {0.02f, 0.012f, 0.01f, 1}}, eyes);
  }
  return eyes;
}

Assembly make_assembly(const Skeleton& skeleton) {
  Assembly assembly("hound", {"coat", "eyes"});
  assembly.add_joints(skeleton);
  assembly.add(make_skin(skeleton));
  assembly.add(make_eyes(skeleton));
  return assembly;
}

/// A clip of the rig as orientations and places of its joints: what a skeleton alone can play.
Animation baked(const Character& rigged, const Skeleton& skeleton, const Animation& clip) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*rigged.rig);
  const auto workspace = rig.make_workspace();
  const std::vector<double>& times = clip.tracks.front().curve.times;
  Animation result{.name = clip.name, .duration = clip.duration, .tracks = {}, .rotations = {}};
  for (int j = 0; j < skeleton.size(); ++j) {
    for (const char* axis : {".tx", ".ty", ".tz"})
      result.tracks.push_back({skeleton[j].name + axis, {.times = times, .values = {}}});
    result.rotations.push_back(
        {.node = skeleton[j].name, .times = times, .values = {}, .in_tangents = {}, .out_tangents = {}});
  }
  Vec slots;
  for (const double time : times) {
    rig.evaluate_slots(*workspace, pose_at(rigged, &clip, time), slots);
    std::vector<Affine> world;
    for (int j = 0; j < skeleton.size(); ++j) {
      world.push_back(transform_at(slots, rig.graph().slots()[rigged.bones[static_cast<std::size_t>(j)].slot]));
      linear(world.back()) = nearest_rotation(linear(world.back()));
      const int parent = skeleton[j].parent;
      const Mat3 above = parent < 0 ? Mat3(Mat3::Identity()) : Mat3(linear(world[static_cast<std::size_t>(parent)]));
      const Vec3 from = parent < 0 ? Vec3(Vec3::Zero()) : Vec3(translation(world[static_cast<std::size_t>(parent)]));
      const Vec3 place = above.transpose() * (translation(world.back()) - from);
      for (int axis = 0; axis < 3; ++axis)
        result.tracks[static_cast<std::size_t>(3 * j + axis)].curve.values.push_back(place[axis]);
      std::vector<Vec4>& turns = result.rotations[static_cast<std::size_t>(j)].values;
      Vec4 q = Quat(Mat3(above.transpose() * linear(world.back()))).coeffs();
      if (!turns.empty() && q.dot(turns.back()) < 0) q = -q;
      turns.push_back(q);
    }
  }
  return result;
}

}  // namespace
}  // namespace hound

RiggedCharacter make_hound(Version version) {
  using namespace hound;
  const puppet::Skeleton skeleton = make_skeleton();
  Assembly assembly = make_assembly(skeleton);
  Assembly plain = assembly;
  add_rig(skeleton, assembly.plan);
  RiggedCharacter rigged = std::move(assembly).finish(Version::rig);
  rigged.character.clips = clips(rigged.character.rig->controls());
  if (version == Version::rig) return rigged;
  RiggedCharacter result = std::move(plain).finish(version);
  for (const Animation& clip : rigged.character.clips)
    result.character.clips.push_back(baked(rigged.character, skeleton, clip));
  return result;
}

Animation make_hound_motion(const Character& hound, unsigned seed, double duration) {
  return hound::keyed("random " + std::to_string(seed), duration, hound::random_act(seed), hound.rig->controls());
}

}  // namespace rigspace
