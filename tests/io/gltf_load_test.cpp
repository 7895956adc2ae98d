#include "rigspace/io/gltf.h"

#include "gltf_maker.h"
#include "rigspace/rig/built_in_rig.h"

#include <gtest/gtest.h>

#include <numbers>

namespace rigspace::gltf_load_test {
namespace {

using testing::evaluate;
using testing::GltfMaker;
using testing::points_at;
using testing::rest_points;
using testing::SmallCharacter;

constexpr double kFloat = 1e-6;  // values of ordinary size that went through float32

Vec3 at(const Vec& points, int i) { return points.segment<3>(3 * i); }

std::string members_for(const std::string& attributes, const std::string& rest = "") {
  return "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{" + attributes + "}" + rest + "}]}]";
}

/// One triangle, and its document with this node list; POSITION is accessor 0.
std::vector<std::byte> triangle_with_nodes(const std::string& nodes) {
  GltfMaker maker;
  maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  return maker.glb("\"nodes\":[" + nodes + "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]");
}

TEST(GltfLoad, ReadsOneOfEverything) {
  const Character character = load_gltf(SmallCharacter().glb(), "f.glb");
  EXPECT_TRUE(character.warnings.empty());
  ASSERT_EQ(character.pieces.size(), 1u);
  const Piece& piece = character.pieces[0];
  EXPECT_EQ(piece.point_count, 4);
  EXPECT_EQ(piece.triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {2, 1, 3}}));
  EXPECT_EQ(piece.uv.size(), 4u);
  EXPECT_EQ(piece.rest_normals.size(), 4u);
  ASSERT_EQ(character.materials.size(), 1u);
  EXPECT_EQ(character.materials[0].base_color, Eigen::Vector4f(1, 0, 0, 1));
  EXPECT_TRUE(character.materials[0].double_sided);
  ASSERT_EQ(character.bones.size(), 2u);
  EXPECT_EQ(character.bones[1].name, "tip");
  EXPECT_EQ(character.bones[1].parent, 0);
  EXPECT_GE(character.rig->find("tip.rz"), 0);
  const int open = character.rig->find("body:open");
  ASSERT_GE(open, 0);
  EXPECT_EQ(character.rig->controls()[open].rest, 0.25);
}

TEST(GltfLoad, SkinsMorphedPointsByTheirJoints) {
  const Character character = load_gltf(SmallCharacter().glb(), "f.glb");
  // At 1 s: tip turned 90 degrees about z at (0, 1, 0), root moved by one, morph fully on.
  const Vec points = points_at(character, "wave", 1);
  EXPECT_LT((at(points, 0) - Vec3(1, 0, 0)).norm(), kFloat);
  // Vertex 2 (0, 1, 1), half on each; vertex 3 (1, 1, 1) turns to (0, 2, 1) before the root moves it.
  EXPECT_LT((at(points, 2) - Vec3(1, 1, 1)).norm(), kFloat);
  EXPECT_LT((at(points, 3) - Vec3(1, 2, 1)).norm(), kFloat);
}

TEST(GltfLoad, ASkinnedMeshDoesNotFeelItsNode) {
  SmallCharacter small;
  const Vec before = rest_points(load_gltf(small.glb(), "f.glb"));
  const std::string node = "\"name\":\"body\"";
  small.members.replace(small.members.find(node), node.size(), node + ",\"translation\":[5,6,7],\"scale\":[2,2,2]");
  EXPECT_EQ(rest_points(load_gltf(small.glb(), "f.glb")), before);
}

TEST(GltfLoad, ASkinWithoutInverseBindMatricesUsesTheIdentity) {
  SmallCharacter small;
  const std::size_t from = small.members.find(",\"inverseBindMatrices\"");
  small.members.erase(from, small.members.find('}', from) - from);
  const Vec points = rest_points(load_gltf(small.glb(), "f.glb"));
  EXPECT_LT((at(points, 3) - Vec3(1, 2, 0.25)).norm(), kFloat);  // moved up by its joint
}

TEST(GltfLoad, AScaledArmatureScalesItsSkin) {
  SmallCharacter small;
  const std::string root = "{\"name\":\"root\"";
  small.members.replace(small.members.find(root), root.size(), root + ",\"scale\":[100,100,100]");
  const Vec points = rest_points(load_gltf(small.glb(), "f.glb"));
  EXPECT_LT((at(points, 3) - Vec3(100, 100, 25)).norm(), 100 * kFloat);
}

