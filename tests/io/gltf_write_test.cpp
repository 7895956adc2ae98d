#include "rigspace/io/gltf.h"

#include "gltf_maker.h"
#include "rigspace/base/files.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"
#include "support/assets.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace rigspace::gltf_write_test {
namespace {

namespace fs = std::filesystem;
using testing::GltfMaker;
using testing::points_at;
using testing::rest_points;
using testing::SmallCharacter;

constexpr double kFloat = 1e-6;  // values of ordinary size that went through float32

class GltfWrite : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::temp_directory_path() / ("rigspace_gltf_" + std::to_string(::getpid()));
};

std::uint32_t u32(const std::vector<std::byte>& bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

/// The BIN chunk of a GLB.
std::vector<std::byte> bin_of(const std::vector<std::byte>& glb) {
  const std::size_t at = 20 + u32(glb, 12);
  return {glb.begin() + at + 8, glb.begin() + at + 8 + u32(glb, at)};
}

void expect_same_motion(const Character& a, const Character& b, double tolerance) {
  ASSERT_EQ(a.rig->point_count(), b.rig->point_count());
  ASSERT_EQ(a.clips.size(), b.clips.size());
  EXPECT_LE((rest_points(a) - rest_points(b)).lpNorm<Eigen::Infinity>(), tolerance);
  for (std::size_t c = 0; c < a.clips.size(); ++c)
    for (const double u : {0.0, 0.37, 0.81, 1.0}) {
      const double t = u * a.clips[c].duration;
      const Vec difference = points_at(a, a.clips[c].name, t) - points_at(b, b.clips[c].name, t);
      EXPECT_LE(difference.lpNorm<Eigen::Infinity>(), tolerance) << a.clips[c].name << " at " << t;
    }
}

TEST_F(GltfWrite, AnUnchangedGlbKeepsItsBytesAndItsJson) {
  const auto glb = SmallCharacter().glb();
  const GltfFile file(glb, "f.glb");
  const auto written = file.to_glb();
  EXPECT_EQ(bin_of(written), bin_of(glb));
  EXPECT_EQ(GltfFile(written, "g.glb").json(""), file.json(""));
}

TEST_F(GltfWrite, TheOtherFormAndBackIsTheSame) {
  const GltfFile file(SmallCharacter().glb(), "f.glb");
  for (const bool embed : {false, true}) {
    file.save(folder_ / "a b.gltf", {.embed = embed});
    EXPECT_EQ(fs::exists(folder_ / "a b.bin"), !embed);
    const GltfFile text(folder_ / "a b.gltf");
    expect_same_motion(text.character(), file.character(), 0);
    text.save(folder_ / "back.glb");
    EXPECT_EQ(bin_of(read_file(folder_ / "back.glb")), bin_of(SmallCharacter().glb()));
    EXPECT_EQ(GltfFile(folder_ / "back.glb").json(""), file.json(""));
    fs::remove(folder_ / "a b.bin");
  }
}

TEST_F(GltfWrite, SeveralBuffersAndPicturesBecomeOneFile) {
  write_file(folder_ / "p.bin",
             std::string(5, 'x') + std::string(3, '\0') + std::string("\0\0\x80\x3f\0\0\0\0\0\0\0\0", 12));
  write_file(folder_ / "i.png", std::string("\x89PNG and more"));
  write_file(
      folder_ / "s.gltf",
      std::string(
          "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":"
          "{\"POSITION\":0},\"material\":0,\"mode\":0}]}],\"materials\":[{\"pbrMetallicRoughness\":{"
          "\"baseColorTexture\":"
          "{\"index\":0}}}],\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"i.png\"}],\"accessors\":"
          "[{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}],\"bufferViews\":"
          "[{\"buffer\":1,\"byteOffset\":8,\"byteLength\":12}],\"buffers\":[{\"byteLength\":3,\"uri\":"
          "\"data:;base64,AAAA\"},{\"byteLength\":20,\"uri\":\"p.bin\"}]}"));
  const GltfFile file(folder_ / "s.gltf");
  const Character joined = load_gltf(file.to_glb(), "g.glb");
  EXPECT_TRUE(joined.warnings.empty());
  EXPECT_EQ(rest_points(joined), Vec3(1, 0, 0));
  ASSERT_EQ(joined.images.size(), 1u);
  EXPECT_EQ(joined.images[0].encoded, read_file(folder_ / "i.png"));
}

TEST_F(GltfWrite, AddedAnimationsPlayAsTheirCurves) {
  const auto glb = SmallCharacter().glb();
  GltfFile file(glb, "f.glb");
  Animation clip{.name = "mixed"};
  const auto curve = [](Interpolation kind, std::vector<double> times, std::vector<double> values) {
    return Curve{.interpolation = kind, .times = std::move(times), .values = std::move(values)};
  };
  clip.tracks.push_back({"root.tx", curve(Interpolation::linear, {0, 1, 3}, {0, 2, -1})});
  clip.tracks.push_back({"root.ty", curve(Interpolation::step, {0, 0.5, 2}, {0, 1, 3})});
  clip.tracks.push_back({"root.sx", curve(Interpolation::natural, {0, 1, 1.5, 3}, {1, 2, 1, 1.5})});
  clip.tracks.push_back({"root.sz", curve(Interpolation::linear, {0.25, 2}, {1, 2})});
  clip.tracks.push_back({"body:open", curve(Interpolation::catmull_rom, {0, 1, 2}, {0, 1, 0.5})});
  RotationTrack turn{.node = "tip", .times = {0, 1, 2}};
  turn.values = {Vec4(0, 0, 0, 1), Vec4(0, 0, -1, 0), Vec4(0.6, 0, 0, 0.8)};
  clip.rotations.push_back(turn);
  EXPECT_EQ(file.add_animation(clip), 1);
  const auto written = file.to_glb();
  const auto bin = bin_of(written), before = bin_of(glb);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), bin.begin()));
  const Character character = load_gltf(written, "g.glb");
  EXPECT_TRUE(character.warnings.empty());
  ASSERT_EQ(character.clips.size(), 2u);
  for (double t = 0; t <= 3; t += 0.0937) {
    const Vec p = pose_at(character, character.clip("mixed"), t);
    for (const Track& track : clip.tracks)
      EXPECT_NEAR(p[character.rig->find(track.control)], track.curve(t), 3 * kFloat) << track.control << " at " << t;
    const Vec4 q = p.segment<4>(character.rig->find("tip.qx"));
    EXPECT_NEAR(std::abs(q.normalized().dot(turn(t))), 1, kFloat) << t;
  }
  EXPECT_EQ(pose_at(character, character.clip("mixed"), 1)[character.rig->find("root.tz")], 0);
}

