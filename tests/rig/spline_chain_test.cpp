#include "rigspace/rig/spline_chain.h"

#include "graph_rigs.h"
#include "rigspace/base/error.h"

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

using namespace testing;

struct Tail {
  std::shared_ptr<ControlGraph> graph = std::make_shared<ControlGraph>();
  SplineChain chain{.name = "tail"};
  std::vector<int> slots;

  /// Points along `rest`, joints given in scene space.
  Tail(SplineKind kind, const std::vector<Vec3>& rest, const std::vector<Affine>& joints, bool scene_up = false) {
    const int root = add_body(*graph, "root", Vec3::Zero());
    if (!scene_up) {
      chain.up_slot = root;
      chain.up_axis = Vec3(0.1, 1, 0.3);
    }
    chain.kind = kind;
    for (std::size_t k = 0; k < rest.size(); ++k)
      chain.point_slots.push_back(
          add_point(*graph, {.name = "cv" + std::to_string(k), .position = rest[k], .typical_length = 0.2}));
    chain.joints_rest = joints;
    chain.stretch = Source::of_control(add_number(*graph, "stretch", 0.3));
    chain.start_twist = Source::of_control(add_number(*graph, "start", 0));
    chain.end_twist = Source::of_control(add_number(*graph, "end", 0));
    slots = add_spline_chain(*graph, chain);
  }
};

std::vector<Vec3> curved(int count) {
  std::vector<Vec3> points;
  for (int k = 0; k < count; ++k) points.push_back(Vec3(0.5 * k, 0.3 * std::sin(k), 0.2 * std::cos(1.3 * k)));
  return points;
}

std::vector<Vec3> straight(int count) {
  std::vector<Vec3> points;
  for (int k = 0; k < count; ++k) points.push_back(Vec3(k, 0, 0));
  return points;
}

std::vector<Affine> joints_at(const std::vector<Vec3>& positions) {
  std::vector<Affine> joints;
  for (const Vec3& x : positions) {
    Affine joint = Affine::Identity();
    linear(joint) = rotation_exp(0.3 * x) * 1.1;
    translation(joint) = x;
    joints.push_back(joint);
  }
  return joints;
}

TEST(SplineChain, AtTheRestCurveIsAtItsRestTransforms) {
  for (const SplineKind kind : {SplineKind::b_spline, SplineKind::bezier, SplineKind::catmull_rom}) {
    const std::vector<Affine> joints =
        joints_at({Vec3(0, 0, 0.2), Vec3(1, 0.4, 0), Vec3(1.5, 0.1, 0), Vec3(2.6, 0, 0)});
    const Tail tail(kind, curved(7), joints);
    const Vec p = rest_pose(*tail.graph);
    for (std::size_t j = 0; j < joints.size(); ++j)
      EXPECT_LT((transform_of(*tail.graph, p, tail.slots[j]) - joints[j]).norm(), 1e-12);
  }
}

TEST(SplineChain, HasExactDerivatives) {
  for (const SplineKind kind : {SplineKind::b_spline, SplineKind::bezier, SplineKind::catmull_rom}) {
    const std::vector<Affine> joints =
        joints_at({Vec3(0.02, 0, 0.2), Vec3(1, 0.4, 0), Vec3(1.5, 0.1, 0), Vec3(2.6, 0, 0)});
    const Tail tail(kind, curved(7), joints);
    const auto rig = cloud_on(tail.graph, tail.slots);
    const CheckRigOptions options{.spread = 0.5};
    EXPECT_TRUE(check_rig(*rig, options).ok()) << check_rig(*rig, options);
  }
  for (const int points : {2, 3, 4}) {
    const Tail tail(SplineKind::b_spline, curved(points), joints_at({Vec3(0.2, 0, 0), Vec3(0.4, 0, 0)}));
    const auto rig = cloud_on(tail.graph, tail.slots);
    EXPECT_TRUE(check_rig(*rig, {.spread = 0.5}).ok()) << check_rig(*rig, {.spread = 0.5});
  }
}

