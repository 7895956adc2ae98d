#include "gltf_soft_fixture.h"
#include "support/assets.h"

namespace rigspace::gltf_soft_test {
namespace {

using namespace soft_fixture;

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

}  // namespace
}  // namespace rigspace::gltf_soft_test