TEST_F(GltfWrite, TurnsOnTopOfKeysAreMultipliedIn) {
  GltfFile file(SmallCharacter().glb(), "f.glb");
  Animation clip{.name = "turn"};
  clip.tracks.push_back({"tip.rx", Curve{.times = {0, 1}, .values = {0, 1.2}}});
  file.add_animation(clip);
  const Character character = load_gltf(file.to_glb(), "g.glb");
  for (const double t : {0.0, 0.5, 1.0}) {
    Vec p = character.rig->rest();
    p[character.rig->find("tip.rx")] = 1.2 * t;
    EXPECT_LT((points_at(character, "turn", t) - testing::evaluate(character, p)).lpNorm<Eigen::Infinity>(), kFloat);
  }
}

TEST_F(GltfWrite, AnimationsOfUnknownControlsAreRefused) {
  GltfFile file(SmallCharacter().glb(), "f.glb");
  Animation clip{.name = "c"};
  clip.tracks.push_back({"nobody.tx", Curve{.times = {0}, .values = {1}}});
  try {
    file.add_animation(clip);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "f.glb: animation \"c\" moves \"nobody.tx\", which the document does not have; leave it out");
  }
}

TEST_F(GltfWrite, MatricesGiveWayToKeys) {
  GltfMaker maker;
  maker.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  GltfFile file(maker.glb("\"nodes\":[{\"name\":\"n\",\"mesh\":0,\"matrix\":[2,0,0,0,0,1,0,0,0,0,1,0,0,3,0,1]}],"
                          "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"),
                "f.glb");
  Animation clip{.name = "c"};
  clip.tracks.push_back({"n.tx", Curve{.times = {0, 1}, .values = {0, 1}}});
  file.add_animation(clip);
  const Character character = load_gltf(file.to_glb(), "g.glb");
  EXPECT_EQ(rest_points(character), rest_points(file.character()));
  EXPECT_EQ(points_at(character, "c", 1).segment<3>(3), Vec3(3, 3, 0));
}

TEST_F(GltfWrite, JointsCanBeAppendedAsLeaves) {
  const auto glb = SmallCharacter().glb();
  GltfFile file(glb, "f.glb");
  const int leaf = file.add_node({.name = "soft_01", .parent = file.node("tip"), .translation = {0, 0.5, 0}});
  file.set_json("/skins/0/joints/-", std::to_string(leaf));
  std::vector<float> matrices(48, 0.0f);
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 4; ++k) matrices[16 * j + 5 * k] = 1;
  matrices[16 + 13] = -1;
  matrices[32 + 13] = -1.5f;
  const int accessor = file.add_accessor({.type = "MAT4", .bytes = std::as_bytes(std::span(matrices))});
  file.set_json("/skins/0/inverseBindMatrices", std::to_string(accessor));
  const Character character = load_gltf(file.to_glb(), "g.glb");
  ASSERT_EQ(character.bones.size(), 3u);
  EXPECT_EQ(character.bones[2].parent, 1);
  EXPECT_GE(character.rig->find("soft_01.rx"), 0);
  EXPECT_EQ(rest_points(character), rest_points(file.character()));
  EXPECT_THROW(file.json("/nothing/here"), Error);
  EXPECT_THROW(file.set_json("/nodes/x/y", "1"), Error);
}

