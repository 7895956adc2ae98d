#include "rigspace/anim/soft_joints.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace {
namespace {

constexpr double kRounding = 1e-12;  // of doubles, on a shape of size one
constexpr int kFlesh = 60, kEye = 12;

/// An armature in centimetres (scaled by 0.01) with four bones; flesh on its skin, with a morph; an eye that hangs
/// rigidly on a node below the last bone; a clip.
Character make_character(int influences) {
  auto graph = std::make_shared<ControlGraph>();
  const int armature = add_node(*graph, {.name = "armature", .scale = Vec3::Constant(0.01)});
  Character character{.name = "made"};
  SkinDescription skin;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0.05, 1);
  for (int b = 0; b < 4; ++b) {
    const int above = b == 0 ? armature : character.bones.back().slot;
    const int slot = add_node(*graph, {.name = "bone" + std::to_string(b),
                                       .parent_slot = above,
                                       .translation = Vec3(3, 20, -2),
                                       .rotation = Quat(rotation_exp(Vec3(0.2, 0.1 * b, -0.3))),
                                       .scale = Vec3(1, 1.1, 0.9)});
    character.bones.push_back({.name = "bone" + std::to_string(b), .parent = b - 1, .slot = slot});
    skin.joint_slots.push_back(slot);
    Affine bind = Affine::Identity();
    bind.leftCols<3>() = 100 * rotation_exp(Vec3(0.1 * b, -0.2, 0.1));
    bind.col(3) = Vec3(1, -20 * b, 2);
    skin.inverse_bind.push_back(bind);
  }
  const int eye = add_node(*graph, {.name = "eye", .parent_slot = character.bones[3].slot, .translation = {1, 2, 3}});
  const int open = add_scalar(*graph, {.name = "flesh:open", .node = "flesh", .rest = 0.25});
  for (int i = 0; i < kFlesh; ++i) {
    std::vector<Influence> list;
    double sum = 0;
    for (int k = 0; k < influences; ++k) list.push_back({(i + k) % 4, uniform(random)}), sum += list.back().weight;
    for (Influence& influence : list) influence.weight /= sum;
    skin.influences.push_back(list);
  }
  const Vec points = Vec::NullaryExpr(3 * (kFlesh + kEye), [&] { return uniform(random); });
  MorphTarget morph{.weight_slot = open, .points = {1, 5, 6}, .offsets = {Vec3(1, 0, 0), Vec3(0, 2, 0), Vec3(0, 1, 1)}};
  std::vector<std::shared_ptr<const Deformer>> deformers{make_blend_shapes(0, kFlesh, std::span(&morph, 1)),
                                                         make_linear_blend_skin(skin), make_rigid(kFlesh, kEye, eye)};
  character.pieces = {{.name = "flesh", .first_point = 0, .point_count = kFlesh / 2},
                      {.name = "flesh#2", .first_point = kFlesh / 2, .point_count = kFlesh / 2},
                      {.name = "eye", .first_point = kFlesh, .point_count = kEye}};
  character.rig = std::make_shared<BuiltInRig>(graph, points, deformers);
  character.clips.push_back({.name = "sway", .duration = 2});
  character.clips[0].tracks.push_back({"bone1.rx", {.times = {0, 1, 2}, .values = {0, 0.7, -0.4}}});
  character.clips[0].tracks.push_back({"bone0.tx", {.times = {0, 2}, .values = {3, 9}}});
  return character;
}

const SkinDescription& skin_of(const Character& character) {
  for (const auto& deformer : static_cast<const BuiltInRig&>(*character.rig).deformers())
    if (const SkinDescription* skin = skin_description(*deformer)) return *skin;
  throw std::logic_error("no skin");
}

/// The same with another skin.
Character with_skin(Character character, std::unique_ptr<Deformer> skin) {
  const auto& rig = static_cast<const BuiltInRig&>(*character.rig);
  std::vector<std::shared_ptr<const Deformer>> deformers(rig.deformers().begin(), rig.deformers().end());
  deformers[1] = std::move(skin);
  character.rig =
      std::make_shared<BuiltInRig>(std::make_shared<ControlGraph>(rig.graph()), rig.points_rest(), deformers);
  return character;
}

