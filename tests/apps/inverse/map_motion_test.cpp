#include "rigspace/apps/inverse/map_motion.h"

#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/bvh.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

class MotionOntoBobbin : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    character_ = new Character(make_character("bobbin", Version::skeleton));
    model_ = new InverseModel(*character_, {.clips = {"Walk", "Idle"}, .samples = 40});
  }
  static void TearDownTestSuite() {
    delete model_;
    delete character_;
  }
  /// The hop, which was not trained on, as motion capture of a body `scale` times as large.
  static BvhMotion captured(double scale) {
    BvhMotion motion = to_motion(*character_, *character_->clip("Hop"), {.fps = 15});
    int row = 0;
    for (BvhJoint& joint : motion.joints) {
      joint.offset *= scale;
      for (const BvhChannel channel : joint.channels) {
        if (channel <= BvhChannel::z_position) motion.frames.row(row) *= scale;
        ++row;
      }
    }
    return motion;
  }
  static inline Character* character_ = nullptr;
  static inline InverseModel* model_ = nullptr;
};

TEST_F(MotionOntoBobbin, AClipOfTheSameSkeletonIsFollowed) {
  const JointMotion motion = joint_motion(*character_, *model_, *character_, *character_->clip("Hop"), {.rate = 15});
  EXPECT_FALSE(motion.carried);
  const MappedMotion mapped = map_motion(*character_, *model_, motion);
  EXPECT_EQ(mapped.frames.size(), motion.times.size());
  EXPECT_LT(mapped.joint_error, 2e-3);
  // What the clip itself plays, between frames of the model's own report.
  Vec x;
  for (std::size_t k = 0; k < motion.times.size(); k += 5) {
    model_->features().evaluate(pose_at(*character_, &mapped.clip, motion.times[k]), x);
    const double off = (x - motion.X.col(static_cast<Eigen::Index>(k))).norm() / std::sqrt(model_->features().count());
    EXPECT_NEAR(off / model_->size(), mapped.frames[k].joint_error, 1e-6);
  }
}

TEST_F(MotionOntoBobbin, ABodyTwiceAsLargeMovesAsTheCharacterItselfWould) {
  const Character large = to_character(captured(2));
  const JointMotion own = joint_motion(*character_, *model_, *character_, *character_->clip("Hop"), {.rate = 15});
  const JointMotion carried = joint_motion(*character_, *model_, large, large.clips.front(), {.rate = 15});
  EXPECT_TRUE(carried.carried);
  ASSERT_EQ(carried.X.cols(), own.X.cols());
  EXPECT_LT((carried.X - own.X).cwiseAbs().maxCoeff(), 1e-3 * model_->size());
}

TEST_F(MotionOntoBobbin, NamesTheJointThatAMotionLacks) {
  BvhMotion motion = captured(1);
  for (BvhJoint& joint : motion.joints)
    if (joint.name == "tail_03") joint.name = "somebody_else";
  try {
    map_joints_by_name(*character_, model_->features().names(), to_character(motion));
    FAIL() << "a joint is missing";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("tail_03"), std::string::npos) << error.what();
  }
}

TEST_F(MotionOntoBobbin, AJointOfAnotherNameIsFoundByItsPlace) {
  BvhMotion motion = captured(1.1);
  for (BvhJoint& joint : motion.joints)
    if (joint.name == "head") joint.name = "box";
  const Character other = to_character(motion);
  const JointMotion found = joint_motion(*character_, *model_, other, other.clips.front(), {.rate = 15});
  const auto head = std::ranges::find(character_->bones, "head", &Bone::name) - character_->bones.begin();
  const JointMatch& match = *found.mapping.of(static_cast<int>(head));
  EXPECT_EQ(other.bones[static_cast<std::size_t>(match.source)].name, "box");
  EXPECT_LT(match.sure, 0.7);
}

TEST_F(MotionOntoBobbin, RefusesFramesThatAreNotFinite) {
  JointMotion motion = joint_motion(*character_, *model_, *character_, *character_->clip("Hop"), {.rate = 15});
  motion.X(4, 3) = NAN;
  EXPECT_THROW(map_motion(*character_, *model_, motion), Error);
  motion.joints.pop_back();
  EXPECT_THROW(map_motion(*character_, *model_, motion), Error);
}

}  // namespace
}  // namespace rigspace
