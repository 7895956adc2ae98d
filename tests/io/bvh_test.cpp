#include "rigspace/io/bvh.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/gltf.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace rigspace::bvh_test {
namespace {

BvhMotion read(const std::string& text, const std::string& name = "walk.bvh") {
  return read_bvh(std::as_bytes(std::span(text.data(), text.size())), name);
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    EXPECT_FALSE(error.info().remedy.empty()) << error.what();
    return error.what();
  }
  return "";
}

/// A hip with two legs; orders that differ, positions on a leg, CRLF, tabs, a brace on the line of its joint.
const std::string kSmall =
    "HIERARCHY\r\nROOT Hips\r\n{\r\n  OFFSET 0.0 1.0 0.0\r\n"
    "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\r\n"
    "  JOINT Left Leg {\n\tOFFSET\t0.5 -0.25 0\n\tCHANNELS 3 Yrotation Xrotation Zrotation\n"
    "\tJOINT Knee\n\t{\n\tOFFSET 0 -1.5 0.125\n"
    "\tCHANNELS 6 Xrotation Yposition Zrotation Xposition Yrotation Zposition\n"
    "\tEnd Site\n\t{ OFFSET 0 -1 0.5 }\n\t}\n\t}\n"
    "  JOINT RightLeg\n{\nOFFSET -0.5 -0.25 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    "End Site\n{\nOFFSET 0 -2 0\n}\n}\n}\n"
    "MOTION\nFrames: 3\nFrame Time: .0083333\n"
    "0 1 0 0 0 0  0 0 0  0 -1.5 0 0 0 0.125  0 0 0\n"
    "0.5 1.25 -2 30 -20 190  80 15 -5  10 -1.25 20 0.5 30 0.25  -70 +40 1e1\n\n"
    "1 1.5 -4 60 -40 380  160 30 -10  20 -1 40 1 60 0.5  -140 80 20\n\n";

/// A second opinion: products of 4x4 matrices straight from the channels' words, nothing shared with the library.
class Evaluator {
 public:
  explicit Evaluator(const BvhMotion& motion) : motion_(motion) {}

  std::vector<Vec3> places(Eigen::Index frame) const {
    std::vector<Mat4> world;
    std::vector<Vec3> result;
    Eigen::Index row = 0;
    for (const BvhJoint& joint : motion_.joints) {
      Vec3 t = joint.offset;
      Mat4 R = Mat4::Identity();
      for (const BvhChannel channel : joint.channels) {
        const double value = motion_.frames(row++, frame);
        switch (channel) {
          case BvhChannel::x_position: t.x() = value; break;
          case BvhChannel::y_position: t.y() = value; break;
          case BvhChannel::z_position: t.z() = value; break;
          case BvhChannel::x_rotation: R = R * turn(1, 2, value); break;
          case BvhChannel::y_rotation: R = R * turn(2, 0, value); break;
          case BvhChannel::z_rotation: R = R * turn(0, 1, value); break;
        }
      }
      Mat4 local = R;
      local.block<3, 1>(0, 3) = t;
      world.push_back(joint.parent < 0 ? local : Mat4(world[joint.parent] * local));
      result.push_back(world.back().block<3, 1>(0, 3));
    }
    return result;
  }

 private:
  /// A turn in the plane of two axes, from the first to the second.
  static Mat4 turn(int from, int to, double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    Mat4 R = Mat4::Identity();
    R(from, from) = R(to, to) = std::cos(angle);
    R(to, from) = std::sin(angle);
    R(from, to) = -std::sin(angle);
    return R;
  }
  const BvhMotion& motion_;
};

/// Where the character's bones are at a time of its clip.
std::vector<Vec3> bone_places(const Character& character, double time) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  const auto workspace = rig.make_workspace();
  Vec u;
  rig.evaluate_slots(*workspace, pose_at(character, &character.clips.front(), time), u);
  std::vector<Vec3> result;
  for (const Bone& bone : character.bones)
    result.push_back(translation(transform_at(u, rig.graph().slots()[bone.slot])));
  return result;
}

