// Flesh as morph targets in glTF, and meshes that hang on one bone.

#include "gltf_soft_fixture.h"
#include "support/assets.h"

namespace rigspace::gltf_soft_morphs_test {
namespace {

using namespace soft_fixture;

/// Clips play as before, to the bit, with the new weights at zero.
void expect_muted_clips_exact(const Character& original, const Character& written) {
  ASSERT_EQ(written.clips.size(), original.clips.size());
  for (std::size_t k = 0; k < original.clips.size(); ++k)
    for (const double u : {0.0, 0.3, 1.0}) {
      const double time = u * original.clips[k].duration;
      EXPECT_EQ(evaluate(written, pose_at(written, &written.clips[k], time)),
                evaluate(original, pose_at(original, &original.clips[k], time)))
          << original.clips[k].name << " at " << time;
    }
}

TEST(GltfSoftMorphs, AreAppendedToTheMeshAndItsAnimations) {
  GltfFile file(SmallCharacter().glb(), "f.glb");
  const SoftJoints soft = some_soft_joints(file.character(), 1, 1);
  file.add_soft_morphs(soft);
  EXPECT_EQ(file.json("/meshes/0/extras/targetNames"),
            "[\"open\",\"soft_0_x\",\"soft_0_y\",\"soft_0_z\",\"soft_1_x\",\"soft_1_y\",\"soft_1_z\"]");
  EXPECT_EQ(file.json("/meshes/0/weights"), "[0.25,0.0,0.0,0.0,0.0,0.0,0.0]");
  const Character computed = with_soft_morphs(file.character(), soft), written = load_gltf(file.to_glb(), "g.glb");
  expect_same(file.character(), computed, written);
  expect_muted_clips_exact(file.character(), written);
  Animation clip{.name = "wobble"};
  clip.tracks.push_back({"body:soft_1_y", Curve{.times = {0, 1}, .values = {0, 2}}});
  file.add_animation(clip);
  const Character again = load_gltf(file.to_glb(), "h.glb");
  EXPECT_EQ(pose_at(again, again.clip("wobble"), 0.5)[again.rig->find("body:soft_1_y")], 1);
  EXPECT_EQ(pose_at(again, again.clip("wobble"), 0.5)[again.rig->find("body:open")], 0.25);
  EXPECT_THROW(file.add_soft_morphs(soft), Error);  // the names are taken
}

TEST(GltfSoftMorphs, PrimitivesThatAreNotTouchedGetTargetsOfZeros) {
  GltfMaker maker;
  GltfFile file(maker.glb(scaled_members(maker, 4)), "f.glb");
  SoftJoints soft{.joints = {{.name = "s", .parent = 1}}, .start = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}};
  soft.joint = {0};
  soft.share = {0.5};
  const std::string other = file.json("/meshes/1");
  file.add_soft_morphs(soft);
  EXPECT_EQ(file.json("/meshes/1"), other);
  EXPECT_NO_THROW(file.json("/meshes/0/primitives/0/targets/2"));
  EXPECT_NO_THROW(file.json("/meshes/0/primitives/1/targets/2"));
  expect_same(file.character(), with_soft_morphs(file.character(), soft), load_gltf(file.to_glb(), "g.glb"));
}

TEST(GltfSoftMorphs, ASamplerThatAnotherMeshUsesStays) {
  // Two morphing triangles on one skeleton; one sampler for both; targets without names.
  GltfMaker maker;
  maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  maker.typed<std::uint8_t>("VEC4", 5121, {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}, false);
  maker.floats("VEC4", {.5f, .5f, 0, 0, .25f, .75f, 0, 0, 1, 0, 0, 0});
  maker.floats("SCALAR", {0, 1});
  maker.typed<std::uint8_t>("SCALAR", 5121, {0, 255, 255, 0}, true);
  const std::string mesh =
      "{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},\"targets\":[{"
      "\"POSITION\":0},{\"POSITION\":0}]}]}";
  const std::string channel = "{\"sampler\":0,\"target\":{\"path\":\"weights\",\"node\":";
  GltfFile file(
      maker.glb("\"nodes\":[{\"name\":\"j0\",\"children\":[1]},{\"name\":\"j1\"},{\"name\":\"a\",\"mesh\":0,"
                "\"skin\":0,\"weights\":[0.5,0]},{\"name\":\"b\",\"mesh\":1,\"skin\":0}],\"meshes\":[" +
                mesh + "," + mesh + "],\"skins\":[{\"joints\":[0,1]}],\"animations\":[{\"name\":\"c\"," +
                "\"channels\":[" + channel + "2}}," + channel + "3}}],\"samplers\":[{\"input\":3,\"output\":4}]}]"),
      "f.glb");
  SoftJoints soft{.joints = {{.name = "s", .parent = 1}}, .start = {0, 1, 1, 1, 1, 1, 1}, .joint = {0}, .share = {1}};
  file.add_soft_morphs(soft);
  EXPECT_EQ(file.json("/animations/0/channels/0/sampler"), "1");
  EXPECT_EQ(file.json("/animations/0/channels/1/sampler"), "0");
  EXPECT_EQ(file.json("/nodes/2/weights"), "[0.5,0,0.0,0.0,0.0]");
  const Character written = load_gltf(file.to_glb(), "g.glb");
  EXPECT_GE(written.rig->find("a:morph1"), 0);
  expect_same(file.character(), with_soft_morphs(file.character(), soft), written);
  expect_muted_clips_exact(file.character(), written);
}

TEST(GltfSoftMorphs, AMeshShownTwiceHasTheMorphsOfBoth) {
  GltfMaker maker;
  const auto glb = maker.glb(twins(maker));
  GltfFile file(glb, "f.glb");
  SoftJoints soft{.joints = {{.name = "sl", .parent = 0}, {.name = "sr", .parent = 2}}, .start = {0, 1, 1, 1, 1, 2, 2}};
  soft.joint = {0, 1};
  soft.share = {.5, .25};
  file.add_soft_morphs(soft);
  expect_same(file.character(), with_soft_morphs(file.character(), soft), load_gltf(file.to_glb(), "g.glb"));
}

TEST(GltfSoftMorphs, RealFilesMoveAsComputed) {
  for (const char* name :
       {"khr_Fox/Fox.glb", "khr_CesiumMan/CesiumMan.glb", "quaternius_ShibaInu/ShibaInu.glb",
        "gdquest_mannequiny/mannequiny-0.3.0.glb", "rocketbox_Female_Adult_01/Female_Adult_01_facial_wave.glb",
        "three_RobotExpressive/RobotExpressive.glb", "makehuman_female_dressed/mh_female.glb"}) {
    RIGSPACE_ASSET_OR_SKIP(path, name);
    SCOPED_TRACE(name);
    GltfFile file(path);
    const SoftJoints soft = some_soft_joints(file.character(), 3, 4);
    file.add_soft_morphs(soft);
    const Character written = load_gltf(file.to_glb(), "g.glb");
    expect_same(file.character(), with_soft_morphs(file.character(), soft), written);
    expect_muted_clips_exact(file.character(), written);
  }
}

TEST(GltfSoftJoints, AMeshThatHangsOnABoneGetsASkin) {
  RIGSPACE_ASSET_OR_SKIP(path, "three_RobotExpressive/RobotExpressive.glb");
  // The head: a mesh node of several primitives, the second of its name, rigidly below the bone. First all of them
  // take part, then one, and the others stay on the bone. Two joints, one on the other.
  for (const std::string first : {"Head#2", "Head#2#3"}) {
    SCOPED_TRACE(first);
    GltfFile file(path);
    const Character robot = file.character();
    SoftJoints soft{.joints = {{.name = "soft_1"}, {.name = "soft_2", .translation = {0, 0.001, 0}, .above = 0}},
                    .start = {0},
                    .joint = {},
                    .share = {}};
    for (std::size_t b = 0; b < robot.bones.size(); ++b)
      if (robot.bones[b].name == "Head") soft.joints[0].parent = soft.joints[1].parent = static_cast<int>(b);
    for (const Piece& piece : robot.pieces)
      for (int i = 0; i < piece.point_count; ++i) {
        if (piece.name.starts_with(first)) {
          soft.joint.insert(soft.joint.end(), {0, 1});
          soft.share.insert(soft.share.end(), {0.25, 0.5});
        }
        soft.start.push_back(static_cast<int>(soft.joint.size()));
      }
    ASSERT_GT(soft.joint.size(), 40u);
    file.add_soft_joints(soft);
    const Character written = load_gltf(file.to_glb(), "g.glb"), computed = with_soft_joints(robot, soft);
    EXPECT_LT(muted_change(robot, computed, robot.clips), 1e-9);
    EXPECT_LT(muted_change(robot, written, robot.clips), 1e-5);  // float32, of a robot of 5 units
    Vec p = computed.rig->rest(), q = written.rig->rest();
    for (const char* control : {"soft_1.rx", "soft_2.rz"})
      p[computed.rig->find(control)] = q[written.rig->find(control)] = 0.3;
    EXPECT_GT(largest(evaluate(computed, p) - evaluate(computed, computed.rig->rest())), 0.01);
    EXPECT_LT(largest(evaluate(written, q) - evaluate(computed, p)), 1e-5);
  }
}

TEST(GltfSoftMorphs, AMeshThatHangsOnABoneMovesAsComputed) {
  RIGSPACE_ASSET_OR_SKIP(path, "three_RobotExpressive/RobotExpressive.glb");
  GltfFile file(path);
  const Character& robot = file.character();
  // The head: a mesh node, the second of its name, rigidly below the bone.
  SoftJoints soft{.joints = {{.name = "soft_head"}}, .start = {0}, .joint = {}, .share = {}};
  for (std::size_t b = 0; b < robot.bones.size(); ++b)
    if (robot.bones[b].name == "Head") soft.joints[0].parent = static_cast<int>(b);
  for (const Piece& piece : robot.pieces)
    for (int i = 0; i < piece.point_count; ++i) {
      if (piece.name.starts_with("Head#2")) {
        soft.joint.push_back(0);
        soft.share.push_back(0.5);
      }
      soft.start.push_back(static_cast<int>(soft.joint.size()));
    }
  ASSERT_GT(soft.joint.size(), 100u);
  file.add_soft_morphs(soft);
  const Character written = load_gltf(file.to_glb(), "g.glb");
  expect_same(robot, with_soft_morphs(robot, soft), written);
  expect_muted_clips_exact(robot, written);
}

}  // namespace
}  // namespace rigspace::gltf_soft_morphs_test
