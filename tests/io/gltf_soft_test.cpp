#include "gltf_maker.h"
#include "rigspace/anim/soft_joints.h"
#include "rigspace/io/gltf.h"
#include "rigspace/testing/check_rig.h"
#include "soft_maker.h"
#include "support/assets.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

using testing::evaluate;
using testing::GltfMaker;
using testing::rest_points;
using testing::SmallCharacter;
using testing::some_soft_joints;

constexpr double kOfSize = 1e-6;  // float32 weights and matrices, relative to the character's size

double size_of(const Character& character) {
  const Vec s = rest_points(character);
  const auto points = s.reshaped(3, s.size() / 3);
  return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
}

double largest(const Vec& v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0; }

/// The pose of `from`, by name of control, on a character whose controls may stand in another order.
Vec pose_on(const Character& to, const Character& from, const Vec& p) {
  Vec result = to.rig->rest();
  for (std::size_t c = 0; c < from.rig->controls().size(); ++c) {
    const int at = to.rig->find(from.rig->controls()[c].name);
    EXPECT_GE(at, 0) << from.rig->controls()[c].name;
    if (at >= 0) result[at] = p[static_cast<Eigen::Index>(c)];
  }
  return result;
}

/// Poses of clips, and random turns on top, with the last `added` controls at random.
std::vector<Vec> poses_of(const Character& soft, int added) {
  std::vector<Vec> poses{soft.rig->rest()};
  for (std::uint32_t seed = 1; seed < 4; ++seed) {
    Vec p = soft.clips.empty() ? soft.rig->rest() : pose_at(soft, &soft.clips[seed % soft.clips.size()], 0.3 * seed);
    const Vec random = testing::random_pose(*soft.rig, 0.5, seed);
    p.tail(added) = random.tail(added);
    for (std::size_t c = 0; c < soft.rig->controls().size(); ++c)
      if (soft.rig->controls()[c].unit == Unit::angle)
        p[static_cast<Eigen::Index>(c)] = 0.2 * random[static_cast<Eigen::Index>(c)];
    poses.push_back(p);
  }
  return poses;
}

/// What is written moves as what was computed, and muted as what came.
void expect_same(const Character& original, const Character& computed, const Character& written) {
  const int old = static_cast<int>(original.rig->controls().size());
  const int added = static_cast<int>(computed.rig->controls().size()) - old;
  ASSERT_EQ(written.rig->point_count(), original.rig->point_count());
  for (const std::string& warning : written.warnings)  // new weights need no repair, others may as before
    EXPECT_NE(std::find(original.warnings.begin(), original.warnings.end(), warning), original.warnings.end());
  const double size = size_of(original);
  double moved = 0;
  for (const Vec& p : poses_of(computed, added)) {
    const Vec s = evaluate(computed, p);
    const double allowed = kOfSize * std::max(size, 0.1 * largest(s));  // random scales may make it large
    EXPECT_LT(largest(evaluate(written, pose_on(written, computed, p)) - s), allowed);
    Vec muted = p;
    muted.tail(added) = computed.rig->rest().tail(added);
    const Vec s_muted = evaluate(computed, muted), s_original = evaluate(original, p.head(old));
    EXPECT_LT(largest(evaluate(written, pose_on(written, computed, muted)) - s_original),
              allowed + largest(s_muted - s_original));  // the last: influences that found no room
    moved = std::max(moved, largest(s - s_muted));
  }
  EXPECT_GT(moved, 1e-3 * size);
}

int component_type(const GltfFile& file, const std::string& attribute) {
  const std::string accessor = file.json("/meshes/0/primitives/0/attributes/" + attribute);
  return std::stoi(file.json("/accessors/" + accessor + "/componentType"));
}

