#include "rigspace/rig/constraints.h"

#include "graph_rigs.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/foot_roll.h"
#include "rigspace/rig/helper_joint.h"

#include <cmath>
#include <functional>
#include <numbers>

namespace rigspace {
namespace {

using namespace testing;

/// An owner beneath a parent, two targets, and controls for influence and weights.
struct Stage {
  std::shared_ptr<ControlGraph> graph = std::make_shared<ControlGraph>();
  int parent = add_body(*graph, "parent", Vec3(0.3, 0.1, -0.2));
  int owner = add_body(*graph, "owner", Vec3(0.5, 0.4, 0.1), parent);
  int one = add_body(*graph, "one", Vec3(-1, 1, 2));
  int two = add_body(*graph, "two", Vec3(2, 0.5, 1));
  int influence = add_number(*graph, "influence", 0.6);
  int weight = add_number(*graph, "weight", 0.4);

  FollowConstraint follow(bool keep_offset = true) const {
    return {.owner_slot = owner,
            .targets = {{one, Source::constant(1)}, {two, Source::of_control(weight)}},
            .influence = Source::of_control(influence),
            .keep_offset = keep_offset};
  }
};

// Poses stay within what typical changes allow: half a turn between owner and target has no definite shortest arc.
const CheckRigOptions kNear{.poses = 4, .spread = 0.5};

using Add = std::function<int(ControlGraph&, const FollowConstraint&)>;
const std::vector<Add> kFollow = {add_point_constraint, add_orient_constraint, add_parent_constraint,
                                  add_scale_constraint};

TEST(Constraint, HasExactDerivatives) {
  for (const Add& add : kFollow)
    for (const bool keep_offset : {true, false}) {
      Stage stage;
      const int slot = add(*stage.graph, stage.follow(keep_offset));
      const auto rig = cloud_on(stage.graph, {slot});
      EXPECT_TRUE(check_rig(*rig, kNear).ok()) << check_rig(*rig, kNear);
    }
}

TEST(Constraint, WithOffsetsKeptLeavesTheRestPoseAlone) {
  for (const Add& add : kFollow) {
    Stage stage;
    const int slot = add(*stage.graph, stage.follow());
    const Vec p = rest_pose(*stage.graph);
    EXPECT_LT((transform_of(*stage.graph, p, slot) - transform_of(*stage.graph, p, stage.owner)).norm(), 1e-14);
  }
}

TEST(Constraint, WithoutInfluenceIsTheOwner) {
  for (const Add& add : kFollow) {
    Stage stage;
    const int slot = add(*stage.graph, stage.follow(false));
    Vec p = random_pose(*cloud_on(stage.graph, {slot}), 0.5, 3);
    p[stage.influence] = 0;
    EXPECT_LT((transform_of(*stage.graph, p, slot) - transform_of(*stage.graph, p, stage.owner)).norm(), 1e-14);
  }
}

TEST(PointConstraint, PutsTheOriginOnItsTargets) {
  Stage stage;
  const int slot = add_point_constraint(*stage.graph, stage.follow(false));
  Vec p = random_pose(*cloud_on(stage.graph, {slot}), 1, 3);
  p[stage.influence] = 1;
  p[stage.weight] = 0;
  const Vec3 one = position_of(*stage.graph, p, stage.one), two = position_of(*stage.graph, p, stage.two);
  EXPECT_LT((position_of(*stage.graph, p, slot) - one).norm(), 1e-14);
  p[stage.weight] = 1;
  EXPECT_LT((position_of(*stage.graph, p, slot) - 0.5 * (one + two)).norm(), 1e-14);
  p[stage.weight] = -3;  // clamped
  EXPECT_LT((position_of(*stage.graph, p, slot) - one).norm(), 1e-14);
}

TEST(OrientConstraint, TakesTheTargetsRotationAndHalvesTheArc) {
  Stage stage;
  FollowConstraint follow = stage.follow(false);
  follow.targets.resize(1);
  const int slot = add_orient_constraint(*stage.graph, follow);
  Vec p = random_pose(*cloud_on(stage.graph, {slot}), 0.5, 3);
  p[stage.influence] = 1;
  const Mat3 target = rotation_part(transform_of(*stage.graph, p, stage.one));
  const Mat3 owner = rotation_part(transform_of(*stage.graph, p, stage.owner));
  EXPECT_LT((rotation_part(transform_of(*stage.graph, p, slot)) - target).norm(), 1e-13);
  p[stage.influence] = 0.5;
  const Mat3 half = rotation_part(transform_of(*stage.graph, p, slot));
  EXPECT_LT((rotation_log(owner.transpose() * half) - 0.5 * rotation_log(owner.transpose() * target)).norm(), 1e-12);
}

TEST(ParentConstraint, MovesTheOwnerAsAChildOfTheTarget) {
  Stage stage;
  FollowConstraint follow = stage.follow();
  follow.targets.resize(1);
  follow.influence = Source::constant(1);
  const int slot = add_parent_constraint(*stage.graph, follow);
  const Vec rest = rest_pose(*stage.graph);
  Vec p = rest;
  set3(*stage.graph, p, "one.t", Vec3(3, -1, 0.5));
  set3(*stage.graph, p, "one.r", Vec3(0.4, 2.9, -0.3));
  const Affine before = transform_of(*stage.graph, rest, stage.one), after = transform_of(*stage.graph, p, stage.one);
  Mat4 B = Mat4::Identity(), A = Mat4::Identity(), O = Mat4::Identity();
  B.topRows<3>() = before, A.topRows<3>() = after, O.topRows<3>() = transform_of(*stage.graph, rest, stage.owner);
  const Mat4 expected = A * B.inverse() * O;
  const Affine got = transform_of(*stage.graph, p, slot);
  EXPECT_LT((translation(got) - expected.topRightCorner<3, 1>()).norm(), 1e-13);
  const Mat3 turn = rotation_part(after) * rotation_part(before).transpose();
  EXPECT_LT((linear(got) - turn * linear(transform_of(*stage.graph, rest, stage.owner))).norm(), 1e-13);
}

TEST(ScaleConstraint, TakesTheTargetsLengths) {
  Stage stage;
  FollowConstraint follow = stage.follow(false);
  follow.targets.resize(1);
  follow.influence = Source::constant(1);
  const int slot = add_scale_constraint(*stage.graph, follow);
  Vec p = rest_pose(*stage.graph);
  set3(*stage.graph, p, "one.s", Vec3(2, 0.5, 3));
  const Affine got = transform_of(*stage.graph, p, slot);
  EXPECT_NEAR(got.col(0).norm(), 2, 1e-14);
  EXPECT_NEAR(got.col(1).norm(), 0.5, 1e-14);
  EXPECT_NEAR(got.col(2).norm(), 3, 1e-14);
}

AimConstraint aim_of(const Stage& stage) {
  return {.owner_slot = stage.owner,
          .targets = {{stage.one, Source::constant(1)}, {stage.two, Source::of_control(stage.weight)}},
          .axis = Vec3(0, 0, 2),
          .up_axis = Vec3(0, 1, 0.5),
          .influence = Source::of_control(stage.influence)};
}

TEST(AimConstraint, HasExactDerivatives) {
  for (const bool up : {false, true})
    for (const bool keep_offset : {false, true}) {
      Stage stage;
      AimConstraint aim = aim_of(stage);
      if (up) aim.up_slot = add_point(*stage.graph, {.name = "up", .position = Vec3(0, 5, 0)});
      aim.keep_offset = keep_offset;
      const auto rig = cloud_on(stage.graph, {add_aim_constraint(*stage.graph, aim)});
      EXPECT_TRUE(check_rig(*rig, kNear).ok()) << check_rig(*rig, kNear);
    }
}

TEST(AimConstraint, PointsItsAxisAndKeepsUpright) {
  Stage stage;
  AimConstraint aim = aim_of(stage);
  aim.targets.resize(1);
  aim.influence = Source::constant(1);
  const int slot = add_aim_constraint(*stage.graph, aim);
  aim.keep_offset = true;
  const int kept = add_aim_constraint(*stage.graph, aim);
  const Vec rest = rest_pose(*stage.graph);
  EXPECT_LT((transform_of(*stage.graph, rest, kept) - transform_of(*stage.graph, rest, stage.owner)).norm(), 1e-13);
  for (std::uint32_t seed = 1; seed < 20; ++seed) {
    const Vec p = random_pose(*cloud_on(stage.graph, {slot}), 1, seed);
    const Affine got = transform_of(*stage.graph, p, slot);
    const Vec3 forward = (position_of(*stage.graph, p, stage.one) - translation(got)).normalized();
    const Mat3 R = rotation_part(got);
    EXPECT_LT((R.col(2) - forward).norm(), 1e-13);
    EXPECT_NEAR(R.col(0).y(), 0, 1e-13);  // across: level
    EXPECT_GT(R.col(1).y(), 0);
  }
}

TEST(AimConstraint, NearItsPoleIsExactAndAtItFinite) {
  auto graph = std::make_shared<ControlGraph>();
  const int owner = add_plain(*graph, "owner", Vec3::Zero());
  const int target = add_plain(*graph, "target", Vec3(0.001, 1, 0));
  const int slot = add_aim_constraint(*graph, {.owner_slot = owner, .targets = {{target, Source::constant(1)}}});
  const auto rig = cloud_on(graph, {slot});
  // A thousandth of a radian from the pole the frame turns with radius 1e-3: differences with steps of 3e-5 are good to
  // (3e-5 / 1e-3)^4 * 6, about 1e-5.
  const CheckRigOptions options{.poses = 0, .tolerance = 2e-5};
  EXPECT_TRUE(check_rig(*rig, options).ok()) << check_rig(*rig, options);

  const auto workspace = rig->make_workspace();
  std::vector<int> all(graph->controls().size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
  for (const Vec3& position : {Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(0, 0, 0), Vec3(1e-9, 1, 0)}) {
    Vec p = rest_pose(*graph), s;
    set3(*graph, p, "target.t", position);
    rig->evaluate(*workspace, p, s);
    EXPECT_TRUE(s.allFinite());
    BlockJacobian J;
    rig->jacobian(*workspace, p, all, J);
    EXPECT_TRUE(J.dense().allFinite());
    const Mat3 R = linear(transform_of(*graph, p, slot));
    EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-12);
  }
}

TEST(TranslationLimit, KeepsTheOriginInItsBox) {
  Stage stage;
  const TranslationLimit limit{.owner_slot = stage.owner,
                               .parent_slot = stage.parent,
                               .min = Vec3(0.4, -1, 0),
                               .max = Vec3(0.45, 2, 0.2),
                               .influence = Source::of_control(stage.influence)};
  const int slot = add_translation_limit(*stage.graph, limit);
  const auto rig = cloud_on(stage.graph, {slot});
  EXPECT_TRUE(check_rig(*rig, kNear).ok()) << check_rig(*rig, kNear);
  Vec p = rest_pose(*stage.graph);
  p[stage.influence] = 1;
  for (const Vec3& t : {Vec3(9, 9, 9), Vec3(-9, 0.5, -1e3), Vec3(0.42, 0, 0.1)}) {
    set3(*stage.graph, p, "owner.t", t);
    const Vec3 expected = apply(transform_of(*stage.graph, p, stage.parent), t.cwiseMax(limit.min).cwiseMin(limit.max));
    EXPECT_LT((position_of(*stage.graph, p, slot) - expected).norm(), 1e-13);
  }
}

TEST(RotationLimit, KeepsTheTurnFromRestInItsBox) {
  for (const bool euler : {false, true}) {
    Stage stage;
    RotationLimit limit{.owner_slot = stage.owner,
                        .parent_slot = stage.parent,
                        .min = Vec3(-0.1, -0.7, 0.05),
                        .max = Vec3(0.2, 0.1, 0.3),
                        .influence = Source::of_control(stage.influence)};
    if (euler) limit.euler = RotateOrder::zxy;
    const int slot = add_rotation_limit(*stage.graph, limit);
    const auto rig = cloud_on(stage.graph, {slot});
    EXPECT_TRUE(check_rig(*rig, kNear).ok()) << check_rig(*rig, kNear);
  }
  ControlGraph graph;
  const int parent = add_plain(graph, "parent", Vec3(1, 0, 0)),
            owner = add_plain(graph, "owner", Vec3(0, 1, 0), parent);
  const int slot = add_rotation_limit(
      graph, {.owner_slot = owner, .parent_slot = parent, .min = Vec3(-0.1, -0.2, -0.3), .max = Vec3(0.5, 0.5, 0.5)});
  Vec p = rest_pose(graph);
  set3(graph, p, "parent.r", Vec3(1, 2, 0.5));
  set3(graph, p, "owner.r", Vec3(0.3, 2, -1));
  const Mat3 base = linear(transform_of(graph, p, parent));
  const Vec3 kept = rotation_log(base.transpose() * linear(transform_of(graph, p, slot)));
  EXPECT_LT((kept - Vec3(0.3, 0.5, -0.3)).norm(), 1e-13);
}

TEST(RotationLimit, OfEulerAnglesInAllOrders) {
  const Vec3 angles(0.4, -0.3, 0.7);
  for (int order = 0; order < 6; ++order) {
    ControlGraph graph;
    MayaJointDescription joint{.name = "joint", .order = static_cast<RotateOrder>(order)};
    const int owner = add_maya_joint(graph, joint);
    const Vec3 bound = Vec3::Constant(0.5);
    const int slot = add_rotation_limit(
        graph, {.owner_slot = owner, .min = -bound, .max = bound, .euler = static_cast<RotateOrder>(order)});
    Vec p = rest_pose(graph);
    set3(graph, p, "joint.r", angles);
    const Affine got = transform_of(graph, p, slot);
    set3(graph, p, "joint.r", Vec3(0.4, -0.3, 0.5));
    EXPECT_LT((got - transform_of(graph, p, owner)).norm(), 1e-13) << order;
  }
}

TEST(DistanceLimit, KeepsTheDistance) {
  Stage stage;
  const int slot = add_distance_limit(*stage.graph, {.owner_slot = stage.owner,
                                                     .target_slot = stage.one,
                                                     .min = 0.5,
                                                     .max = 1.2,
                                                     .influence = Source::of_control(stage.influence)});
  const auto rig = cloud_on(stage.graph, {slot});
  EXPECT_TRUE(check_rig(*rig, kNear).ok()) << check_rig(*rig, kNear);
  Vec p = rest_pose(*stage.graph);
  p[stage.influence] = 1;
  const auto distance = [&] {
    return (position_of(*stage.graph, p, slot) - position_of(*stage.graph, p, stage.one)).norm();
  };
  EXPECT_NEAR(distance(), 1.2, 1e-14);
  set3(*stage.graph, p, "one.t", position_of(*stage.graph, p, stage.owner));
  EXPECT_NEAR(distance(), 0.5, 1e-14);
  set3(*stage.graph, p, "one.t", position_of(*stage.graph, p, stage.owner) + Vec3(0, 0.7, 0));
  EXPECT_NEAR(distance(), 0.7, 1e-14);
}

TEST(Constraint, RefusesWhatIsNotThere) {
  Stage stage;
  FollowConstraint follow = stage.follow();
  follow.targets[0].slot = 99;
  EXPECT_THROW(add_point_constraint(*stage.graph, follow), Error);
  follow.targets.clear();
  EXPECT_THROW(add_parent_constraint(*stage.graph, follow), Error);
  AimConstraint aim = aim_of(stage);
  aim.up_axis = aim.axis;
  EXPECT_THROW(add_aim_constraint(*stage.graph, aim), Error);
  EXPECT_THROW(add_distance_limit(*stage.graph, {.owner_slot = 0, .target_slot = 1, .min = 2, .max = 1}), Error);
}

TEST(HelperJoint, HasExactDerivatives) {
  Stage stage;
  const int slot = add_helper_joint(*stage.graph, {.parent_slot = stage.parent,
                                                   .child_slot = stage.owner,
                                                   .axis = Vec3(1, 0.2, 0),
                                                   .twist = Source::of_control(stage.weight),
                                                   .swing = Source::of_control(stage.influence)});
  const auto rig = cloud_on(stage.graph, {slot});
  EXPECT_TRUE(check_rig(*rig, kNear).ok()) << check_rig(*rig, kNear);
}

TEST(HelperJoint, TakesItsShareOfTheTwistAndNoneOfTheSwing) {
  ControlGraph graph;
  const int arm = add_plain(graph, "arm", Vec3::Zero()), hand = add_plain(graph, "hand", Vec3(2, 0, 0), arm);
  const int helper = add_helper_joint(graph, {.parent_slot = arm, .child_slot = hand, .axis = Vec3::UnitX()});
  Vec p = rest_pose(graph);
  set3(graph, p, "arm.r", Vec3(0.1, 0.7, -0.4));
  set3(graph, p, "hand.r", Vec3(3, 0, 0));  // nearly half a turn
  const Mat3 base = linear(transform_of(graph, p, arm));
  const Affine got = transform_of(graph, p, helper);
  EXPECT_LT((linear(got) - base * rotation_exp(Vec3(1.5, 0, 0))).norm(), 1e-13);
  EXPECT_LT((translation(got) - base * Vec3(1, 0, 0)).norm(), 1e-14);
  set3(graph, p, "hand.r", Vec3(0, 1.2, 0));
  EXPECT_LT((linear(transform_of(graph, p, helper)) - base).norm(), 1e-13);
}

struct Foot {
  std::shared_ptr<ControlGraph> graph = std::make_shared<ControlGraph>();
  int control = add_plain(*graph, "foot", Vec3(0.1, 0, 0));
  FootRoll roll{.foot_slot = control,
                .heel = Vec3(0, 0, -0.1),
                .ball = Vec3(0, 0, 0.15),
                .toe = Vec3(0, 0, 0.25),
                .inner = Vec3(-0.05, 0, 0.15),
                .outer = Vec3(0.06, 0, 0.15),
                .ankle = Vec3(0, 0.1, 0)};
  FootRollSlots slots;

