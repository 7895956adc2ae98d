// Motions of other bodies: other names, sizes and rest poses.

#include "rigspace/apps/inverse/map_motion.h"
#include "rigspace/base/error.h"
#include "support/human_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace::body_motion_test {
namespace {

using testing::human_motion;
using testing::HumanNames;
using testing::rotation_row;

const HumanNames kUnreal = {"pelvis",     "spine_01",   "spine_02",   "spine_03", "neck_01",    "head",
                            "clavicle_l", "upperarm_l", "lowerarm_l", "hand_l",   "clavicle_r", "upperarm_r",
                            "lowerarm_r", "hand_r",     "thigh_l",    "calf_l",   "foot_l",     "ball_l",
                            "thigh_r",    "calf_r",     "foot_r",     "ball_r"};
constexpr int kLeftArm = 7, kLeftForearm = 8, kLeftThigh = 14, kRightThigh = 18, kLeftShin = 15, kRightShin = 19;

/// A small character in A pose with one clip in which only arms move.
Character hero() {
  BvhMotion motion = human_motion(kUnreal, 12, 0.6, 0.7);
  for (int k = 0; k < 12; ++k) {
    motion.frames(rotation_row(kLeftArm), k) = 30 * std::sin(k * 0.5);
    motion.frames(rotation_row(kLeftForearm) + 2, k) = -25 * (1 - std::cos(k * 0.5));
  }
  return to_character(motion);
}

/// Twice as large, in T pose, knees bent and hips swaying over standing feet: thigh x = -a, shin 2a, foot -a.
BvhMotion crouching(int frames) {
  BvhMotion motion = human_motion(testing::kMixamoNames, frames, 2);
  for (int k = 0; k < frames; ++k) {
    const double bend = 25 + 15 * std::sin(k * 0.4);  // degrees
    for (const int thigh : {kLeftThigh, kRightThigh}) {
      motion.frames(rotation_row(thigh) + 1, k) = -bend;
      motion.frames(rotation_row(thigh + 1) + 1, k) = 2 * bend;
      motion.frames(rotation_row(thigh + 2) + 1, k) = -bend;
    }
    const double a = bend * std::numbers::pi / 180;
    motion.frames(1, k) -= 2 * (0.42 + 0.41) * (1 - std::cos(a));
    motion.frames(2, k) -= 2 * (0.42 - 0.41) * std::sin(a);
    motion.frames(rotation_row(kLeftArm), k) = -60;  // the arm hangs
    motion.frames(rotation_row(kLeftArm) + 1, k) = 20 * std::cos(k * 0.4);
    motion.frames(rotation_row(5) + 2, k) = 30 * std::sin(k * 0.3);  // the head turns
  }
  return motion;
}

class MotionOfAnotherBody : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    hero_ = new Character(hero());
    model_ = new InverseModel(*hero_, {.joints = body_features(*hero_), .all_rotations = true});
  }
  static void TearDownTestSuite() {
    delete model_;
    delete hero_;
  }
  static std::string refusal(const BvhMotion& motion, const JointMotionOptions& options = {}) {
    const Character source = to_character(motion);
    try {
      map_motion(*hero_, *model_, joint_motion(*hero_, *model_, source, source.clips.front(), options));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  static inline Character* hero_ = nullptr;
  static inline InverseModel* model_ = nullptr;
};

TEST_F(MotionOfAnotherBody, IsFollowedByLimbsThatTheClipsNeverMove) {
  const Character source = to_character(crouching(10));
  const JointMotion motion = joint_motion(*hero_, *model_, source, source.clips.front(), {.plant_feet = false});
  EXPECT_TRUE(motion.carried);
  EXPECT_NEAR(motion.scale, 0.3, 1e-9);
  for (const JointMatch& match : motion.mapping.matches) {
    EXPECT_EQ(match.own, match.source) << "the two skeletons list the same parts";
    EXPECT_GT(match.sure, 0.7) << match.what;
  }
  const MappedMotion mapped = map_motion(*hero_, *model_, motion);
  EXPECT_LT(mapped.joint_error, 2e-3);
  EXPECT_LT(mapped.direction_error, 0.5 * std::numbers::pi / 180);
  EXPECT_EQ(mapped.unconverged, 0);
  // The head is turned, though no joint hangs on it.
  const std::vector<Affine> first = bone_transforms(*hero_, mapped.frames[0].p),
                            later = bone_transforms(*hero_, mapped.frames[5].p);
  const auto yaw = [](const Affine& world) { return std::atan2(world(0, 2), world(2, 2)); };
  EXPECT_NEAR(yaw(later[5]) - yaw(first[5]), 30 * std::sin(1.5) * std::numbers::pi / 180, 0.02);
}

TEST_F(MotionOfAnotherBody, FeetThatStandDoNotSlide) {
  BvhMotion motion = crouching(20);
  // Longer shins than the hero's: rotations alone would make its feet slide.
  for (const int shin : {kLeftShin, kRightShin}) motion.joints[shin + 1].offset *= 1.3;
  for (int k = 0; k < 20; ++k) {
    const double a = motion.frames(rotation_row(kLeftShin) + 1, k) / 2 * std::numbers::pi / 180;
    motion.frames(1, k) += 2 * 0.3 * 0.41 * std::cos(a), motion.frames(2, k) += 2 * 0.3 * 0.41 * std::sin(a);
  }
  const Character source = to_character(motion);
  const auto slide = [&](bool plant) {
    const JointMotion joints = joint_motion(*hero_, *model_, source, source.clips.front(), {.plant_feet = plant});
    EXPECT_EQ(joints.body.standing_frames(), 40);
    EXPECT_LT(joints.body.source_sliding, 1e-6);
    return map_motion(*hero_, *model_, joints).sliding;
  };
  const double free = slide(false);
  EXPECT_GT(free, 0.02) << "leg lengths a second";
  EXPECT_LT(slide(true), 0.05 * free);
}

TEST_F(MotionOfAnotherBody, TakesWhatIsGivenAndLeavesOutWhatIsNot) {
  const Character source = to_character(crouching(4));
  const JointMapping mapping = map_joints(*hero_, model_->features().names(), source,
                                          read_given_matches("head=-\nhand_l = RightHand  # swapped\n", "hero.map"));
  const auto match = [&](std::string_view name) {
    return *mapping.of(static_cast<int>(std::ranges::find(hero_->bones, name, &Bone::name) - hero_->bones.begin()));
  };
  EXPECT_EQ(match("head").source, -1);
  EXPECT_EQ(source.bones[static_cast<std::size_t>(match("hand_l").source)].name, "mixamorig:RightHand");
  EXPECT_THROW(read_given_matches("head", "hero.map"), Error);
  EXPECT_THROW(
      map_joints(*hero_, model_->features().names(), source, std::vector<GivenMatch>{{"haed", "mixamorig:Head"}}),
      Error);
}

TEST_F(MotionOfAnotherBody, WrongMotionsAreRefusedInASentenceThatNamesThem) {
  // A missing joint: the right foot and what hangs on it.
  BvhMotion lame = crouching(3);
  lame.joints.resize(20);
  lame.frames.conservativeResize(rotation_row(20), Eigen::NoChange);
  EXPECT_NE(refusal(lame).find("missing in this motion"), std::string::npos) << refusal(lame);
  // Swapped hierarchy.
  BvhMotion swapped = crouching(3);
  std::swap(swapped.joints[kLeftArm].name, swapped.joints[kLeftForearm].name);
  EXPECT_NE(refusal(swapped).find("LeftArm\" hangs below"), std::string::npos) << refusal(swapped);
  // A bone without length.
  BvhMotion flat = crouching(3);
  flat.joints[kLeftForearm].offset.setZero();
  EXPECT_NE(refusal(flat).find("mixamorig:LeftArm\" has no length"), std::string::npos) << refusal(flat);
  // Without a foot there is no body at all.
  BvhMotion footless = crouching(3);
  footless.joints.resize(16);
  footless.frames.conservativeResize(rotation_row(16), Eigen::NoChange);
  EXPECT_NE(refusal(footless).find("no body on two legs was found"), std::string::npos) << refusal(footless);
  EXPECT_EQ(refusal(crouching(3)), "");
}

TEST(InverseModel, OfARigWithoutClipsFollowsAMotion) {
  Character bare = hero();
  bare.clips.clear();
  const InverseModel model(bare, {.joints = body_features(bare), .all_rotations = true});
  const Character source = to_character(crouching(6));
  const MappedMotion mapped =
      map_motion(bare, model, joint_motion(bare, model, source, source.clips.front()), {.max_iterations = 30});
  EXPECT_LT(mapped.joint_error, 2e-3);
}

}  // namespace
}  // namespace rigspace::body_motion_test
