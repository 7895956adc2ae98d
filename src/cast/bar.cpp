// A rubber bar, held in the middle and bent by four modes of its joints (RSP, figure 3).

#include "assembly.h"
#include "coarsen.h"
#include "members.h"
#include "rigspace/geometry/polygonise.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace rigspace {
namespace {

constexpr double kHeight = 0.5;                                          // metres over the ground
constexpr double kHalfLength = 0.5, kHalfWidth = 0.075, kRound = 0.035;  // metres
constexpr double kInner = 0.16, kOuter = 0.33;                           // metres from the middle to the joints

double box(const Vec3& p) {
  const Vec3 half(kHalfLength - kRound, kHalfWidth - kRound, kHalfWidth - kRound);
  const Vec3 beyond = (p - Vec3(0, kHeight, 0)).cwiseAbs() - half;
  return beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0) - kRound;
}

// Hinges along z: turning about a joint's own x by a positive angle lifts that end.
puppet::Skeleton make_skeleton() {
  puppet::Skeleton skeleton;
  const auto at = [](double x) { return Vec3(x, kHeight, 0); };
  skeleton.add("bar", "", at(0), at(0) + Vec3::UnitY(), Vec3::UnitX());
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "left" : "right";
    skeleton.add(name + "_01", "bar", at(side * kInner), at(side * kOuter), side * Vec3::UnitZ());
    skeleton.add(name + "_02", name + "_01", at(side * kOuter), at(side * kHalfLength), side * Vec3::UnitZ());
  }
  return skeleton;
}

Eigen::Vector4f color_at(double x) {
  static const Eigen::Vector3f sea(0.05f, 0.30f, 0.36f), sand(0.88f, 0.66f, 0.34f), coral(0.84f, 0.22f, 0.14f);
  const double from_middle = std::abs(x);
  Eigen::Vector3f color =
      sand + static_cast<float>(smooth_step(kInner - 0.008, kInner + 0.008, from_middle)) * (coral - sand);
  color += static_cast<float>(smooth_step(kOuter - 0.008, kOuter + 0.008, from_middle)) * (sea - color);
  return {color.x(), color.y(), color.z(), 1};
}

// The paper's has 58 surface points.
flesh::Flesh make_flesh(const puppet::Skeleton& skeleton, bool proxy) {
  // Left end to right end: each joint holds what lies beyond it.
  const std::array joints{skeleton.find("left_02"), skeleton.find("left_01"), skeleton.find("bar"),
                          skeleton.find("right_01"), skeleton.find("right_02")};
  const std::array borders{-kOuter, -kInner, kInner, kOuter};
  const flesh::ShareOut along = [&](const Vec3& p, double share, flesh::WeightRow row) {
    double reached = 1;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const double next = k < borders.size() ? smooth_step(borders[k] - 0.08, borders[k] + 0.08, p.x()) : 0;
      row[joints[k]] += share * (reached - next);
      reached = next;
    }
  };
  // Few points cut off the corners; a little more of everything makes up for it.
  const ScalarField solid = [more = proxy ? 0.008 : 0.0](const Vec3& p) { return box(p) - more; };
  const std::array parts{flesh::Part{box, 1, along, {}}};
  const TriMesh surface = surface_of(
      solid, {.low = {-0.7, 0.2, -0.3}, .high = {0.7, 0.8, 0.3}, .cell = proxy ? 0.03 : 0.012}, proxy ? 58 : 0);
  return flesh::make_body(surface, {.name = proxy ? "proxy" : "rubber",
                                    .solid = solid,
                                    .color = [](const Vec3& p) { return color_at(p.x()); },
                                    .parts = parts,
                                    .joints = skeleton.size(),
                                    .smoothing = 0});
}

puppet::Pose swing(const puppet::Skeleton& skeleton, double time) {
  const double phase = 2 * std::numbers::pi * time / 1.2;
  puppet::Pose pose(skeleton);
  pose.shift[0] = Vec3(0, 0.12 * std::sin(phase), 0);
  pose.turn[0] = puppet::about_z(5 * std::sin(phase - 0.4));
  return pose;
}

// p1 and p4 turn the outermost joints, p2 and p3 both joints of their side, by one angle each; positive lifts. The
// joints' own twelve rotations stay, on top.
void add_modes(RigPlan& plan) {
  for (const char* name : {"p1", "p2", "p3", "p4"}) plan.controls.push_back(angle_control(name, 0.3));
  drive(plan, "left_02.rx", "p1 + p2");
  drive(plan, "left_01.rx", "p2");
  drive(plan, "right_01.rx", "p3");
  drive(plan, "right_02.rx", "p3 + p4");
  plan.rules.push_back({.pattern = "p?", .group = "modes"});
  plan.rules.push_back({.pattern = "*_0?.r?", .group = "joints"});
  plan.rules.push_back({.pattern = "bar", .group = "bar"});
}

}  // namespace

RiggedCharacter make_bar(Version version) {
  const puppet::Skeleton skeleton = make_skeleton();
  Assembly assembly("bar", {"rubber"});
  assembly.add_joints(skeleton);
  assembly.add(make_flesh(skeleton, false));
  if (version == Version::rig) {
    assembly.add(make_flesh(skeleton, true));
    add_modes(assembly.plan);
  }
  assembly.character.clips = puppet::bake(skeleton, {{"Swing", 1.2, 30, swing}});
  return std::move(assembly).finish(version);
}

}  // namespace rigspace
