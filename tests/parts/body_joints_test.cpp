#include "rigspace/parts/body_joints.h"

#include "rigspace/base/affine.h"
#include "rigspace/base/error.h"
#include "rigspace/io/formats.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"
#include "support/assets.h"
#include "support/human_motion.h"

#include <gtest/gtest.h>

#include <map>

namespace rigspace::body_joints_test {
namespace {

using enum BodyRole;
using testing::HumanNames;

/// What each joint of human_motion is.
std::vector<std::string> expected() {
  std::vector<std::string> roles = {"hips", "spine 1", "spine 2", "spine 3", "neck 1", "head"};
  for (const std::string side : {"left ", "right "})
    for (const char* part : {"clavicle", "upper arm", "forearm", "hand"}) roles.push_back(side + part);
  for (const std::string side : {"left ", "right "})
    for (const char* part : {"thigh", "shin", "foot", "toe"}) roles.push_back(side + part);
  return roles;
}

std::vector<std::string> roles_of(const BodyJoints& body, int bones) {
  std::vector<std::string> roles;
  for (int b = 0; b < bones; ++b) {
    const BodyJoint* joint = body.of_bone(b);
    roles.push_back(joint != nullptr ? describe(*joint) : "");
  }
  return roles;
}

/// "Bip01 ?" with L and R for the question mark, and middle names.
HumanNames spelled(const std::array<std::string, 6>& middle, const std::array<std::string, 8>& sided,
                   const std::string& l, const std::string& r) {
  HumanNames names;
  std::copy(middle.begin(), middle.end(), names.begin());
  const auto put = [](std::string text, const std::string& side) { return text.replace(text.find('?'), 1, side); };
  for (std::size_t k = 0; k < 4; ++k) {
    names[6 + k] = put(sided[k], l), names[10 + k] = put(sided[k], r);
    names[14 + k] = put(sided[4 + k], l), names[18 + k] = put(sided[4 + k], r);
  }
  return names;
}

std::map<std::string, HumanNames> spellings() {
  return {
      {"Mixamo", testing::kMixamoNames},
      {"Unreal", spelled({"pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "head"},
                         {"clavicle_?", "upperarm_?", "lowerarm_?", "hand_?", "thigh_?", "calf_?", "foot_?", "ball_?"},
                         "l", "r")},
      {"Rigify",
       spelled({"DEF-spine", "DEF-spine.001", "DEF-spine.002", "DEF-spine.003", "DEF-spine.004", "DEF-spine.006"},
               {"DEF-shoulder.?", "DEF-upper_arm.?", "DEF-forearm.?", "DEF-hand.?", "DEF-thigh.?", "DEF-shin.?",
                "DEF-foot.?", "DEF-toe.?"},
               "L", "R")},
      {"VRM",
       spelled({"J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest", "J_Bip_C_Neck", "J_Bip_C_Head"},
               {"J_Bip_?_Shoulder", "J_Bip_?_UpperArm", "J_Bip_?_LowerArm", "J_Bip_?_Hand", "J_Bip_?_UpperLeg",
                "J_Bip_?_LowerLeg", "J_Bip_?_Foot", "J_Bip_?_ToeBase"},
               "L", "R")},
      {"Biped", spelled({"Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine1", "Bip01 Spine2", "Bip01 Neck", "Bip01 Head"},
                        {"Bip01 ? Clavicle", "Bip01 ? UpperArm", "Bip01 ? Forearm", "Bip01 ? Hand", "Bip01 ? Thigh",
                         "Bip01 ? Calf", "Bip01 ? Foot", "Bip01 ? Toe0"},
                        "L", "R")},
      {"Daz", spelled({"hip", "abdomen", "abdomen2", "chest", "neck", "head"},
                      {"?Collar", "?Shldr", "?ForeArm", "?Hand", "?Thigh", "?Shin", "?Foot", "?Toe"}, "l", "r")},
      {"SMPL",
       spelled({"Pelvis", "Spine1", "Spine2", "Spine3", "Neck", "Head"},
               {"?_Collar", "?_Shoulder", "?_Elbow", "?_Wrist", "?_Hip", "?_Knee", "?_Ankle", "?_Foot"}, "L", "R")},
      {"nameless",
       [] {
         HumanNames names;
         for (std::size_t k = 0; k < names.size(); ++k) names[k] = "Bone." + std::to_string(k + 1);
         return names;
       }()},
  };
}

TEST(BodyJoints, AreFoundInManySpellingsAndWithoutNames) {
  for (const auto& [spelling, names] : spellings()) {
    const Character human = to_character(testing::human_motion(names, 0));
    const BodyJoints body = find_body_joints(human);
    // Bones of a BVH file are in its order, end sites behind.
    EXPECT_EQ(roles_of(body, 22), expected()) << spelling;
    const BodyJoint* knee = body.find(shin, 'l');
    ASSERT_NE(knee, nullptr) << spelling;
    EXPECT_GT(knee->sure(), spelling == "nameless" ? 0.4 : 0.8) << spelling;
    EXPECT_LT(knee->sure(), spelling == "nameless" ? 0.7 : 1) << spelling;
  }
}

TEST(BodyJoints, SegmentsOfABoneAreNoBonesOfTheirOwn) {
  // As Rigify's deforming bones: DEF-thigh.L, DEF-thigh.L.001, DEF-shin.L, DEF-shin.L.001, DEF-foot.L.
  BvhMotion motion = testing::human_motion(spellings()["Rigify"], 0);
  for (const std::string bone : {"thigh", "shin", "upper_arm", "forearm"})
    for (const std::string side : {"L", "R"}) {
      const std::string name = "DEF-" + bone + "." + side;
      const auto above = std::ranges::find(motion.joints, name, &BvhJoint::name) - motion.joints.begin();
      for (BvhJoint& each : motion.joints) each.parent += each.parent > above;
      BvhJoint& below = *std::ranges::find(motion.joints, static_cast<int>(above), &BvhJoint::parent);
      BvhJoint segment = motion.joints[static_cast<std::size_t>(above)];
      segment.name += ".001", segment.parent = static_cast<int>(above), segment.offset = 0.5 * below.offset;
      below.offset *= 0.5, below.parent = static_cast<int>(above) + 1;
      motion.joints.insert(motion.joints.begin() + above + 1, segment);
    }
  motion.frames = Mat(93, 0);
  const Character human = to_character(motion);
  const BodyJoints body = find_body_joints(human);
  for (const auto& [role, side, name] : {std::tuple(thigh, 'l', "DEF-thigh.L"),
                                         {shin, 'l', "DEF-shin.L"},
                                         {foot, 'r', "DEF-foot.R"},
                                         {upper_arm, 'r', "DEF-upper_arm.R"},
                                         {forearm, 'l', "DEF-forearm.L"},
                                         {hand, 'l', "DEF-hand.L"}}) {
    const BodyJoint* found = body.find(role, side);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(human.bones[static_cast<std::size_t>(found->bone)].name, name);
  }
}

TEST(BodyJoints, WithoutNamesTheSidesFollowFromWhereTheToesPoint) {
  BvhMotion motion = testing::human_motion(spellings()["nameless"], 0);
  for (BvhJoint& joint : motion.joints) joint.offset = Vec3(-joint.offset.x(), joint.offset.y(), -joint.offset.z());
  EXPECT_EQ(roles_of(find_body_joints(to_character(motion)), 22), expected());
}

TEST(BodyJoints, RefusesAForearmAboveItsUpperArm) {
  HumanNames names = testing::kMixamoNames;
  std::swap(names[7], names[8]);
  const Character human = to_character(testing::human_motion(names, 0));
  try {
    find_body_joints(human);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("LeftArm\" hangs below \"mixamorig:LeftForeArm"), std::string::npos)
        << error.what();
  }
}

struct RealBody {
  const char* file;
  std::map<std::string, std::string> joints;  // by eye
};

TEST(BodyJoints, OfRealCharacters) {
  const RealBody bodies[] = {
      {"khr_CesiumMan/CesiumMan.glb",
       {{"hips", "Skeleton_torso_joint_1"},
        {"spine 1", "Skeleton_torso_joint_2"},
        {"spine 2", "torso_joint_3"},
        {"neck 1", "Skeleton_neck_joint_1"},
        {"head", "Skeleton_neck_joint_2"},
        {"left upper arm", "Skeleton_arm_joint_L__4_"},
        {"left hand", "Skeleton_arm_joint_L__2_"},
        {"right shin", "leg_joint_R_2"},
        {"right toe", "leg_joint_R_5"}}},
      {"gdquest_mannequiny/mannequiny-0.3.0.glb",
       {{"hips", "pelvis"},
        {"neck 1", "neck_01"},
        {"left clavicle", "clavicle.l"},
        {"left hand", "hand.l"},
        {"right toe", "ball.r"},
        {"right index finger 3", "index_03.r"}}},
      {"kaykit_Knight/Knight.glb",
       {{"hips", "hips"},
        {"spine 2", "chest"},
        {"head", "head"},
        {"left upper arm", "upperarm.l"},
        {"left hand", "wrist.l"},
        {"right foot", "foot.r"},
        {"right toe", "toes.r"}}},
      {"three_RobotExpressive/RobotExpressive.glb",
       {{"hips", "Body"},
        {"spine 3", "Torso#2"},
        {"left clavicle", "Shoulder.L"},
        {"left forearm", "LowerArm.L"},
        {"right foot", "Foot.R"},
        {"head", "Head"}}},
      {"rocketbox_Female_Adult_01/Female_Adult_01_facial_wave.glb",
       {{"hips", "Bip01 Pelvis"},
        {"spine 3", "Bip01 Spine2"},
        {"neck 1", "Bip01 Neck"},
        {"left clavicle", "Bip01 L Clavicle"},
        {"right toe", "Bip01 R Toe0"},
        {"left little finger 2", "Bip01 L Finger41"}}},
      {"makehuman_female_dressed/mh_female.glb",
       {{"hips", "Hips"},
        {"spine 1", "LowerBack"},
        {"neck 2", "Neck1"},
        {"left thigh", "LeftUpLeg"},
        {"right hand", "RightHand"}}},
      {"cmu_bvh_dev/02_01.bvh",
       {{"hips", "Hips"},
        {"spine 3", "Spine1"},
        {"neck 2", "Neck1"},
        {"left thigh", "LeftUpLeg"},
        {"right hand", "RightHand"}}},
      {"census/KnightCharacter.glb",
       {{"hips", "Body"},
        {"spine 1", "Hips"},
        {"left hand", "Palm.L"},
        {"left foot", "Foot.L"},
        {"right shin", "LowerLeg.R"}}},
      {"census/RiggedFigure.glb",
       {{"hips", "torso_joint_1"},
        {"left upper arm", "arm_joint_L_1"},
        {"right hand", "arm_joint_R_3"},
        {"head", "neck_joint_2"}}},
  };
  for (const RealBody& each : bodies) {
    RIGSPACE_ASSET_OR_SKIP(path, each.file);
    const Character character = load_character(path);
    const BodyJoints body = find_body_joints(character);
    std::map<std::string, std::string> found;
    for (const BodyJoint& joint : body.joints)
      found[describe(joint)] = character.bones[static_cast<std::size_t>(joint.bone)].name;
    for (const auto& [role, bone] : each.joints) EXPECT_EQ(found[role], bone) << each.file << ": " << role;
  }
  for (const char* file : {"khr_Fox/Fox.glb", "census/Spider.glb", "census/Stag.glb", "census/Snake.glb"}) {
    RIGSPACE_ASSET_OR_SKIP(path, file);
    EXPECT_FALSE(find_body_joints(load_character(path)).found()) << file;
  }
}

TEST(ReferencePose, IsThatOfTheSkinWhereTheFileRestsInAnother) {
  RIGSPACE_ASSET_OR_SKIP(path, "gdquest_mannequiny/mannequiny-0.3.0.glb");
  const Character mannequin = load_character(path);
  const ReferencePose pose = reference_pose(mannequin);
  EXPECT_TRUE(pose.from_skin);
  const auto at = [&](const char* name) -> Vec3 {
    const auto bone = std::ranges::find(mannequin.bones, name, &Bone::name);
    return translation(pose.world[static_cast<std::size_t>(bone - mannequin.bones.begin())]);
  };
  // The file rests in a kick; the skin was bound standing.
  EXPECT_NEAR(at("foot.l").y(), at("foot.r").y(), 1e-4);
  EXPECT_NEAR(at("foot.l").x(), -at("foot.r").x(), 1e-4);
  EXPECT_LT(at("ball.l").y(), 0.05);
}

TEST(ReferencePose, IsTheRestPoseOfASkinThatWasBoundAsItStandsInTheScene) {
  // Below a node that turns Z up into Y up, whose axes the skin does not have.
  auto graph = std::make_shared<ControlGraph>();
  const Quat up(Eigen::AngleAxisd(-M_PI / 2, Vec3::UnitX()));
  const int top = add_node(*graph, {.name = "Z_UP", .rotation = up});
  const int root = add_node(*graph, {.name = "root", .parent_slot = top, .translation = Vec3(0, 0, 1)});
  const int tip = add_node(*graph, {.name = "tip", .parent_slot = root, .translation = Vec3(0, 0, 1)});
  SkinDescription skin{.joint_slots = {root, tip}, .influences = {{{0, 1.0}}, {{1, 1.0}}}};
  for (const double height : {1.0, 2.0}) {
    Affine world = identity_affine();
    linear(world) = up.toRotationMatrix(), translation(world) = Vec3(0, height, 0);
    skin.inverse_bind.push_back(inverse(world));
  }
  Character character;
  character.bones = {{"root", -1, root}, {"tip", 0, tip}};
  character.rig = std::make_shared<BuiltInRig>(
      graph, Vec((Vec(6) << 0, 1, 0, 0, 2, 0).finished()),
      std::vector<std::shared_ptr<const Deformer>>{std::shared_ptr<const Deformer>(make_linear_blend_skin(skin))});
  EXPECT_FALSE(reference_pose(character).from_skin);
}

}  // namespace
}  // namespace rigspace::body_joints_test
