// Arms of two builds, each with a biceps that a sculptor flexed: what force rigs are fitted to and carried between.

#include "arm.h"

#include "assembly.h"
#include "members.h"
#include "rigspace/geometry/polygonise.h"
#include "shapes.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace rigspace {
namespace arm {
namespace {

puppet::Skeleton make_skeleton(const Build& b) {
  puppet::Skeleton skeleton;
  const auto at = [](double x) { return Vec3(x, kHeight, 0); };
  const double wrist = b.upper + b.fore;
  skeleton.add("upper_arm", "", at(0), at(b.upper), Vec3::UnitZ());
  skeleton.add("forearm", "upper_arm", at(b.upper), at(wrist), Vec3::UnitZ());
  skeleton.add("hand", "forearm", at(wrist), at(wrist + b.hand), Vec3::UnitZ());
  return skeleton;
}

Eigen::Vector4f skin_color(const Vec3& p) {
  const Eigen::Vector3f skin(0.66f, 0.43f, 0.31f), pale(0.74f, 0.54f, 0.42f);
  const Eigen::Vector3f color = shapes::mix(skin, pale, smooth_step(0.0, -0.06, p.y() - kHeight));
  return {color.x(), color.y(), color.z(), 1};
}

flesh::Flesh make_skin(const Build& b, const puppet::Skeleton& skeleton) {
  const double wrist = b.upper + b.fore, width = 0.9 * b.elbow;
  const flesh::ChainWeights chain{
      {skeleton.find("upper_arm"), skeleton.find("forearm"), skeleton.find("hand")},
      {Vec3(0, kHeight, 0), Vec3(b.upper, kHeight, 0), Vec3(wrist, kHeight, 0), Vec3(wrist + b.hand, kHeight, 0)},
      width};
  const ScalarField body = [&b](const Vec3& p) { return solid(b, p); };
  const std::array parts{flesh::Part{body, 1, chain, {}}};
  const TriMesh surface = polygonise(
      body,
      {.low = {-0.15, kHeight - 0.15, -0.15}, .high = {wrist + b.hand + 0.1, kHeight + 0.15, 0.15}, .cell = 0.0085});
  return flesh::make_body(
      surface,
      {.name = "skin", .solid = body, .color = skin_color, .parts = parts, .joints = skeleton.size(), .smoothing = 2});
}

plan::Shape make_biceps(const Build& b, const flesh::Flesh& skin) {
  plan::Shape shape{.name = "skin:biceps", .weight = "'skin:biceps'", .points = {}, .offsets = {}};
  for (int i = 0; i < skin.size(); ++i)
    if (const Vec3 offset = flexed(b, skin.points[i]); offset.norm() > 1e-5)
      shape.points.push_back(i), shape.offsets.push_back(offset);
  return shape;
}

/// The elbow bends and straightens; the wrist follows a little late.
puppet::Pose curl(const puppet::Skeleton& skeleton, double time) {
  const double phase = puppet::kTurn * time / 2;
  puppet::Pose pose(skeleton);
  pose.turn[1] = puppet::about_z(52.5 * (1 - std::cos(phase)));
  pose.turn[2] = puppet::about_z(12 * std::sin(phase));
  return pose;
}

RiggedCharacter make(const Build& build, Version version) {
  const puppet::Skeleton skeleton = make_skeleton(build);
  Assembly assembly(build.name, {"skin"});
  assembly.add_joints(skeleton);
  const flesh::Flesh skin = make_skin(build, skeleton);
  assembly.add(skin);
  assembly.plan.controls.push_back(switch_control("skin:biceps"));
  assembly.plan.deformers.push_back(
      {.name = "biceps", .pieces = {"skin"}, .kind = plan::Shapes{{make_biceps(build, skin)}}});
  assembly.character.clips =
      puppet::bake(skeleton, {{"Curl", 2.0, 30, curl, {{"skin:biceps", [](double time) {
                                                          return 0.5 - 0.5 * std::cos(puppet::kTurn * time / 2);
                                                        }}}}});
  return std::move(assembly).finish(version);
}

}  // namespace
}  // namespace arm

RiggedCharacter make_arm(Version version) { return arm::make(arm::kSlender, version); }
RiggedCharacter make_stout_arm(Version version) { return arm::make(arm::kStout, version); }

}  // namespace rigspace