TEST(GltfLoad, InterpolatesAsTheFileSays) {
  const Character character = load_gltf(SmallCharacter().glb(), "f.glb");
  ASSERT_EQ(character.clips.size(), 1u);
  EXPECT_EQ(character.clips[0].duration, 2);
  const Vec p = pose_at(character, &character.clips[0], 0.5);
  const auto value = [&](const char* control) { return p[character.rig->find(control)]; };
  EXPECT_EQ(value("root.tx"), 0);                                        // STEP
  EXPECT_NEAR(value("tip.qz"), std::sin(std::numbers::pi / 8), kFloat);  // LINEAR: slerp
  EXPECT_NEAR(value("body:open"), 0.5, kFloat);                          // CUBICSPLINE, flat tangents
  const Vec late = pose_at(character, &character.clips[0], 1.25);
  EXPECT_NEAR(late[character.rig->find("body:open")], 1 - 0.15625, kFloat);  // 3/16 - 2/64
}

TEST(GltfLoad, CubicTangentsArePerSecond) {
  GltfMaker maker;
  maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  const int times = maker.floats("SCALAR", {0, 2});
  const int rows = maker.floats("VEC3", {0, 0, 0, 0, 0, 0, 3, 0, 0, 3, 0, 0, 6, 0, 0, 3, 0, 0});
  const Character character =
      load_gltf(maker.glb(members_for("\"POSITION\":0") +
                          ",\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
                          "\"path\":\"translation\"}}],\"samplers\":[{\"input\":" +
                          std::to_string(times) + ",\"output\":" + std::to_string(rows) +
                          ",\"interpolation\":\"CUBICSPLINE\"}]}]"),
                "f.glb");
  // Slope 3 at both ends of a rise of 6 in 2 s: a straight line.
  EXPECT_EQ(character.clips[0].name, "animation0");
  EXPECT_NEAR(at(points_at(character, "animation0", 0.5), 0)[0], 1.5, kFloat);
}

TEST(GltfLoad, SparseAccessorsReplaceSomeElements) {
  GltfMaker maker;
  const int values = maker.view<float>({0, 0, 0, 1, 0, 0, 0, 1, 0});
  const int where = maker.view<std::uint16_t>({1});
  const int what = maker.view<float>({7, 8, 9});
  const std::string sparse = "\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":" + std::to_string(where) +
                             ",\"componentType\":5123},\"values\":{\"bufferView\":" + std::to_string(what) + "}}";
  const std::string common = "\"componentType\":5126,\"type\":\"VEC3\",\"count\":3,";
  maker.accessor(common + "\"bufferView\":" + std::to_string(values) + "," + sparse);
  maker.accessor(common + sparse);  // no view of its own: zeros but for the sparse ones
  const Vec dense = rest_points(load_gltf(maker.glb(members_for("\"POSITION\":0")), "f.glb"));
  EXPECT_EQ(at(dense, 1), Vec3(7, 8, 9));
  EXPECT_EQ(at(dense, 2), Vec3(0, 1, 0));
  const Vec zeros = rest_points(load_gltf(maker.glb(members_for("\"POSITION\":1")), "f.glb"));
  EXPECT_EQ(at(zeros, 1), Vec3(7, 8, 9));
  EXPECT_EQ(at(zeros, 2), Vec3::Zero());
}