  explicit Foot(double rest) {
    int k = 0;
    for (Source* source : {&roll.roll, &roll.bank, &roll.heel_twist, &roll.toe_twist})
      *source = Source::of_control(add_number(*graph, std::string("roll") + "0123"[k++], rest));
    slots = add_foot_roll(*graph, roll);
  }
  /// Where a point of the foot, or of the toes, is.
  Vec3 foot_point(In p, const Vec3& local) const {
    return apply(transform_of(*graph, p, slots.ankle), local - roll.ankle);
  }
  Vec3 toe_point(In p, const Vec3& local) const { return apply(transform_of(*graph, p, slots.toe), local - roll.ball); }
};

TEST(FootRoll, HasExactDerivatives) {
  // Rest values off the ends of its pieces, where the second derivative jumps.
  for (const double rest : {0.04, -0.04, 0.7, 0.3, -0.6}) {
    Foot foot(rest);
    const auto rig = cloud_on(foot.graph, {foot.slots.ankle, foot.slots.toe});
    const CheckRigOptions options{.poses = 1, .spread = 0.03};
    EXPECT_TRUE(check_rig(*rig, options).ok()) << check_rig(*rig, options);
  }
}

TEST(FootRoll, KeepsOnTheGroundWhatItRollsOver) {
  Foot foot(0);
  const FootRoll& r = foot.roll;
  Vec p = rest_pose(*foot.graph);
  const Vec3 offset(0.1, 0, 0);
  EXPECT_LT((foot.foot_point(p, r.ankle) - r.ankle - offset).norm(), 1e-15);  // at rest
  set(*foot.graph, p, "roll0", -0.5);
  EXPECT_LT((foot.foot_point(p, r.heel) - r.heel - offset).norm(), 1e-15);
  EXPECT_GT(foot.toe_point(p, r.toe).y(), 0.1);
  set(*foot.graph, p, "roll0", 0.5);  // within the ball's range
  EXPECT_LT((foot.foot_point(p, r.ball) - r.ball - offset).norm(), 1e-15);
  EXPECT_LT((foot.toe_point(p, r.toe) - r.toe - offset).norm(), 1e-15);
  EXPECT_NEAR(foot.foot_point(p, r.heel).y(), 0.25 * std::sin(0.5), 1e-14);
  set(*foot.graph, p, "roll0", 1.2);  // on tiptoe, straight
  EXPECT_LT((foot.toe_point(p, r.toe) - r.toe - offset).norm(), 1e-15);
  EXPECT_NEAR(foot.foot_point(p, r.heel).y(), 0.35 * std::sin(1.2), 1e-14);
  set(*foot.graph, p, "roll0", 0);
  set(*foot.graph, p, "roll1", 0.3);
  EXPECT_LT((foot.foot_point(p, r.outer) - r.outer - offset).norm(), 1e-15);
  EXPECT_NEAR(foot.foot_point(p, r.inner).y(), 0.11 * std::sin(0.3), 1e-14);
  set(*foot.graph, p, "roll1", -0.3);
  EXPECT_LT((foot.foot_point(p, r.inner) - r.inner - offset).norm(), 1e-15);
  EXPECT_NEAR(foot.foot_point(p, r.outer).y(), 0.11 * std::sin(0.3), 1e-14);
}

}  // namespace
}  // namespace rigspace