double weight_of(const Character& character, int bone, int point) {
  double weight = 0;
  const SkinDescription& skin = skin_of(character);
  for (const Influence& influence : skin.influences[point])
    if (skin.joint_slots[influence.joint] == character.bones[bone].slot) weight += influence.weight;
  return weight;
}

/// Two joints below bone 1, one below bone 2, with shares wherever those bones hold flesh.
SoftJoints make_soft(const Character& character) {
  SoftJoints soft;
  soft.joints = {
      {.name = "soft_a", .parent = 1, .translation = {5, 1, -3}, .rotation = Quat(rotation_exp({0.5, 1, 0}))},
      {.name = "soft_b", .parent = 1, .translation = {-4, 0, 2}},
      {.name = "soft_c", .parent = 2, .rotation = Quat(rotation_exp({0, -0.4, 0.8}))}};
  soft.start = {0};
  for (int i = 0; i < character.rig->point_count(); ++i) {
    for (int j = 0; i < kFlesh && j < 3; ++j) {
      if (weight_of(character, soft.joints[j].parent, i) == 0) continue;
      soft.joint.push_back(j);
      soft.share.push_back(j == 2 && i % 5 == 0 ? 1 : 0.1 * (1 + (i + j) % 4));
    }
    soft.start.push_back(static_cast<int>(soft.joint.size()));
  }
  return soft;
}

double share_of(const SoftJoints& soft, int joint, int point) {
  for (int e = soft.start[point]; e < soft.start[point + 1]; ++e)
    if (soft.joint[e] == joint) return soft.share[e];
  return 0;
}

Vec evaluate(const Character& character, const Vec& p) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  return s;
}

Affine world_of(const Character& character, int bone, const Vec& p) {
  const auto& rig = static_cast<const BuiltInRig&>(*character.rig);
  Vec u;
  rig.evaluate_slots(*rig.make_workspace(), p, u);
  return transform_at(u, rig.graph().slots()[character.bones[bone].slot]);
}

/// The original's pose, and new controls at rest.
Vec muted(const Character& soft, const Vec& p) {
  Vec result = soft.rig->rest();
  result.head(p.size()) = p;
  return result;
}

