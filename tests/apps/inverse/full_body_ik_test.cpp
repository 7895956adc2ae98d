#include "rigspace/apps/inverse/full_body_ik.h"

#include "rigspace/apps/inverse/joint_mapping.h"
#include "rigspace/base/error.h"
#include "support/human_motion.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace::full_body_ik_test {
namespace {

class FullBody : public ::testing::Test {
 protected:
  FullBody() {
    BvhMotion motion = testing::human_motion(testing::kMixamoNames, 12);
    for (int k = 0; k < 12; ++k)
      for (const int joint : {7, 8, 11, 12, 14, 15, 18, 19})
        motion.frames(testing::rotation_row(joint) + 1, k) = 15 * std::sin(0.5 * k + joint);
    character_ = to_character(motion);
    model_ = std::make_unique<InverseModel>(
        character_, InverseTraining{.joints = body_features(character_), .all_rotations = true});
  }
  int bone(std::string_view name) const {
    return static_cast<int>(std::ranges::find(character_.bones, name, &Bone::name) - character_.bones.begin());
  }
  Character character_;
  std::unique_ptr<InverseModel> model_;
};

TEST_F(FullBody, ADraggedHandGoesWhereItIsDraggedAndTheFeetStay) {
  const std::vector<std::string> effectors = body_effectors(character_);
  ASSERT_EQ(effectors,
            (std::vector<std::string>{"mixamorig:Hips", "mixamorig:Spine2", "mixamorig:Head", "mixamorig:LeftHand",
                                      "mixamorig:RightHand", "mixamorig:LeftFoot", "mixamorig:RightFoot"}));
  FullBodyIk ik(character_, *model_, effectors);
  const Vec3 hand = ik.place(3), goal = hand + Vec3(-0.25, -0.3, 0.3);
  for (const int free : {0, 1, 2}) ik.release(free);
  const InversePose* pose = nullptr;
  Vec3 before = hand;
  double longest = 0;
  for (int k = 1; k <= 20; ++k) {
    ik.drag(3, hand + (goal - hand) * (k / 20.0));
    pose = &ik.update();
    longest = std::max(longest, (ik.place(3) - before).norm());
    before = ik.place(3);
  }
  EXPECT_LT(longest, 2.5 * (goal - hand).norm() / 20) << "no jumps on the way";
  for (int k = 0; k < 10; ++k) pose = &ik.update();
  EXPECT_LT(ik.residual(), 5e-3);
  // The rig itself, not only the skeleton.
  const std::vector<Affine> world = bone_transforms(character_, pose->p),
                            rest = bone_transforms(character_, character_.rig->rest());
  EXPECT_LT((translation(world[static_cast<std::size_t>(bone("mixamorig:LeftHand"))]) - goal).norm(), 0.02);
  for (const char* foot : {"mixamorig:LeftFoot", "mixamorig:RightFoot"})
    EXPECT_LT((translation(world[static_cast<std::size_t>(bone(foot))]) -
               translation(rest[static_cast<std::size_t>(bone(foot))]))
                  .norm(),
              0.02);
}

TEST_F(FullBody, ATargetOutOfReachStretchesTheBodyAndNothingBreaks) {
  FullBodyIk ik(character_, *model_, body_effectors(character_));
  ik.drag(3, Vec3(5, 5, 5));
  for (int k = 0; k < 10; ++k) EXPECT_TRUE(ik.update().p.allFinite());
  EXPECT_GT(ik.residual(), 0.5);
  ik.set_pose(character_.rig->rest());
  EXPECT_LT(ik.update().joint_error, 1e-3);
}

// Fingers and twists that the effectors leave open stay as the animator had them, too, and what is dragged and brought
// back leaves the pose as it was.
TEST_F(FullBody, APostureStaysAsItIsUntilAnEffectorMoves) {
  const Animation& clip = character_.clips.front();
  Vec p = character_.rig->rest();
  Sampler(clip, character_.rig->controls()).sample(0.6 * clip.duration, p);
  const int twist = find_control(character_.rig->controls(), "mixamorig:LeftForeArm.ry");
  ASSERT_GE(twist, 0);
  p[twist] += 0.3;  // nothing that the clip has
  FullBodyIk ik(character_, *model_, body_effectors(character_));
  ik.set_pose(p);
  const PoseCoordinates& coordinates = model_->coordinates();
  const auto off = [&] { return (coordinates.on_top_of(p, ik.update().p) - p).cwiseAbs().maxCoeff(); };
  EXPECT_LT(off(), 1e-4);
  const Vec3 hand = ik.place(3);
  ik.drag(3, hand + Vec3(0.1, 0.1, 0.1));
  EXPECT_GT(off(), 0.05);
  ik.drag(3, hand);
  double left = 0;
  for (int k = 0; k < 40; ++k) left = off();
  EXPECT_LT(left, 0.02);
}

TEST_F(FullBody, RefusesEffectorsThatTheModelLacks) {
  EXPECT_THROW(FullBodyIk(character_, *model_, std::vector<std::string>{"tail"}), Error);
  FullBodyIk ik(character_, *model_, body_effectors(character_));
  EXPECT_THROW(ik.drag(0, Vec3::Constant(NAN)), Error);
}

}  // namespace
}  // namespace rigspace::full_body_ik_test
