// Flesh as morph targets: what joints that only shift would do.

#include "rigspace/apps/physics/soft_form.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"
#include "rigspace/rig/built_in_rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

namespace rigspace::soft_morphs_test {
namespace {

constexpr double kRate = 30;  // keys a second

std::vector<Part> belly_of(const Character& character) {
  std::vector<Part> parts = find_parts(character);
  std::erase_if(parts, [](const Part& part) { return part.name != "belly"; });
  return parts;
}

/// Bobbin as a file, his belly alone, and its motion in his walk.
struct Walked {
  GltfFile file{to_glb(make_character("bobbin")), "bobbin.glb"};
  Softened soft;
  Character morphs;
  SoftMotion motion;

  Walked() {
    const Character& bobbin = file.character();
    soft = soften_as(SoftForm::morphs, bobbin, belly_of(bobbin), {.max_per_part = 4});
    morphs = with_soft_morphs(bobbin, soft.joints);
    motion = simulate_parts(soft.character, walk(), soft.parts);
  }
  const Animation* walk() const { return file.character().clip("Walk"); }
};

const Walked& walked() {
  static const Walked once;
  return once;
}

Vec points_at(const Character& character, const Animation* clip, double time) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), pose_at(character, clip, time), s);
  return s;
}

const Bone& bone_named(const Character& character, const std::string& name) {
  return *std::find_if(character.bones.begin(), character.bones.end(),
                       [&](const Bone& bone) { return bone.name == name; });
}

/// Skins of which every point hangs on one more bone by a fiftieth, too little to be kept where places are few.
Character hung_on(const Character& character, const std::string& bone) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  const int slot = bone_named(character, bone).slot;
  std::vector<std::shared_ptr<const Deformer>> deformers(rig.deformers().begin(), rig.deformers().end());
  for (auto& deformer : deformers) {
    if (skin_description(*deformer) == nullptr) continue;
    SkinDescription skin = *skin_description(*deformer);
    const auto joint = std::find(skin.joint_slots.begin(), skin.joint_slots.end(), slot) - skin.joint_slots.begin();
    for (auto& influences : skin.influences) {
      for (Influence& influence : influences) influence.weight *= 0.98;
      influences.push_back({static_cast<int>(joint), 0.02});
    }
    deformer = make_linear_blend_skin(skin);
  }
  Character hung = character;
  hung.rig = std::make_shared<BuiltInRig>(rig.shared_graph(), rig.points_rest(), std::move(deformers));
  return hung;
}

/// A joint that takes half of what a bone holds, at the points of which it holds more than nine tenths.
SoftJoints halves_of(const Character& character, const std::string& name) {
  const Bone& bone = bone_named(character, name);
  SoftJoints soft{.joints = {{.name = "soft", .parent = static_cast<int>(&bone - character.bones.data())}}};
  std::vector<char> held(character.rig->point_count(), 0);
  for (const auto& deformer : dynamic_cast<const BuiltInRig&>(*character.rig).deformers())
    if (const SkinDescription* skin = skin_description(*deformer))
      for (std::size_t k = 0; k < skin->influences.size(); ++k)
        for (const Influence& influence : skin->influences[k])
          if (skin->joint_slots[influence.joint] == bone.slot && influence.weight > 0.9)
            held[skin->first_point + k] = 1;
  soft.start = {0};
  for (const char each : held) {
    if (each != 0) soft.joint.push_back(0), soft.share.push_back(0.5);
    soft.start.push_back(static_cast<int>(soft.joint.size()));
  }
  return soft;
}

/// The distance of each two points.
Vec apart(const Vec& a, const Vec& b) { return (a - b).reshaped(3, a.size() / 3).colwise().norm().transpose(); }