/// The largest distance between a motion's joints by hand and a character's bones, over some frames.
double largest_distance(const BvhMotion& motion, const Character& character, int step = 1) {
  const Evaluator evaluator(motion);
  double largest = 0;
  for (Eigen::Index k = 0; k < motion.frames.cols(); k += step) {
    const std::vector<Vec3> by_hand = evaluator.places(k);
    const std::vector<Vec3> bones = bone_places(character, static_cast<double>(k) / motion.rate);
    EXPECT_EQ(by_hand.size(), bones.size());
    for (std::size_t j = 0; j < std::min(by_hand.size(), bones.size()); ++j)
      largest = std::max(largest, (by_hand[j] - bones[j]).norm());
  }
  return largest;
}

TEST(Bvh, ReadsAnyOrderOfChannelsAndWords) {
  const BvhMotion motion = read(kSmall);
  ASSERT_EQ(motion.joints.size(), 6u);
  EXPECT_EQ(motion.joints[1].name, "Left Leg");
  EXPECT_EQ(motion.joints[3].name, "Knee_end");
  EXPECT_TRUE(motion.joints[3].end_site);
  EXPECT_EQ(motion.joints[4].parent, 0);
  EXPECT_EQ(motion.frames.rows(), 18);
  EXPECT_EQ(motion.frames.cols(), 3);
  EXPECT_EQ(motion.frames(17, 1), 10);
}

TEST(Bvh, AFrameTimeThatWasRoundedIsTheRateBehindIt) {
  const auto rate_of = [](const std::string& time) {
    std::string text = kSmall;
    text.replace(text.find(".0083333"), 8, time);
    return read(text).rate;
  };
  EXPECT_EQ(rate_of(".0083333"), 120);
  EXPECT_EQ(rate_of("0.008333"), 120);
  EXPECT_EQ(rate_of("0.0333333"), 30);
  EXPECT_EQ(rate_of("0.033333334"), 30);
  EXPECT_EQ(rate_of("0.016666"), 60);  // cut, not rounded
  EXPECT_EQ(rate_of("0.0333667"), 30000.0 / 1001);
  EXPECT_EQ(rate_of("0.04"), 25);
  EXPECT_NEAR(rate_of("0.03450"), 1 / 0.0345, 1e-12);  // no rate that anyone uses: as it is
}

TEST(Bvh, JointsAreWhereTheirEulerAnglesPutThem) {
  const BvhMotion motion = read(kSmall);
  EXPECT_LT(largest_distance(motion, to_character(motion)), 1e-9);
}

TEST(Bvh, TheBodyFollowsItsBones) {
  const Character character = to_character(read(kSmall));
  EXPECT_EQ(character.clips.size(), 1u);
  EXPECT_EQ(character.clips[0].name, "walk");
  EXPECT_DOUBLE_EQ(character.clips[0].duration, 2.0 / 120);
  EXPECT_EQ(character.rig->point_count(), 5 * 24);  // five bones, eight flat faces each
  const TriMesh rest = rest_surface(character);
  EXPECT_GT(signed_volume(rest), 0);  // faces look outward
  // Rigid: edges keep their lengths in the last pose.
  const auto workspace = character.rig->make_workspace();
  Vec s;
  character.rig->evaluate(*workspace, pose_at(character, &character.clips[0], 1), s);
  for (const auto& triangle : rest.triangles)
    EXPECT_NEAR((point(s, triangle[0]) - point(s, triangle[1])).norm(),
                (point(rest.points, triangle[0]) - point(rest.points, triangle[1])).norm(), 1e-12);
}