TEST_F(GltfWrite, SavingElsewhereIsRefusedWithASentence) {
  const GltfFile file(SmallCharacter().glb(), "f.glb");
  EXPECT_THROW(file.save(folder_ / "a.fbx"), Error);
  EXPECT_THROW(file.save(folder_ / "no" / "a.glb"), Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(GltfWrite, ANewGlbMovesAsTheCharacterItCameFrom) {
  const Character character = load_gltf(SmallCharacter().glb(), "f.glb");
  const Character again = load_gltf(to_glb(character), "g.glb");
  EXPECT_TRUE(again.warnings.empty());
  expect_same_motion(again, character, kFloat);
  EXPECT_EQ(again.pieces[0].triangles, character.pieces[0].triangles);
  EXPECT_EQ(again.materials[0].base_color, character.materials[0].base_color);
  EXPECT_GE(again.rig->find("body:open"), 0);
}

TEST_F(GltfWrite, ANewGlbKeepsManyInfluencesRigidPartsAndMatrices) {
  auto graph = std::make_shared<ControlGraph>();
  Affine shear = Affine::Identity();
  shear(0, 1) = 0.5;
  const int root = add_node(*graph, {.name = "root", .constant = shear});
  SkinDescription skin;
  for (int j = 0; j < 6; ++j) {
    skin.joint_slots.push_back(
        add_node(*graph, {.name = "j" + std::to_string(j), .parent_slot = root, .translation = Vec3(j, j * j, 1)}));
    skin.inverse_bind.push_back(Affine::Identity());
  }
  std::vector<Influence> all;
  for (int j = 0; j < 6; ++j) all.push_back({j, (j + 1) / 21.0});
  skin.influences = {all, {{2, 1.0}}, {{5, 0.5}, {0, 0.5}}};
  Vec points(18);
  points << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0;
  std::vector<std::shared_ptr<const Deformer>> deformers;
  deformers.push_back(make_linear_blend_skin(skin));
  deformers.push_back(make_rigid(3, 3, skin.joint_slots[1]));
  Character character{.name = "made", .rig = std::make_shared<BuiltInRig>(graph, points, deformers)};
  character.pieces.push_back({.name = "flesh", .first_point = 0, .point_count = 3, .triangles = {{0, 1, 2}}});
  character.pieces.push_back({.name = "eye", .first_point = 3, .point_count = 3, .triangles = {{3, 4, 5}}});
  const Character again = load_gltf(to_glb(character), "g.glb");
  EXPECT_TRUE(again.warnings.empty());
  // The eye is shown by its joint, the flesh by a node of its own, which comes after: the points change places.
  Vec swapped(18);
  swapped << rest_points(again).tail(9), rest_points(again).head(9);
  EXPECT_LT((swapped - rest_points(character)).lpNorm<Eigen::Infinity>(), 30 * kFloat);
  EXPECT_EQ(again.pieces[0].rest_normals[0], Eigen::Vector3f(0, 0, 1));
}

TEST_F(GltfWrite, ANewGlbOfARealFileMovesAsItDid) {
  // Rigid parts, skins and morphs that only one of a mesh's primitives feels.
  RIGSPACE_ASSET_OR_SKIP(path, "three_RobotExpressive/RobotExpressive.glb");
  const Character character = load_gltf(path);
  const Character again = load_gltf(to_glb(character), "g.glb");
  EXPECT_TRUE(again.warnings.empty());
  expect_same_motion(again, character, 5 * kFloat);  // it is 4.4 units tall
}

TEST_F(GltfWrite, RealFilesConvertWithoutChange) {
  for (const char* name : {"khr_Fox/Fox.glb", "khr_MorphStressTest/MorphStressTest.glb", "webxr_generic_hand/left.glb",
                           "three_RobotExpressive/RobotExpressive.glb"}) {
    RIGSPACE_ASSET_OR_SKIP(path, name);
    const GltfFile file(path);
    const auto original = read_file(path), written = file.to_glb();
    EXPECT_EQ(bin_of(written), bin_of(original)) << name;
    const GltfFile again(written, "g.glb");
    EXPECT_EQ(again.json(""), file.json("")) << name;
    file.save(folder_ / "x.gltf");
    expect_same_motion(load_gltf(folder_ / "x.gltf"), file.character(), 0);
  }
}

}  // namespace
}  // namespace rigspace::gltf_write_test
