// Motions whose axes or rest pose are others: what they do is the same.

#include "rigspace/apps/inverse/source_body.h"

#include "rigspace/apps/inverse/map_motion.h"
#include "support/other_axes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace::source_body_test {
namespace {

using testing::human_motion;
using testing::rotation_row;

/// Arms come down from the T pose to the sides, stay there, and a leg swings.
BvhMotion lowering_arms() {
  BvhMotion motion = human_motion(testing::kMixamoNames, 12);
  for (int k = 0; k < 12; ++k) {
    const double down = std::min(75.0, 15.0 * k);
    motion.frames(rotation_row(7), k) = -down, motion.frames(rotation_row(11), k) = down;
    motion.frames(rotation_row(14) + 1, k) = k > 6 ? 6 * (6 - k) : 0;
    motion.frames(2, k) += 0.05 * k;
  }
  return motion;
}

class OtherAxes : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    hero_ = new Character(to_character(human_motion(testing::kMixamoNames, 1, 0.6, 0.7)));
    hero_->clips.clear();
    model_ = new InverseModel(*hero_, {.joints = body_features(*hero_), .all_rotations = true});
  }
  static void TearDownTestSuite() {
    delete model_;
    delete hero_;
  }
  static JointMotion carried(const BvhMotion& motion, const JointMotionOptions& options = {.plant_feet = false}) {
    const Character source = to_character(motion);
    return joint_motion(*hero_, *model_, source, source.clips.front(), options);
  }
  static inline Character* hero_ = nullptr;
  static inline InverseModel* model_ = nullptr;
};

TEST_F(OtherAxes, ZUpIsTheSameMotionTurned) {
  const JointMotion plain = carried(lowering_arms()), turned = carried(testing::with_z_up(lowering_arms()));
  EXPECT_FALSE(turned.mapping.source.upright.isIdentity(0));
  EXPECT_TRUE(plain.mapping.source.upright.isIdentity(0));
  EXPECT_LT((plain.X - turned.X).cwiseAbs().maxCoeff(), 1e-6);
}

TEST_F(OtherAxes, ARestPoseThatIsNoneIsReplacedByAPoseOfTheClip) {
  const BvhMotion plain = lowering_arms(), odd = testing::resting_along_x(plain);
  EXPECT_FALSE(find_body_joints(to_character(odd)).found());
  const JointMotion there = carried(odd);
  EXPECT_GE(there.mapping.source.reference_time, 0);
  // Arms lowered straight keep their twist, so the pose of that moment serves as well as a T pose.
  EXPECT_LT((carried(plain).X - there.X).cwiseAbs().maxCoeff(), 0.01 * model_->size());
  const JointMotion given = carried(odd, {.plant_feet = false, .reference_time = 0});
  EXPECT_EQ(given.mapping.source.reference_time, 0);
  EXPECT_LT((carried(plain).X - given.X).cwiseAbs().maxCoeff(), 1e-3 * model_->size());
}

TEST_F(OtherAxes, AMotionWithoutAnyStandingBodyIsNotGuessed) {
  BvhMotion lying = testing::resting_along_x(human_motion(testing::kMixamoNames, 3));
  lying.frames.setZero();
  EXPECT_FALSE(find_source_body(to_character(lying), &to_character(lying).clips.front()).body.found());
}

}  // namespace
}  // namespace rigspace::source_body_test
