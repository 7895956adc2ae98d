// A tube with two joints, an arm: bend the elbow, read the points and their derivatives.
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

using namespace rigspace;

namespace {

constexpr int kRings = 21, kSides = 12;

/// A tube of length 2 along y, radius 0.15, in metres.
Vec tube_points() {
  Vec points(3 * kRings * kSides);
  for (int i = 0; i < kRings; ++i) {
    for (int j = 0; j < kSides; ++j) {
      const double height = 2.0 * i / (kRings - 1), turn = 2 * std::numbers::pi * j / kSides;
      point(points, i * kSides + j) = Vec3(0.15 * std::cos(turn), height, 0.15 * std::sin(turn));
    }
  }
  return points;
}

BuiltInRig make_arm() {
  // First stage: controls to joint transforms. Each node brings the controls <name>.tx .. <name>.sz.
  auto graph = std::make_shared<ControlGraph>();
  const int upper = add_node(*graph, {.name = "upper"});
  const int lower = add_node(*graph, {.name = "lower", .parent_slot = upper, .translation = Vec3(0, 1, 0)});

  // Second stage: joint transforms to points. Weights pass from one joint to the other around the elbow at y = 1.
  const Vec points = tube_points();
  SkinDescription skin{.joint_slots = {upper, lower}};
  Affine from_elbow = identity_affine();
  translation(from_elbow) = Vec3(0, -1, 0);
  skin.inverse_bind = {identity_affine(), from_elbow};
  for (int i = 0; i < kRings * kSides; ++i) {
    const double w = std::clamp((points[3 * i + 1] - 0.8) / 0.4, 0.0, 1.0);
    auto& influences = skin.influences.emplace_back();
    if (w < 1) influences.push_back({0, 1 - w});
    if (w > 0) influences.push_back({1, w});
  }
  return BuiltInRig(graph, points, {make_linear_blend_skin(skin)});
}

Vec3 mean_of_last_ring(const Vec& s) {
  Vec3 mean = Vec3::Zero();
  for (int j = 0; j < kSides; ++j) mean += point(s, (kRings - 1) * kSides + j) / kSides;
  return mean;
}

}  // namespace

int main() {
  const BuiltInRig rig = make_arm();
  const auto workspace = rig.make_workspace();
  std::printf("%zu controls move %d points\n", rig.controls().size(), rig.point_count());

  Vec p = rig.rest(), s;
  const int elbow = rig.find("lower.rz");
  p[elbow] = std::numbers::pi / 2;
  rig.evaluate(*workspace, p, s);
  const Vec3 hand = mean_of_last_ring(s);
  std::printf("elbow at 90 degrees: the hand is at (%.3f, %.3f, %.3f)\n", hand.x(), hand.y(), hand.z());

  // ds/dp, exact and sparse: which way do points go if the elbow bends further?
  BlockJacobian J;
  rig.jacobian(*workspace, p, std::span(&elbow, 1), J);
  Vec ds;
  J.push(Vec::Ones(1), ds);
  const Vec3 speed = mean_of_last_ring(ds);
  std::printf("per radian it moves by (%.3f, %.3f, %.3f); %zu of %d points feel the elbow\n", speed.x(), speed.y(),
              speed.z(), J.column.size(), rig.point_count());

  const bool right = (hand - Vec3(-1, 1, 0)).norm() < 1e-12 && (speed - Vec3(0, -1, 0)).norm() < 1e-12;
  return right ? 0 : 1;
}