TEST(Bvh, WritingWhatWasReadIsTheSameToTheBit) {
  const BvhMotion motion = read(kSmall), again = read(to_bvh(motion));
  EXPECT_TRUE(again.frames == motion.frames);
  EXPECT_EQ(again.rate, motion.rate);
  ASSERT_EQ(again.joints.size(), motion.joints.size());
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    EXPECT_EQ(again.joints[j].name, motion.joints[j].name);
    EXPECT_EQ(again.joints[j].channels, motion.joints[j].channels);
    EXPECT_TRUE(again.joints[j].offset == motion.joints[j].offset);
  }
  EXPECT_EQ(to_bvh(again), to_bvh(motion));
}

TEST(Bvh, ACharacterComesBackAndWritingAgainChangesNothing) {
  const Character character = to_character(read(kSmall));
  const BvhMotion motion = to_motion(character, character.clips[0]);
  EXPECT_EQ(motion.rate, 120);
  ASSERT_EQ(motion.joints.size(), character.bones.size());  // end sites are end sites again
  EXPECT_EQ(motion.joints[1].name, "Left_Leg");             // blanks end words in other programs
  EXPECT_EQ(motion.joints[1].channels.size(), 3u);
  EXPECT_EQ(motion.joints[2].channels.size(), 6u);  // it moves against its parent
  EXPECT_FALSE(motion.warnings.empty());
  EXPECT_LT(largest_distance(motion, character), 1e-6);
  const std::string text = to_bvh(motion);
  const Character again = to_character(read(text));
  EXPECT_EQ(to_bvh(to_motion(again, again.clips[0])), text);
}

TEST(Bvh, KeepsTheOrderOfAnotherFileOnRequest) {
  const BvhMotion source = read(kSmall);
  const Character character = to_character(source);
  const BvhMotion motion = to_motion(character, character.clips[0], {.like = &source});
  EXPECT_EQ(motion.joints[1].channels, source.joints[1].channels);
  EXPECT_EQ(motion.joints[0].channels, source.joints[0].channels);
  EXPECT_LT(largest_distance(motion, character), 1e-6);
}

TEST(Bvh, AnglesDoNotJumpByATurn) {
  const Character character = to_character(read(kSmall));
  const BvhMotion motion = to_motion(character, character.clips[0], {.fps = 480});
  // 190 degrees a frame of 120 Hz at most, the shorter way: at 480 Hz no step may be near a full turn.
  for (Eigen::Index k = 1; k < motion.frames.cols(); ++k)
    EXPECT_LT((motion.frames.col(k) - motion.frames.col(k - 1)).cwiseAbs().maxCoeff(), 180);
}