std::string message_of(const Character& character, const SoftJoints& soft, bool morphs = false) {
  try {
    morphs ? with_soft_morphs(character, soft) : with_soft_joints(character, soft);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SoftJoints, MutedTheSkinIsTheOriginalInEveryPose) {
  const Character original = make_character(2);
  const Character soft = with_soft_joints(original, make_soft(original), 8);
  for (std::uint32_t seed = 1; seed < 6; ++seed) {
    const Vec p = testing::random_pose(*original.rig, 1, seed);
    EXPECT_LT((evaluate(soft, muted(soft, p)) - evaluate(original, p)).lpNorm<Eigen::Infinity>(), 10 * kRounding);
  }
  EXPECT_LT(muted_change(original, soft, original.clips), kRounding);
}

TEST(SoftJoints, AreAppendedAndNothingElseChanges) {
  const Character original = make_character(2);
  const SoftJoints joints = make_soft(original);
  const Character soft = with_soft_joints(original, joints);
  const auto before = original.rig->controls(), after = soft.rig->controls();
  ASSERT_EQ(after.size(), before.size() + 13 * joints.joints.size());
  for (std::size_t c = 0; c < before.size(); ++c) EXPECT_EQ(after[c].name, before[c].name);
  EXPECT_EQ(after[before.size() + 13].name, "soft_b.tx");
  ASSERT_EQ(soft.bones.size(), original.bones.size() + 3);
  EXPECT_EQ(soft.bones[4].name, "soft_a");
  EXPECT_EQ(soft.bones[4].parent, 1);
  // Translations below an armature in centimetres are measured in those.
  EXPECT_NEAR(after[before.size()].typical, before[original.rig->find("bone1.tx")].typical / std::cbrt(0.99), 1e-9);
  EXPECT_TRUE(testing::check_rig(*soft.rig).ok()) << testing::check_rig(*soft.rig);
}

TEST(SoftJoints, AJointMovesItsShareOfItsParentsPoints) {
  const Character original = make_character(2);
  const SoftJoints joints = make_soft(original);
  const Character soft = with_soft_joints(original, joints, 8);
  Vec p = testing::random_pose(*original.rig, 0.5, 7);
  p[original.rig->find("flesh:open")] = 0;  // so that points enter the skin as they rest
  const Vec3 d(2, -1, 0.5), r(0.3, 0.2, -0.6);
  Vec moved = muted(soft, p);
  const int control = soft.rig->find("soft_a.tx");
  moved.segment<3>(control) += d;
  moved.segment<3>(control + 7) = r;
  const Vec still = evaluate(original, p), s = evaluate(soft, moved);
  // s' = s + w_P share (world_P L' L^-1 - world_P) IBM_P X: the point in the parent's space, moved about the joint.
  const Affine world = world_of(original, 1, p), bind = skin_of(original).inverse_bind[1];
  const SoftJoint& joint = joints.joints[0];
  const Mat3 R = joint.rotation.toRotationMatrix();
  const Vec& X = static_cast<const BuiltInRig&>(*original.rig).points_rest();
  int held = 0;
  for (int i = 0; i < kFlesh; ++i) {
    const double weight = weight_of(original, 1, i) * share_of(joints, 0, i);
    held += weight > 0;
    const Vec3 bound = apply(bind, point(X, i));
    const Vec3 turned = R * rotation_exp(r) * R.transpose() * (bound - joint.translation) + joint.translation + d;
    const Vec3 expected = point(still, i) + weight * linear(world) * (turned - bound);
    EXPECT_LT((point(s, i) - expected).norm(), 10 * kRounding) << i;
  }
  EXPECT_EQ(held, kFlesh / 2);
  EXPECT_EQ(s.tail(3 * kEye), still.tail(3 * kEye));
}

TEST(SoftJoints, PointsKeepFewInfluencesAndTheirSum) {
  const Character original = make_character(4);
  const SoftJoints joints = make_soft(original);
  for (const int most : {4, 5, 8}) {
    int reduced = -1;
    const Character soft = with_soft_joints(original, joints, most, &reduced);
    for (const auto& list : skin_of(soft).influences) {
      EXPECT_LE(static_cast<int>(list.size()), most);
      double sum = 0;
      for (const Influence& influence : list) sum += influence.weight;
      EXPECT_NEAR(sum, 1, kRounding);
    }
    // Four bones and three joints make seven; six where a joint takes all.
    EXPECT_EQ(reduced, most == 8 ? 0 : kFlesh);
  }
  EXPECT_LT(muted_change(original, with_soft_joints(original, joints, 8), original.clips), kRounding);
}

TEST(SoftJoints, WhatASoftJointLosesGoesBackToItsParent) {
  const Character original = make_character(4);
  SoftJoints joints{.joints = {{.name = "soft", .parent = 1}}};
  joints.start = {0};
  for (int i = 0; i < original.rig->point_count(); ++i) {
    if (i < kFlesh) {
      joints.joint.push_back(0);
      joints.share.push_back(i % 2 ? 0.0001 : 0.9999);  // joint or parent has the least weight
    }
    joints.start.push_back(static_cast<int>(joints.joint.size()));
  }
  int reduced = 0;
  const Character soft = with_soft_joints(original, joints, 4, &reduced);
  EXPECT_EQ(reduced, kFlesh);
  EXPECT_LT(muted_change(original, soft, original.clips), kRounding);
  EXPECT_EQ(weight_of(soft, 4, 1), 0);
  EXPECT_NEAR(weight_of(soft, 4, 2), weight_of(original, 1, 2), kRounding);
}

TEST(SoftJoints, AChangeOfTheMutedSkinIsMeasured) {
  SkinDescription skin = skin_of(make_character(4));
  skin.influences[0] = {{0, 0.3}, {1, 0.4}, {2, 0.295}, {3, 0.005}};
  const Character original = with_skin(make_character(4), make_linear_blend_skin(skin));
  SoftJoints joints{.joints = {{.name = "soft", .parent = 1}}, .start = {0}, .joint = {0}, .share = {0.5}};
  joints.start.resize(original.rig->point_count() + 1, 1);
  const Character soft = with_soft_joints(original, joints, 4);
  // Of 0.3, 0.2, 0.2, 0.295 and 0.005 the last goes, and the others grow in proportion. By hand:
  const Vec3 X = static_cast<const BuiltInRig&>(*original.rig).points_rest().head<3>();
  const auto change = [&](const Vec& p) {
    const Vec3 with = evaluate(original, p).head<3>();
    const Vec3 gone = apply(compose(world_of(original, 3, p), skin.inverse_bind[3]), X);
    return ((with - 0.005 * gone) / 0.995 - with).norm();
  };
  double expected = change(original.rig->rest());
  for (int k = 0; k < 9; ++k) expected = std::max(expected, change(pose_at(original, &original.clips[0], 0.25 * k)));
  EXPECT_GT(expected, 1e-4);
  EXPECT_NEAR(muted_change(original, soft, original.clips, 9), expected, kRounding);
}

TEST(SoftJoints, WhatCannotBeIsRefusedWithASentence) {
  const Character original = make_character(2);
  const SoftJoints good = make_soft(original);
  SoftJoints bad = good;
  bad.joints[1].name = "soft_a";
  EXPECT_EQ(message_of(original, bad), "soft joint \"soft_a\" is there twice; give each its own name");
  bad.joints[1].name = "bone3";
  EXPECT_EQ(message_of(original, bad),
            "soft joint \"bone3\" has the name of a node that the character has already; choose another");
  bad.joints[1].name = "a.b";
  EXPECT_NE(message_of(original, bad).find("some programs cannot take"), std::string::npos);
  bad = good;
  bad.joints[0].parent = 9;
  EXPECT_EQ(message_of(original, bad), "soft joint \"soft_a\" has parent 9; the character has 4 bones");
  bad = good;
  bad.share[0] = 1.5;
  EXPECT_NE(message_of(original, bad).find("shares are from 0 to 1"), std::string::npos);
  bad = good;
  for (double& share : bad.share) share = 0.8;
  EXPECT_NE(message_of(original, bad).find("they sum to at most 1"), std::string::npos);
  bad = good;
  bad.start.pop_back();
  EXPECT_NE(message_of(original, bad).find("do not lie point by point"), std::string::npos);
  bad = good;
  bad.start.back() += 1;  // the eye is not in the skin
  bad.joint.push_back(0);
  bad.share.push_back(0.5);
  EXPECT_EQ(message_of(original, bad),
            "soft joint \"soft_a\" has a share of point 71, which bone \"bone1\" does not hold; take from bones with "
            "weight in its linear skin, or use morphs");
  EXPECT_EQ(message_of(original, good), "no error");
}

TEST(SoftJoints, DualQuaternionSkinsAreRefused) {
  const Character linear = make_character(2);
  const Character original = with_skin(linear, make_dual_quaternion_skin(skin_of(linear)));
  EXPECT_NE(message_of(original, make_soft(linear)).find("does not hold"), std::string::npos);
}

/// A chain of two on bone 3, which hold the eye: a mesh that hangs on the bone rigidly.
SoftJoints make_chain(const Character& character) {
  SoftJoints soft;
  soft.joints = {{.name = "soft_1", .parent = 3, .translation = {2, 0, 1}, .rotation = Quat(rotation_exp({0.3, 0, 0}))},
                 {.name = "soft_2", .parent = 3, .translation = {0, 4, 0}, .above = 0}};
  soft.start.assign(static_cast<std::size_t>(kFlesh) + 1, 0);
  for (int i = kFlesh; i < character.rig->point_count(); ++i) {
    soft.joint.insert(soft.joint.end(), {0, 1});
    soft.share.insert(soft.share.end(), {0.25, 0.5});
    soft.start.push_back(static_cast<int>(soft.joint.size()));
  }
  return soft;
}

TEST(SoftJoints, AChainOnAMeshThatFollowsABoneLeavesTheMutedSkin) {
  const Character original = make_character(2);
  const Character soft = with_soft_joints(original, make_chain(original));
  EXPECT_LT(muted_change(original, soft, original.clips), kRounding);
  EXPECT_TRUE(testing::check_rig(*soft.rig).ok()) << testing::check_rig(*soft.rig);
  EXPECT_EQ(soft.bones[5].parent, 4);
}

TEST(SoftJoints, WhatIsAboveInAChainCarriesWhatIsBelow) {
  const Character original = make_character(2);
  const Character soft = with_soft_joints(original, make_chain(original));
  Vec p = soft.rig->rest();
  const Affine before = world_of(soft, 5, p);
  p[soft.rig->find("soft_1.rx")] = 0.5;
  const Affine after = world_of(soft, 5, p);
  EXPECT_GT((after.col(3) - before.col(3)).norm(), 1e-3);
  const Vec moved = evaluate(soft, p) - evaluate(soft, soft.rig->rest());
  EXPECT_EQ(moved.head(3 * kFlesh).norm(), 0);
  EXPECT_GT(moved.tail(3 * kEye).norm(), 1e-3);
}

TEST(SoftJoints, AChainHangsTogetherOrIsRefused) {
  Character original = make_character(2);
  SoftJoints bad = make_chain(original);
  bad.joints[1].above = 1;
  EXPECT_NE(message_of(original, bad).find("earlier one of the list"), std::string::npos);
  bad.joints[1].above = 0, bad.joints[1].parent = 2;
  EXPECT_NE(message_of(original, bad).find("takes from another bone"), std::string::npos);
  EXPECT_NE(message_of(original, make_chain(original), true).find("cannot turn"), std::string::npos);
  original.clips[0].tracks.push_back({"eye.ry", {.times = {0, 1}, .values = {0, 1}}});  // by itself: no bone holds it
  EXPECT_NE(message_of(original, make_chain(original)).find("does not hold"), std::string::npos);
}

TEST(SoftMorphs, AtRestMoveAsTheJointsTranslations) {
  const Character original = make_character(2);
  const SoftJoints joints = make_soft(original);
  const Character by_joints = with_soft_joints(original, joints, 8), by_morphs = with_soft_morphs(original, joints);
  const Vec rest = evaluate(original, original.rig->rest());
  for (int j = 0; j < 3; ++j)
    for (int axis = 0; axis < 3; ++axis) {
      const Affine world = world_of(original, joints.joints[j].parent, original.rig->rest());
      Vec p = by_joints.rig->rest();
      p.segment<3>(by_joints.rig->find(joints.joints[j].name + ".tx")) += linear(world).inverse() * Vec3::Unit(axis);
      Vec q = by_morphs.rig->rest();
      const int control = by_morphs.rig->find("flesh:" + joints.joints[j].name + "_" + "xyz"[axis]);
      ASSERT_GE(control, static_cast<int>(original.rig->controls().size()));
      q[control] = 1;
      const Vec moved = evaluate(by_morphs, q);
      EXPECT_GT((moved - rest).lpNorm<Eigen::Infinity>(), 0.01);
      EXPECT_LT((moved - evaluate(by_joints, p)).lpNorm<Eigen::Infinity>(), 10 * kRounding);
    }
}

TEST(SoftMorphs, MutedAreTheOriginalToTheBit) {
  const Character original = make_character(4);
  const Character soft = with_soft_morphs(original, make_soft(original));
  ASSERT_EQ(soft.rig->controls().size(), original.rig->controls().size() + 9);
  EXPECT_EQ(muted_change(original, soft, original.clips), 0);
  EXPECT_TRUE(testing::check_rig(*soft.rig).ok()) << testing::check_rig(*soft.rig);
}

TEST(SoftMorphs, AMeshThatHangsOnABoneIsHeldWholly) {
  const Character original = make_character(2);
  SoftJoints joints{.joints = {{.name = "soft_eye", .parent = 3}}, .start = {0}};
  joints.start.resize(original.rig->point_count(), 0);
  joints.start.push_back(1);
  joints.joint = {0};
  joints.share = {0.25};
  const Character soft = with_soft_morphs(original, joints);
  ASSERT_EQ(soft.rig->controls().size(), original.rig->controls().size() + 3);
  Vec p = soft.rig->rest();
  p[soft.rig->find("eye:soft_eye_y")] = 2;
  Vec expected = evaluate(original, original.rig->rest());
  expected[expected.size() - 2] += 0.5;
  EXPECT_LT((evaluate(soft, p) - expected).lpNorm<Eigen::Infinity>(), kRounding);
  joints.joints[0].parent = 2;  // bone 3 is between
  EXPECT_NE(message_of(original, joints, true).find("carry its mesh"), std::string::npos);
}

}  // namespace
}  // namespace rigspace