std::string message_of_adding(GltfFile& file, const SoftJoints& soft) {
  try {
    file.add_soft_joints(soft);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(GltfSoft, JointsAreLeavesAtTheEndOfAllLists) {
  GltfFile file(SmallCharacter().glb(), "f.glb");
  const SoftJoints soft = some_soft_joints(file.character(), 2, 1);
  file.add_soft_joints(soft);
  EXPECT_EQ(file.node("soft_3"), 6);
  EXPECT_EQ(file.json("/nodes/0/children"), soft.joints[0].parent == 0 ? "[1,3,4]" : "[1,5,6]");
  EXPECT_EQ(file.json("/skins/0/joints"), "[0,1,3,4,5,6]");
  EXPECT_EQ(component_type(file, "JOINTS_0"), 5121);
  EXPECT_EQ(component_type(file, "WEIGHTS_0"), 5126);
  const Character computed = with_soft_joints(file.character(), soft);
  const Character written = load_gltf(file.to_glb(), "g.glb");
  expect_same(file.character(), computed, written);
  ASSERT_EQ(written.bones.size(), computed.bones.size());
  for (std::size_t b = 0; b < written.bones.size(); ++b) {
    EXPECT_EQ(written.bones[b].name, computed.bones[b].name);
    EXPECT_EQ(written.bones[b].parent, computed.bones[b].parent);
  }
  // The same controls in the same order, with the same steps.
  for (std::size_t c = 0; c < written.rig->controls().size(); ++c)
    EXPECT_EQ(written.rig->controls()[c].name, computed.rig->controls()[c].name);
}

TEST(GltfSoft, NewJointsCanBeAnimated) {
  GltfFile file(SmallCharacter().glb(), "f.glb");
  file.add_soft_joints(some_soft_joints(file.character(), 2, 1));
  Animation clip{.name = "wobble"};
  clip.tracks.push_back({"soft_1.tx", Curve{.times = {0, 1}, .values = {0, 2}}});
  clip.rotations.push_back({.node = "soft_2", .times = {0}, .values = {Vec4(0, 0, 1, 0)}});
  file.add_animation(clip);
  const Character written = load_gltf(file.to_glb(), "g.glb");
  EXPECT_EQ(pose_at(written, written.clip("wobble"), 0.5)[written.rig->find("soft_1.tx")], 1);
  EXPECT_EQ(pose_at(written, written.clip("wobble"), 0)[written.rig->find("soft_2.qz")], 1);
}

TEST(GltfSoft, ASecondCallBuildsOnTheFirst) {
  GltfFile file(SmallCharacter().glb(), "f.glb");
  SoftJoints soft = some_soft_joints(file.character(), 1, 1);
  file.add_soft_joints(soft, 8);
  const Character once = load_gltf(file.to_glb(), "g.glb");
  for (SoftJoint& joint : soft.joints) joint.name += "_again";
  file.add_soft_joints(soft, 8);
  expect_same(once, with_soft_joints(once, soft, 8), load_gltf(file.to_glb(), "h.glb"));
}

/// Joints in a row below an armature in centimetres, without inverse bind matrices; four points a primitive. Two
/// meshes share all their accessors; the first has two primitives.
std::string scaled_members(GltfMaker& maker, int joints) {
  maker.floats("VEC3", {0, 0, 0, 100, 0, 0, 0, 100, 0, 100, 100, 0});
  maker.typed<std::uint16_t>("VEC4", 5123, {0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2}, false);
  maker.typed<std::uint8_t>("VEC4", 5121, {100, 80, 50, 25, 200, 55, 0, 0, 255, 0, 0, 0, 90, 60, 55, 50}, true);
  std::string nodes = "{\"name\":\"armature\",\"scale\":[0.01,0.01,0.01],\"children\":[1]}", list;
  for (int j = 0; j < joints; ++j) {
    nodes += ",{\"name\":\"j" + std::to_string(j) + "\",\"translation\":[" + std::to_string(j) + ",5,1]" +
             (j + 1 < joints ? ",\"children\":[" + std::to_string(j + 2) + "]}" : "}");
    list += (j > 0 ? "," : "") + std::to_string(j + 1);
  }
  const std::string primitive = "{\"mode\":0,\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}";
  return "\"scene\":0,\"scenes\":[{\"nodes\":[0," + std::to_string(joints + 1) + "," + std::to_string(joints + 2) +
         "]}],\"nodes\":[" + nodes +
         ",{\"name\":\"a\",\"mesh\":0,\"skin\":0},{\"name\":\"b\",\"mesh\":1,\"skin\":1}],\"meshes\":[{\"primitives\":"
         "[" +
         primitive + "," + primitive + "]},{\"primitives\":[" + primitive + "]}],\"skins\":[{\"joints\":[" + list +
         "]},{\"joints\":[" + list + "]}]";
}

TEST(GltfSoft, SharedAccessorsAndSeveralSkinsComeOutRight) {
  GltfMaker maker;
  GltfFile file(maker.glb(scaled_members(maker, 4)), "f.glb");
  SoftJoints soft = some_soft_joints(file.character(), 3, 2);
  const Character computed = with_soft_joints(file.character(), soft, 8);
  file.add_soft_joints(soft, 8);
  expect_same(file.character(), computed, load_gltf(file.to_glb(), "g.glb"));
  EXPECT_NO_THROW(file.json("/meshes/0/primitives/0/attributes/JOINTS_1"));
}

TEST(GltfSoft, WhatIsNotTouchedStaysAsItIs) {
  GltfMaker maker;
  GltfFile file(maker.glb(scaled_members(maker, 4)), "f.glb");
  SoftJoints soft{.joints = {{.name = "s", .parent = 1, .translation = {1, 2, 3}}}, .start = {0}};
  soft.start.insert(soft.start.end(), 4, 0);  // the first primitive of the first mesh has no share
  soft.start.insert(soft.start.end(), 8, 1);
  soft.joint = {0};
  soft.share = {0.5};
  const std::string before = file.json("/meshes/0/primitives/0"), other = file.json("/meshes/1"),
                    skin = file.json("/skins/1");
  file.add_soft_joints(soft);
  EXPECT_EQ(file.json("/meshes/0/primitives/0"), before);
  EXPECT_EQ(file.json("/meshes/1"), other);
  EXPECT_EQ(file.json("/skins/1"), skin);
  EXPECT_EQ(file.json("/skins/0/joints"), "[1,2,3,4,7]");
  expect_same(file.character(), with_soft_joints(file.character(), soft), load_gltf(file.to_glb(), "g.glb"));
}

TEST(GltfSoft, JointIndicesAreBytesWhileTheyFit) {
  for (const int joints : {254, 255}) {
    GltfMaker maker;
    GltfFile file(maker.glb(scaled_members(maker, joints)), "f.glb");
    file.add_soft_joints(some_soft_joints(file.character(), 1, 1));
    EXPECT_EQ(component_type(file, "JOINTS_0"), joints == 254 ? 5121 : 5123);
    EXPECT_NO_THROW(load_gltf(file.to_glb(), "g.glb"));
  }
}

/// One mesh on two skeletons.
std::string twins(GltfMaker& maker) {
  maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  maker.typed<std::uint8_t>("VEC4", 5121, {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}, false);
  maker.floats("VEC4", {.5f, .5f, 0, 0, .25f, .75f, 0, 0, 1, 0, 0, 0});
  return "\"nodes\":[{\"name\":\"l0\",\"children\":[1]},{\"name\":\"l1\"},{\"name\":\"r0\",\"translation\":[3,0,0],"
         "\"children\":[3]},{\"name\":\"r1\"},{\"name\":\"left\",\"mesh\":0,\"skin\":0},"
         "{\"name\":\"right\",\"mesh\":0,\"skin\":1}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
         "\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}],\"skins\":[{\"joints\":[0,1]},{\"joints\":[2,3]}]";
}

TEST(GltfSoft, AMeshShownTwiceIsSharedWhereSharesAgree) {
  GltfMaker maker;
  const auto glb = maker.glb(twins(maker));
  GltfFile file(glb, "f.glb");
  SoftJoints soft{.joints = {{.name = "sl", .parent = 0}, {.name = "sr", .parent = 2}}, .start = {0, 1, 2, 3, 4, 5, 6}};
  soft.joint = {0, 0, 0, 1, 1, 1};
  soft.share = {.5, .25, .125, .5, .25, .125};
  const Character computed = with_soft_joints(file.character(), soft);
  file.add_soft_joints(soft);
  expect_same(file.character(), computed, load_gltf(file.to_glb(), "g.glb"));
  EXPECT_EQ(file.json("/skins/1/joints"), "[2,3,7]");

  EXPECT_EQ(file.json("/nodes/5/mesh"), "0");
}

TEST(GltfSoft, AMeshShownTwiceIsCopiedWhereSharesDiffer) {
  GltfMaker maker;
  const auto glb = maker.glb(twins(maker));
  SoftJoints soft{.joints = {{.name = "sl", .parent = 0}, {.name = "sr", .parent = 2}}, .start = {0, 1, 2, 3, 4, 5, 6}};
  soft.joint = {0, 0, 0, 1, 1, 1};
  soft.share = {.5, .25, .125, .5, .3, .125};
  GltfFile file(glb, "f.glb");
  const Character computed = with_soft_joints(file.character(), soft);
  file.add_soft_joints(soft);
  expect_same(file.character(), computed, load_gltf(file.to_glb(), "g.glb"));
  EXPECT_EQ(file.json("/nodes/5/mesh"), "1");
  EXPECT_EQ(file.json("/meshes/1/primitives/0/attributes/POSITION"), "0");  // what does not change is shared

  GltfFile other(glb, "f.glb");  // one of the two is not touched at all
  soft.start = {0, 1, 2, 3, 3, 3, 3};
  soft.joint.resize(3);
  soft.share.resize(3);
  const Character left_only = with_soft_joints(other.character(), soft);
  other.add_soft_joints(soft);
  expect_same(other.character(), left_only, load_gltf(other.to_glb(), "g.glb"));
}

/// As many skins as some exporters write, one a node, all on one mesh.
TEST(GltfSoft, ManySkinsOnOneMeshAreWritten) {
  constexpr int kSkins = 84;
  GltfMaker maker;
  twins(maker);
  std::string nodes = "{\"name\":\"root\",\"children\":[", skins, rest;
  for (int k = 0; k < kSkins; ++k) {
    nodes += (k > 0 ? "," : "") + std::to_string(1 + k);
    rest += ",{\"name\":\"j" + std::to_string(k) + "\",\"translation\":[" + std::to_string(k) + ",0,0]}";
    skins += (k > 0 ? "," : "") + std::string("{\"joints\":[0,") + std::to_string(1 + k) + "]}";
  }
  nodes += "]}" + rest;
  for (int k = 0; k < kSkins; ++k)
    nodes += ",{\"name\":\"m" + std::to_string(k) + "\",\"mesh\":0,\"skin\":" + std::to_string(k) + "}";
  GltfFile file(maker.glb("\"nodes\":[" + nodes +
                          "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,"
                          "\"WEIGHTS_0\":2}}]}],\"skins\":[" +
                          skins + "]"),
                "f.glb");
  EXPECT_EQ(file.character().bones.size(), kSkins + 1u);
  const SoftJoints soft = some_soft_joints(file.character(), 3, 1);
  const Character computed = with_soft_joints(file.character(), soft, 8);
  file.add_soft_joints(soft, 8);
  expect_same(file.character(), computed, load_gltf(file.to_glb(), "g.glb"));
}

TEST(GltfSoft, WhatCannotBeIsRefusedAndTheDocumentStays) {
  GltfFile file(SmallCharacter().glb(), "f.glb");
  const std::string before = file.json("");
  SoftJoints soft = some_soft_joints(file.character(), 1, 1);
  soft.joints[0].name = "body";
  EXPECT_EQ(message_of_adding(file, soft),
            "f.glb: soft joint \"body\" has the name of a node that the character has already; choose another");
  soft.joints[0].name = "soft_0";
  soft.start.pop_back();
  EXPECT_NE(message_of_adding(file, soft), "no error");
  EXPECT_EQ(file.json(""), before);
}

TEST(GltfSoft, RealFilesMoveAsComputed) {
  for (const char* name :
       {"khr_Fox/Fox.glb", "khr_CesiumMan/CesiumMan.glb", "quaternius_ShibaInu/ShibaInu.glb",
        "gdquest_mannequiny/mannequiny-0.3.0.glb", "rocketbox_Female_Adult_01/Female_Adult_01_facial_wave.glb",
        "three_RobotExpressive/RobotExpressive.glb", "kaykit_Knight/Knight.glb"}) {
    RIGSPACE_ASSET_OR_SKIP(path, name);
    SCOPED_TRACE(name);
    GltfFile file(path);
    const SoftJoints soft = some_soft_joints(file.character(), 3, 4);
    file.add_soft_joints(soft, 8);
    const Character computed = with_soft_joints(file.character(), soft, 8), written = load_gltf(file.to_glb(), "g.glb");
    expect_same(file.character(), computed, written);
    // Where nothing is dropped, muted is the original.
    EXPECT_LT(muted_change(file.character(), written, std::span(file.character().clips).first(1), 5),
              kOfSize * size_of(file.character()));
  }
}

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
}  // namespace rigspace