TEST(Bvh, GltfRigsWithScaledArmaturesComeOutInTheScenesAxes) {
  // An armature scaled by 100 and turned, joints with rotations at rest, and a keyed scale: only places count.
  ControlGraph graph;
  const int armature = add_node(
      graph,
      {.name = "armature", .rotation = Quat(Eigen::AngleAxisd(-0.7, Vec3::UnitX())), .scale = Vec3::Constant(0.01)});
  Character character{.name = "hero"};
  const Quat bent(Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()));
  int parent = armature;
  for (const char* name : {"hip", "knee", "foot"}) {
    parent = add_node(graph, {.name = name, .parent_slot = parent, .translation = Vec3(3, 40, 5), .rotation = bent});
    character.bones.push_back({.name = name, .parent = static_cast<int>(character.bones.size()) - 1, .slot = parent});
  }
  character.rig = std::make_shared<BuiltInRig>(std::make_shared<ControlGraph>(graph), Vec(),
                                               std::vector<std::shared_ptr<const Deformer>>{});
  Animation clip{.name = "Walk", .duration = 1};
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const char* name : {"hip", "knee", "foot"}) {
    RotationTrack track{.node = name};
    for (int k = 0; k <= 30; ++k) {
      track.times.push_back(k / 30.0);
      track.values.push_back((bent.coeffs() + 0.2 * Vec4(normal(random), normal(random), normal(random), 0)).eval());
    }
    clip.rotations.push_back(track);
  }
  clip.tracks.push_back({"knee.sx", {.times = {0, 1}, .values = {1, 2}}});
  character.clips.push_back(clip);
  const BvhMotion motion = to_motion(character, clip);
  ASSERT_EQ(motion.joints.size(), 4u);  // and an end site for the leaf
  const Evaluator evaluator(motion);
  for (Eigen::Index k = 0; k < motion.frames.cols(); ++k) {
    const std::vector<Vec3> by_hand = evaluator.places(k), bones = bone_places(character, static_cast<double>(k) / 30);
    for (std::size_t j = 0; j < bones.size(); ++j) EXPECT_LT((by_hand[j] - bones[j]).norm(), 1e-6);
  }
  EXPECT_EQ(motion.joints[1].channels.size(), 3u);
  EXPECT_EQ(motion.joints[2].channels.size(), 6u);  // the knee's scale carries the foot away
  // All zeros is the rest pose.
  BvhMotion rest = motion;
  rest.frames.setZero();
  for (int axis = 0; axis < 3; ++axis) {
    rest.frames(axis, 0) = motion.joints[0].offset[axis];
    rest.frames(9 + axis, 0) = motion.joints[2].offset[axis];
  }
  const std::vector<Vec3> zeros = Evaluator(rest).places(0);
  character.clips = {Animation{.name = "rest"}};
  const std::vector<Vec3> bones = bone_places(character, 0);
  for (std::size_t j = 0; j < bones.size(); ++j) EXPECT_LT((zeros[j] - bones[j]).norm(), 1e-6);
}

TEST(Bvh, WrongFilesGetOneClearSentence) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kSmall;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_EQ(refusal(changed("CHANNELS 3 Y", "CHANNELS 5 Y")),
            "walk.bvh:8: joint \"Left Leg\" has 5 channels; expected 3 or 6");
  EXPECT_EQ(refusal(changed("3 Yrotation X", "3 Yrotation Y")),
            "walk.bvh:8: joint \"Left Leg\" has the channel Yrotation twice; expected each once");
  EXPECT_EQ(refusal(changed("3 Yrotation", "3 Wrotation")),
            "walk.bvh:8: joint \"Left Leg\" has a channel \"Wrotation\"; expected Xposition .. Zrotation");
  EXPECT_EQ(
      refusal(changed("3 Yrotation", "3 Yposition")),
      "walk.bvh:8: joint \"Left Leg\" mixes positions and rotations in 3 channels; expected three of one kind, or 6");
  EXPECT_EQ(refusal(changed("Frames: 3", "Frames: 4")),
            "walk.bvh:35: MOTION ends after 3 of 4 frames; is the file whole?");
  EXPECT_EQ(refusal(changed("Frames: 3", "Frames: 2")),
            "walk.bvh:33: MOTION has more lines than the 2 frames it promises; correct Frames:, or remove them");
  EXPECT_EQ(refusal(changed("Frames: 3", "Frames: 30000000")),
            "walk.bvh:29: MOTION promises 30000000 frames; there is not as much in the file");
  EXPECT_EQ(refusal(changed("-70 +40 1e1", "-70 +40")),
            "walk.bvh:31: frame 2 has 17 numbers; expected 18, one per channel");
  EXPECT_EQ(refusal(changed("-70 +40", "-70 nan")), "walk.bvh:31: a number of frame 2 is \"nan\"; expected a number");
  EXPECT_EQ(refusal(changed("-70 +40", "-70 4,5")), "walk.bvh:31: a number of frame 2 is \"4,5\"; expected a number");
  EXPECT_EQ(refusal(changed(".0083333", "0")), "walk.bvh:29: Frame Time is \"0\"; expected seconds above zero");
  EXPECT_EQ(refusal(changed("Frame Time:", "FrameTime:")),
            "walk.bvh:29: MOTION goes on with \"FrameTime: .0083333\"; expected Frame Time:");
  EXPECT_EQ(refusal(changed("ROOT", "BOOT")), "walk.bvh:1: the hierarchy begins with \"BOOT\"; expected ROOT");
  EXPECT_EQ(refusal(kSmall.substr(0, 300)).substr(0, 9), "walk.bvh:");
  EXPECT_NE(refusal("").find("HIERARCHY"), std::string::npos);
  std::string deep = "HIERARCHY\nROOT a\n{ OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation\n";
  for (int k = 0; k < 300; ++k) deep += "JOINT b { OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation\n";
  EXPECT_NE(refusal(deep).find("joints deep"), std::string::npos);
  std::string many = "HIERARCHY\nROOT a\n{ OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation\n";
  for (int k = 0; k < 5000; ++k) many += "JOINT b { OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation }\n";
  EXPECT_NE(refusal(many).find("one joint too many"), std::string::npos);
}