/// For each point, whether a single bone holds it.
std::vector<bool> held_by_one(const Character& character) {
  std::vector<bool> alone(character.rig->point_count(), false);
  for (const auto& deformer : dynamic_cast<const BuiltInRig&>(*character.rig).deformers())
    if (const SkinDescription* skin = skin_description(*deformer))
      for (std::size_t k = 0; k < skin->influences.size(); ++k) {
        int count = 0;
        for (const Influence& influence : skin->influences[k]) count += influence.weight != 0 ? 1 : 0;
        alone[skin->first_point + k] = count == 1;
      }
  return alone;
}

TEST(SoftMorphs, NeedJointsThatShiftAndDoNotTurn) {
  const Walked& w = walked();
  ASSERT_FALSE(w.soft.joints.joints.empty());
  EXPECT_EQ(w.motion.controls.size(), 3 * w.soft.joints.joints.size());
  for (const int control : w.motion.controls) EXPECT_EQ(w.soft.character.rig->controls()[control].unit, Unit::length);
  EXPECT_EQ(w.motion.failed_steps, 0);
  // 4 to 8 % of its size (docs/default-look.md, "amplitude"), which the search meets within a few percent.
  EXPECT_GT(w.motion.parts[0].swing, 0.035);
  EXPECT_LT(w.motion.parts[0].swing, 0.085);
}

TEST(SoftMorphs, MoveTheRestPoseAsTheJointsDo) {
  const Walked& w = walked();
  const Animation joints = soft_clip(w.soft.character, nullptr, w.motion, kRate);
  const Animation morphs = morph_clip(w.soft, w.morphs, nullptr, w.motion, kRate);
  const Vec rest = points_at(w.morphs, nullptr, 0);
  double moved = 0, difference = 0;
  for (const double time : {0.1, 0.25, 0.4, 0.8}) {
    const Vec expected = points_at(w.soft.character, &joints, time);
    moved = std::max(moved, apart(expected, rest).maxCoeff());
    difference = std::max(difference, apart(points_at(w.morphs, &morphs, time), expected).maxCoeff());
  }
  EXPECT_GT(moved, 0.005);       // m, of a creature of 1.2 m
  EXPECT_LT(difference, 1e-12);  // the same sums in another order
}

TEST(SoftMorphs, MoveEveryPoseAsTheJointsDoWhereOneBoneHoldsTheSkin) {
  const Walked& w = walked();
  const Animation joints = soft_clip(w.soft.character, w.walk(), w.motion, kRate);
  const Animation morphs = morph_clip(w.soft, w.morphs, w.walk(), w.motion, kRate);
  const std::vector<bool> alone = held_by_one(w.file.character());
  double moved_alone = 0, alone_difference = 0, moved = 0, difference = 0;
  for (int k = 0; k < 30; ++k) {
    const double time = k / kRate;
    const Vec expected = points_at(w.soft.character, &joints, time);
    const Vec deviation = apart(expected, points_at(w.soft.character, w.walk(), time));
    const Vec error = apart(points_at(w.morphs, &morphs, time), expected);
    for (Eigen::Index i = 0; i < error.size(); ++i) {
      moved = std::max(moved, deviation[i]), difference = std::max(difference, error[i]);
      if (!alone[i]) continue;
      moved_alone = std::max(moved_alone, deviation[i]), alone_difference = std::max(alone_difference, error[i]);
    }
  }
  EXPECT_GT(moved_alone, 0.1 * moved);
  EXPECT_LT(alone_difference, 1e-12);
  // Elsewhere the shift turns with the blend of bones: an error of first order in the angle between these, here 2 %.
  EXPECT_LT(difference, 0.05 * moved);
}

TEST(SoftMorphs, KeyAllMeshNodesAlikeAndCloseTheLoopToTheBit) {
  const Walked& w = walked();
  ASSERT_TRUE(w.motion.looped);
  const Animation clip = morph_clip(w.soft, w.morphs, w.walk(), w.motion, kRate);
  std::set<std::string> keyed;
  for (const Track& track : clip.tracks) {
    if (track.control.find(":soft_") == std::string::npos) continue;
    keyed.insert(track.control);
    EXPECT_EQ(track.curve.values.front(), track.curve.values.back()) << track.control;
  }
  std::size_t expected = 0;
  for (const SoftJoint& joint : w.soft.joints.joints) {
    const std::vector<std::string> controls = morph_controls(w.morphs, joint);
    EXPECT_FALSE(controls.empty());
    EXPECT_EQ(controls.size() % 3, 0u);
    expected += controls.size();
    for (const std::string& control : controls) EXPECT_TRUE(keyed.contains(control)) << control;
  }
  EXPECT_EQ(keyed.size(), expected);
}