TEST(GltfLoad, StridedViewsInterleaveAttributes) {
  GltfMaker maker;
  maker.view<float>({0, 0, 0, .5f, .25f, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, 20);
  maker.accessor("\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"");
  maker.accessor("\"bufferView\":0,\"byteOffset\":12,\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"");
  const Character character = load_gltf(maker.glb(members_for("\"POSITION\":0,\"TEXCOORD_0\":1")), "f.glb");
  EXPECT_EQ(at(rest_points(character), 2), Vec3(0, 1, 0));
  EXPECT_EQ(character.pieces[0].uv[0], Eigen::Vector2f(.5f, .25f));
  EXPECT_EQ(character.pieces[0].uv[2], Eigen::Vector2f(0, 1));
}

TEST(GltfLoad, NormalisedIntegersAreFractions) {
  GltfMaker maker;
  const int p = maker.typed<std::int16_t>("VEC4", 5122, {32767, -32767, -32768, 0, 0, 0, 0, 0, 0, 0, 0, 0}, true);
  maker.accessors[p].replace(maker.accessors[p].find("VEC4"), 4, "VEC3");
  maker.views[0].insert(maker.views[0].size() - 1, ",\"byteStride\":8");
  maker.typed<std::uint8_t>("VEC4", 5121, {255, 0, 51, 255, 0, 0, 0, 0, 0, 0, 0, 0}, true);
  const Character character = load_gltf(
      maker.glb("\"extensionsRequired\":[\"KHR_mesh_quantization\"]," + members_for("\"POSITION\":0,\"COLOR_0\":1")),
      "f.glb");
  EXPECT_EQ(at(rest_points(character), 0), Vec3(1, -1, -1));
  EXPECT_TRUE(character.pieces[0].colors[0].isApprox(Eigen::Vector4f(1, 0, 0.2f, 1)));
}

TEST(GltfLoad, MatricesTurnIntoControlsAndShearIsKept) {
  const Character plain =
      load_gltf(triangle_with_nodes("{\"mesh\":0,\"matrix\":[0,2,0,0,-3,0,0,0,0,0,1,0,4,5,6,1]}"), "f.glb");
  EXPECT_LT((at(rest_points(plain), 1) - Vec3(4, 7, 6)).norm(), 1e-12);
  EXPECT_LT((at(rest_points(plain), 2) - Vec3(1, 5, 6)).norm(), 1e-12);
  EXPECT_NEAR(plain.rig->controls()[plain.rig->find("node0.sy")].rest, 3, 1e-12);
  const Character sheared =
      load_gltf(triangle_with_nodes("{\"mesh\":0,\"matrix\":[1,0,0,0,1,1,0,0,0,0,1,0,0,0,0,1]}"), "f.glb");
  EXPECT_LT((at(rest_points(sheared), 2) - Vec3(1, 1, 0)).norm(), 1e-12);
  const Character flat =
      load_gltf(triangle_with_nodes("{\"mesh\":0,\"matrix\":[0,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}"), "f.glb");
  EXPECT_LT((at(rest_points(flat), 1) - Vec3(0, 0, 0)).norm(), 1e-12);
}

TEST(GltfLoad, AMeshShownTwiceGivesItsPointsTwice) {
  const Character character =
      load_gltf(triangle_with_nodes("{\"mesh\":0,\"children\":[1]},{\"mesh\":0,\"translation\":[0,0,5]}"), "f.glb");
  EXPECT_EQ(character.rig->point_count(), 6);
  EXPECT_EQ(at(rest_points(character), 3), Vec3(0, 0, 5));
  EXPECT_EQ(character.pieces[1].triangles[0], (std::array<int, 3>{3, 4, 5}));
}

TEST(GltfLoad, AMirroringNodeTurnsItsTrianglesRound) {
  const Character character = load_gltf(triangle_with_nodes("{\"mesh\":0,\"scale\":[-1,1,1]}"), "f.glb");
  EXPECT_EQ(character.pieces[0].triangles[0], (std::array<int, 3>{0, 2, 1}));
}

TEST(GltfLoad, NamesAreUniqueAndUnnamedNodesAreNumbered) {
  const Character character = load_gltf(
      triangle_with_nodes("{\"name\":\"a\"},{\"name\":\"a\",\"mesh\":0},{},{\"name\":\"a#2\"},{\"name\":\"\"}"),
      "f.glb");
  for (const char* control : {"a.tx", "a#2.tx", "node2.rz", "a#2#2.tx", "node4.sx"})
    EXPECT_GE(character.rig->find(control), 0) << control;
  EXPECT_EQ(character.pieces[0].name, "a#2");
}

TEST(GltfLoad, OnlyTheDefaultSceneCounts) {
  GltfMaker maker;
  maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  const Character character = load_gltf(
      maker.glb("\"scene\":1,\"scenes\":[{\"nodes\":[0]},{\"nodes\":[1]}],\"nodes\":[{\"mesh\":0},{\"mesh\":0}],"
                "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"),
      "f.glb");
  EXPECT_EQ(character.rig->point_count(), 3);
  EXPECT_LT(character.rig->find("node0.tx"), 0);
}

TEST(GltfLoad, StripsAndFansBecomeTriangles) {
  GltfMaker maker;
  maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0});
  const auto triangles = [&](int mode) {
    return load_gltf(maker.glb(members_for("\"POSITION\":0", ",\"mode\":" + std::to_string(mode))), "f.glb")
        .pieces[0]
        .triangles;
  };
  using T = std::vector<std::array<int, 3>>;
  EXPECT_EQ(triangles(5), (T{{0, 1, 2}, {1, 3, 2}}));
  EXPECT_EQ(triangles(6), (T{{1, 2, 0}, {2, 3, 0}}));
  EXPECT_EQ(triangles(1), T{});
  EXPECT_EQ(triangles(0), T{});
}

TEST(GltfLoad, ManyInfluencesComeFromFurtherSets) {
  GltfMaker maker;
  maker.floats("VEC3", {0, 0, 0, 0, 0, 0, 0, 0, 0});
  maker.typed<std::uint16_t>("VEC4", 5123, {0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0}, false);
  maker.typed<std::uint8_t>("VEC4", 5121, {51, 51, 51, 51, 255, 0, 0, 0, 255, 0, 0, 0}, true);
  maker.typed<std::uint8_t>("VEC4", 5121, {4, 200, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, false);  // 200: no weight, no matter
  maker.typed<std::uint16_t>("VEC4", 5123, {13107, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, true);
  const Character character = load_gltf(
      maker.glb("\"nodes\":[{\"mesh\":0,\"skin\":0},{\"translation\":[1,0,0]},{\"translation\":[2,0,0]},"
                "{\"translation\":[3,0,0]},{\"translation\":[4,0,0]},{\"translation\":[5,0,0]}],"
                "\"skins\":[{\"joints\":[1,2,3,4,5]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
                "\"JOINTS_0\":1,\"WEIGHTS_0\":2,\"JOINTS_1\":3,\"WEIGHTS_1\":4}}]}]"),
      "f.glb");
  EXPECT_TRUE(character.warnings.empty());
  EXPECT_NEAR(at(rest_points(character), 0)[0], 3, 1e-12);
}

TEST(GltfLoad, RepairsWeightsAndSaysSo) {
  SmallCharacter small;
  GltfMaker& maker = small.maker;
  const int weights = maker.floats("VEC4", {2, 0, 0, 0, 0, 0, 0, 0, .5f, -.5f, 0, 0, .999999f, 0, 0, 0});
  const std::string name = "\"WEIGHTS_0\":";
  const std::size_t from = small.members.find(name) + name.size();
  small.members.replace(from, small.members.find('}', from) - from, std::to_string(weights));
  const Character character = load_gltf(small.glb(), "f.glb");
  EXPECT_EQ(
      character.warnings,
      (std::vector<std::string>{
          "mesh \"strip\" primitive 0 has 2 vertices whose weights do not sum to one (worst 2); they are normalised.",
          "mesh \"strip\" primitive 0 has 1 vertices without weights; they follow the skin's first joint.",
          "mesh \"strip\" primitive 0 has 1 negative weights; they are taken as zero."}));
  EXPECT_LT((at(rest_points(character), 1) - Vec3(1, 0, 0)).norm(), 1e-12);
}

TEST(GltfLoad, LeavesOutWhatItCannotUseAndSaysSo) {
  GltfMaker maker;
  maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  const int time = maker.floats("SCALAR", {0});
  const Character character = load_gltf(
      maker.glb(
          "\"nodes\":[{\"mesh\":0,\"rotation\":[0,0,0,0]}],\"meshes\":[{\"primitives\":[{\"attributes\":{}},"
          "{\"attributes\":{\"POSITION\":0},\"material\":0}]}],\"materials\":[{\"pbrMetallicRoughness\":"
          "{\"baseColorTexture\":{\"index\":0}}}],\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"gone.png\"}],"
          "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"path\":\"pointer\"}}],\"samplers\":[{"
          "\"input\":" +
          std::to_string(time) + ",\"output\":" + std::to_string(time) + "}]}]"),
      "f.glb");
  EXPECT_EQ(character.warnings.size(), 4u);
  EXPECT_EQ(character.warnings[0], "node 0 has a rotation of length zero; it is taken as none.");
  EXPECT_EQ(character.pieces.size(), 1u);
  EXPECT_EQ(character.materials[0].image, -1);
  EXPECT_EQ(character.clips.size(), 1u);
}

TEST(GltfLoad, DataAddressesHoldBuffers) {
  GltfMaker maker;
  maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  const std::string json =
      maker.json(members_for("\"POSITION\":0"),
                 "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA");
  const auto bytes = std::as_bytes(std::span(json));
  EXPECT_EQ(at(rest_points(load_gltf({bytes.begin(), bytes.end()}, "f.gltf")), 1), Vec3(1, 0, 0));
}

TEST(GltfLoad, AnEmptyDocumentIsACharacterWithoutPoints) {
  const Character character = load_gltf(GltfMaker().glb(""), "f.glb");
  EXPECT_EQ(character.rig->point_count(), 0);
}

}  // namespace
}  // namespace rigspace::gltf_load_test