TEST(Bvh, NamesThatAreDoubleOrNoUtf8AreRepaired) {
  std::string text = kSmall;
  text.replace(text.find("RightLeg"), 8, "H\xFCgel");  // Latin-1
  text.replace(text.find("Knee"), 4, "Left Leg");
  const BvhMotion motion = read(text);
  EXPECT_EQ(motion.joints[4].name, "H\xC3\xBCgel");
  EXPECT_EQ(motion.joints[2].name, "Left Leg#2");
  EXPECT_NO_THROW(to_glb(to_character(motion)));
}

TEST(Bvh, AHierarchyWithoutFramesIsACharacterWithoutClips) {
  const std::string text = kSmall.substr(0, kSmall.find("MOTION")) + "MOTION\nFrames: 0\nFrame Time: 0.04\n";
  EXPECT_TRUE(to_character(read(text)).clips.empty());
}

TEST(BvhAssets, RealMotionsAreWhereTheirAnglesPutThem) {
  for (const char* name : {"02_01", "02_04", "07_01", "09_01", "16_01"}) {
    RIGSPACE_ASSET_OR_SKIP(path, std::string("cmu_bvh_dev/") + name + ".bvh");
    const BvhMotion motion = read_bvh(path);
    EXPECT_EQ(motion.rate, 120) << name;
    EXPECT_EQ(motion.joints.size(), 38u) << name;  // 31 joints, 7 end sites
    EXPECT_LT(largest_distance(motion, to_character(motion), 7), 1e-9) << name;
  }
}

TEST(BvhAssets, RealMotionsSurviveTheWayThroughGltf) {
  RIGSPACE_ASSET_OR_SKIP(path, "cmu_bvh_dev/16_01.bvh");
  const BvhMotion motion = read_bvh(path);
  const Character loaded = load_gltf(to_glb(to_character(motion)), "16_01.glb");
  ASSERT_EQ(loaded.bones.size(), motion.joints.size());
  const BvhMotion written = to_motion(loaded, loaded.clips.front());
  EXPECT_EQ(written.rate, 120);
  ASSERT_EQ(written.frames.cols(), motion.frames.cols());
  double largest = 0;
  for (Eigen::Index k = 0; k < motion.frames.cols(); k += 11) {
    const std::vector<Vec3> before = Evaluator(motion).places(k), after = Evaluator(written).places(k);
    for (std::size_t j = 0; j < before.size(); ++j) largest = std::max(largest, (before[j] - after[j]).norm());
  }
  const double size = 25;  // of the figure, in the file's units
  RecordProperty("largest_millionths_of_size", std::to_string(1e6 * largest / size));
  EXPECT_LT(largest, 1e-5 * size);  // glTF's float32; 1e-4 is asked
  const Character again = to_character(read(to_bvh(written)));
  EXPECT_EQ(to_bvh(to_motion(again, again.clips.front())), to_bvh(written));
}

}  // namespace
}  // namespace rigspace::bvh_test