TEST(SoftMorphs, AreTheSameOutOfAFile) {
  const Walked& w = walked();
  GltfFile file(to_glb(make_character("bobbin")), "bobbin.glb");
  const Animation clip = morph_clip(w.soft, w.morphs, w.walk(), w.motion, kRate);
  file.add_soft_morphs(w.soft.joints);
  file.add_animation(clip);
  const Character written = load_gltf(file.to_glb(), "soft.glb");
  const Animation* soft = written.clip("Walk_soft");
  ASSERT_NE(soft, nullptr);
  EXPECT_EQ(written.bones.size(), w.file.character().bones.size());
  for (const double time : {0.0, 0.2, 0.55, 1.0}) {
    // Keys and offsets are float32: 6e-8 of lengths below 2 m, along chains of ten joints.
    EXPECT_LT(apart(points_at(written, soft, time), points_at(w.morphs, &clip, time)).maxCoeff(), 5e-6);
    EXPECT_EQ(points_at(written, written.clip("Walk"), time), points_at(w.file.character(), w.walk(), time));
  }
  int keyed = 0;
  for (const Track& track : soft->tracks) {
    if (track.control.find(":soft_") == std::string::npos) continue;
    EXPECT_EQ(track.curve.values.front(), track.curve.values.back()) << track.control;
    ++keyed;
  }
  EXPECT_GE(keyed, 3 * static_cast<int>(w.soft.joints.joints.size()));
}

TEST(SoftMorphs, RefuseATurn) {
  const Walked& w = walked();
  SoftMotion turning = w.motion;
  turning.controls[0] = w.soft.character.rig->find(w.soft.joints.joints[0].name + ".rx");
  EXPECT_THROW(morph_clip(w.soft, w.morphs, w.walk(), turning, kRate), Error);
}

TEST(SoftForm, IsJointsWhereTheseLeaveTheMutedSkinAlone) {
  const Character bobbin = make_character("bobbin");
  const auto parts = belly_of(bobbin);
  const Softened soft = soften_as(SoftForm::automatic, bobbin, parts, {.max_per_part = 4});
  EXPECT_FALSE(soft.morphs);
  EXPECT_TRUE(soft.parts[0].flesh->turns);
  EXPECT_LT(muted_share(bobbin, soft), 1e-13);  // no weight was dropped: sums of four in another order
}

TEST(SoftForm, IsMorphsWhereJointsWouldChangeTheMutedSkin) {
  const Character bobbin = make_character("bobbin");
  const auto parts = belly_of(bobbin);
  const Character hung = hung_on(bobbin, "hand_l");
  Softened soft{.joints = halves_of(hung, "pelvis")};
  ASSERT_FALSE(soft.joints.share.empty());
  soft.character = with_soft_joints(hung, soft.joints, 1);
  EXPECT_GT(muted_share(hung, soft), SoftenOptions().muted_tolerance);
  // Flesh gives joints up rather than bones.
  EXPECT_LT(muted_share(hung, soften(hung, belly_of(hung), {.max_per_part = 4})), 1e-13);

  const Softened strict = soften_as(SoftForm::automatic, bobbin, parts, {.max_per_part = 4, .muted_tolerance = 0});
  EXPECT_TRUE(strict.morphs);  // rounding is more than nothing
  EXPECT_FALSE(strict.parts[0].flesh->turns);
  EXPECT_NE(strict.notes.back().find("morph targets take their place"), std::string::npos);
}

}  // namespace
}  // namespace rigspace::soft_morphs_test