TEST(SplineChain, KeepsLengthsOrFillsTheCurve) {
  for (const SplineKind kind : {SplineKind::b_spline, SplineKind::catmull_rom}) {
    const Tail tail(kind, straight(6), joints_at({Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(4.5, 0, 0), Vec3(5, 0, 0)}));
    Vec p = rest_pose(*tail.graph);
    for (int k = 0; k < 6; ++k) set(*tail.graph, p, "cv" + std::to_string(k) + ".tx", 0.5 * k);  // half as long again
    set(*tail.graph, p, "stretch", 0);
    EXPECT_NEAR(position_of(*tail.graph, p, tail.slots[1]).x(), 2, 1e-10);
    EXPECT_NEAR(position_of(*tail.graph, p, tail.slots[3]).x(), 5, 1e-10);
    set(*tail.graph, p, "stretch", 1);
    EXPECT_NEAR(position_of(*tail.graph, p, tail.slots[1]).x(), 3, 1e-10);
    EXPECT_NEAR(position_of(*tail.graph, p, tail.slots[3]).x(), 7.5, 1e-10);
    for (int k = 0; k < 6; ++k) set(*tail.graph, p, "cv" + std::to_string(k) + ".tx", -0.5 * k);  // half as long
    set(*tail.graph, p, "stretch", 0);
    EXPECT_NEAR(position_of(*tail.graph, p, tail.slots[3]).x(), 5, 1e-10);  // straight ahead of the end
  }
}

TEST(SplineChain, MeasuresArcLengthOnACircle) {
  // A quarter of a circle by one Bezier piece, radius 1: joints at arc lengths of the line that was bent into it.
  const double c = 0.5522847498307936;
  const double quarter = std::numbers::pi / 2;
  const Tail tail(SplineKind::bezier, {Vec3(0, 0, 0), Vec3(0.5, 0, 0), Vec3(1, 0, 0), Vec3(quarter, 0, 0)},
                  joints_at({Vec3(0.4, 0, 0), Vec3(1.1, 0, 0)}));
  Vec p = rest_pose(*tail.graph);
  set(*tail.graph, p, "stretch", 0);
  set3(*tail.graph, p, "cv1.t", Vec3(c, 0, 0) - Vec3(0.5, 0, 0));
  set3(*tail.graph, p, "cv2.t", Vec3(1, 1 - c, 0) - Vec3(1, 0, 0));
  set3(*tail.graph, p, "cv3.t", Vec3(1, 1, 0) - Vec3(quarter, 0, 0));
  for (int j = 0; j < 2; ++j) {
    const double angle = j == 0 ? 0.4 : 1.1;
    // The cubic misses the circle by 2.7e-4 at most.
    EXPECT_LT((position_of(*tail.graph, p, tail.slots[j]) - Vec3(std::sin(angle), 1 - std::cos(angle), 0)).norm(),
              5e-4);
  }
}

TEST(SplineChain, DoesNotTwistInAPlaneAndTwistsAsTold) {
  const Tail tail(SplineKind::catmull_rom, straight(5), joints_at({Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(4, 0, 0)}), true);
  Vec p = rest_pose(*tail.graph);
  // Bent in the plane of x and z: the vector across stays across, whatever the curve does.
  const double bend[5] = {0, 0.3, -0.4, 0.5, 0.9};
  for (int k = 0; k < 5; ++k) set(*tail.graph, p, "cv" + std::to_string(k) + ".tz", bend[k]);
  const Vec rest = rest_pose(*tail.graph);
  for (const int slot : tail.slots) {
    const Mat3 turn =
        linear(transform_of(*tail.graph, p, slot)) * linear(transform_of(*tail.graph, rest, slot)).inverse();
    EXPECT_LT((turn.col(1) - Vec3::UnitY()).norm(), 1e-13);
    EXPECT_NEAR(turn.determinant(), 1, 1e-12);
  }
  p = rest;
  set(*tail.graph, p, "start", 0.2);
  set(*tail.graph, p, "end", 1);
  for (int j = 0; j < 3; ++j) {
    const Mat3 turn = linear(transform_of(*tail.graph, p, tail.slots[j])) *
                      linear(transform_of(*tail.graph, rest, tail.slots[j])).inverse();
    EXPECT_LT((rotation_log(turn) - Vec3(0.2 + 0.4 * j, 0, 0)).norm(), 1e-10);
  }
}

TEST(SplineChain, StaysFiniteWhenItsPointsMeet) {
  const Tail tail(SplineKind::b_spline, straight(5), joints_at({Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(4, 0, 0)}));
  Vec p = rest_pose(*tail.graph);
  for (int k = 0; k < 5; ++k) set(*tail.graph, p, "cv" + std::to_string(k) + ".tx", -k);
  EXPECT_TRUE(slots_at(*tail.graph, p).allFinite());
}

TEST(SplineChain, RefusesWrongCounts) {
  EXPECT_THROW(Tail(SplineKind::bezier, straight(5), joints_at({Vec3::Zero()})), Error);
  EXPECT_THROW(Tail(SplineKind::b_spline, straight(1), joints_at({Vec3::Zero()})), Error);
  EXPECT_THROW(Tail(SplineKind::b_spline, straight(4), {}), Error);
}

}  // namespace
}  // namespace rigspace
