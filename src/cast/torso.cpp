// Torsos of two builds with arms, whose breast and biceps a sculptor tensed: for rigs by forces, and their transfer.

#include "torso.h"

#include "assembly.h"
#include "members.h"
#include "rigspace/geometry/polygonise.h"
#include "shapes.h"

#include <array>
#include <cmath>

namespace rigspace {
namespace torso {
namespace {

Vec3 mirrored_if(bool right, const Vec3& p) { return right ? shapes::mirrored(p) : p; }

const std::array<Vec3, 5> kSpine{Vec3(0, 0.09, -0.01), Vec3(0, 0.22, -0.01), Vec3(0, 0.36, -0.012),
                                 Vec3(0, 0.56, -0.012), Vec3(0, 0.675, 0.0)};

puppet::Skeleton make_skeleton(const Build& b) {
  puppet::Skeleton skeleton;
  skeleton.add("hips", "", kSpine[0], kSpine[1], Vec3::UnitX());
  skeleton.add("spine", "hips", kSpine[1], kSpine[2], Vec3::UnitX());
  skeleton.add("chest", "spine", kSpine[2], kSpine[3], Vec3::UnitX());
  skeleton.add("neck", "chest", kSpine[3], kSpine[4], Vec3::UnitX());
  for (const bool right : {false, true}) {
    const auto at = [&](const Vec3& p) { return mirrored_if(right, p); };
    const std::string side = right ? ".R" : ".L";
    // About its x the elbow bends forward.
    const Vec3 hinge = (elbow(b) - shoulder(b)).cross(Vec3::UnitZ());
    const Vec3 x = right ? Vec3(hinge.x(), -hinge.y(), hinge.z()) : hinge;
    skeleton.add("upper_arm" + side, "chest", at(shoulder(b)), at(elbow(b)), x);
    skeleton.add("forearm" + side, "upper_arm" + side, at(elbow(b)), at(wrist(b)), x);
  }
  return skeleton;
}

Eigen::Vector4f skin_color(const Vec3& p) {
  const Eigen::Vector3f skin(0.64f, 0.42f, 0.30f), pale(0.71f, 0.50f, 0.38f);
  const Eigen::Vector3f color = shapes::mix(skin, pale, smooth_step(0.0, 0.10, p.z()));
  return {color.x(), color.y(), color.z(), 1};
}

flesh::Flesh make_skin(const Build& b, const puppet::Skeleton& skeleton) {
  const flesh::ChainWeights spine{{0, 1, 2, 3}, {kSpine.begin(), kSpine.end()}, 0.05};
  const auto arm_chain = [&](bool right) {
    const Vec3 tip = wrist(b) + 0.3 * (wrist(b) - elbow(b));
    const int first = skeleton.find(right ? "upper_arm.R" : "upper_arm.L");
    return flesh::ChainWeights{{first, first + 1},
                               {mirrored_if(right, shoulder(b)), mirrored_if(right, elbow(b)), mirrored_if(right, tip)},
                               0.9 * b.elbow};
  };
  const auto one_arm = [&b](bool right) {
    return [&b, right](const Vec3& p) { return arm(b, mirrored_if(right, p)); };
  };
  const std::array parts{flesh::Part{[&b](const Vec3& p) { return trunk(b, p); }, 0.025, spine, {}},
                         flesh::Part{one_arm(false), 0.025, arm_chain(false), {}},
                         flesh::Part{one_arm(true), 0.025, arm_chain(true), {}}};
  const ScalarField body = [&b](const Vec3& p) { return solid(b, p); };
  const double aside = wrist(b).x() + 0.14, low = wrist(b).y() - 0.16;
  const TriMesh surface =
      polygonise(body, {.low = {-aside, std::min(-0.02, low), -0.26}, .high = {aside, 0.76, 0.30}, .cell = 0.0125});
  return flesh::make_body(
      surface,
      {.name = "skin", .solid = body, .color = skin_color, .parts = parts, .joints = skeleton.size(), .smoothing = 3});
}

plan::Shape shape_of(const char* name, const flesh::Flesh& skin, const std::function<Vec3(const Vec3&)>& move) {
  plan::Shape shape{.name = name, .weight = std::string("'") + name + "'", .points = {}, .offsets = {}};
  for (int i = 0; i < skin.size(); ++i)
    if (const Vec3 offset = move(skin.points[i]); offset.norm() > 1e-5)
      shape.points.push_back(i), shape.offsets.push_back(offset);
  return shape;
}

puppet::Pose flex(const puppet::Skeleton& skeleton, double time) {
  const double tense = 0.5 - 0.5 * std::cos(puppet::kTurn * time / 2);
  puppet::Pose pose(skeleton);
  pose.turn[skeleton.find("forearm.L")] = puppet::about_y(-75 * tense);
  pose.turn[skeleton.find("forearm.R")] = puppet::about_y(75 * tense);
  pose.turn[skeleton.find("chest")] = puppet::about_x(-6 * tense);
  return pose;
}

/// Hops on the spot, the trunk swaying.
puppet::Pose hop(const puppet::Skeleton& skeleton, double time) {
  const double phase = puppet::kTurn * time / 1.2;
  puppet::Pose pose(skeleton);
  pose.shift[0] = Vec3(0, 0.05 * std::abs(std::sin(phase)), 0);
  pose.turn[1] = puppet::about_x(7 * std::sin(phase));
  pose.turn[2] = puppet::about_y(10 * std::sin(0.5 * phase));
  return pose;
}

RiggedCharacter make(const Build& build, Version version) {
  const puppet::Skeleton skeleton = make_skeleton(build);
  Assembly assembly(build.name, {"skin"});
  assembly.add_joints(skeleton);
  const flesh::Flesh skin = make_skin(build, skeleton);
  assembly.add(skin);
  for (const char* name : {"skin:flex", "skin:biceps"}) assembly.plan.controls.push_back(switch_control(name));
  assembly.plan.deformers.push_back(
      {.name = "muscles",
       .pieces = {"skin"},
       .kind = plan::Shapes{{shape_of("skin:flex", skin, [&](const Vec3& p) { return chest_flexed(build, p); }),
                             shape_of("skin:biceps", skin, [&](const Vec3& p) { return biceps_flexed(build, p); })}}});
  const auto tense = [](double time) { return 0.5 - 0.5 * std::cos(puppet::kTurn * time / 2); };
  assembly.character.clips = puppet::bake(
      skeleton, {{"Flex", 2.0, 30, flex, {{"skin:flex", tense}, {"skin:biceps", tense}}}, {"Hop", 2.4, 30, hop}});
  return std::move(assembly).finish(version);
}

}  // namespace
}  // namespace torso

RiggedCharacter make_torso(Version version) { return torso::make(torso::kLean, version); }
RiggedCharacter make_stout_torso(Version version) { return torso::make(torso::kRound, version); }

}  // namespace rigspace
