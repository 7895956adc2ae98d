// Whatever is wrong with a file, its author reads one sentence with the element, the value and what to do.
#include "gltf_maker.h"

#include <gtest/gtest.h>

#include <limits>

namespace rigspace::gltf_errors_test {
namespace {

using testing::GltfMaker;
using testing::message_of;
using testing::SmallCharacter;

/// The small character with one piece of its JSON text replaced.
std::string message_with(const std::string& from, const std::string& to) {
  SmallCharacter small;
  std::string json = small.maker.json(small.members);
  const std::size_t at = json.find(from);
  if (at == std::string::npos) return "the test looks for what is not there: " + from;
  json.replace(at, from.size(), to);
  return message_of(GltfMaker::pack(json, small.maker.bin));
}

TEST(GltfErrors, TheContainerIsChecked) {
  const auto whole = SmallCharacter().glb();
  const auto cut = [&](std::size_t n) { return message_of({whole.begin(), whole.begin() + n}); };
  EXPECT_EQ(cut(8), "f.glb: ends within the GLB header; get the whole file again");
  EXPECT_EQ(cut(whole.size() - 100), "f.glb: holds " + std::to_string(whole.size() - 100) +
                                         " bytes where its header says " + std::to_string(whole.size()) +
                                         "; get the whole file again");
  auto changed = whole;
  changed[4] = std::byte{1};
  EXPECT_EQ(message_of(changed), "f.glb: is GLB version 1; only version 2 is read");
  changed = whole;
  changed[15] = std::byte{0x7F};
  EXPECT_NE(message_of(changed).find("f.glb: has a chunk of "), std::string::npos);
  changed = whole;
  changed[16] = std::byte{'X'};
  EXPECT_EQ(message_of(changed), "f.glb: does not have its one JSON chunk first; export the file again");
  EXPECT_EQ(message_of({}), "f.glb: is empty; export the file again as glTF 2.0");
  EXPECT_EQ(message_of(std::vector<std::byte>(5, std::byte{'h'})),
            "f.glb: is no glTF file, whatever its name; export the character as glTF 2.0");
}

TEST(GltfErrors, JsonIsBounded) {
  EXPECT_NE(message_with("{\"version\":\"2.0\"}", "{\"version\":\"2.0\"").find("is not valid JSON at byte"),
            std::string::npos);
  const std::string deep = "{\"asset\":{\"version\":\"2.0\"},\"extras\":" + std::string(100'000, '[');
  EXPECT_EQ(message_of(GltfMaker::pack(deep, {})),
            "f.glb: nests JSON deeper than 200 levels; export the file again as glTF 2.0");
  std::string wide = "{\"asset\":{\"version\":\"2.0\"}";
  for (int i = 0; i < 30'000; ++i) wide += ",\"k" + std::to_string(i) + "\":0";
  EXPECT_EQ(message_of(GltfMaker::pack(wide + "}", {})),
            "f.glb: has an object with more than 20000 keys; export the file again as glTF 2.0");
  EXPECT_NE(message_with("[0,1,0]", "[0,1e999,0]").find("is not valid JSON"), std::string::npos);
}

TEST(GltfErrors, VersionsAndExtensionsAreNamed) {
  EXPECT_EQ(message_with("\"version\":\"2.0\"", "\"version\":\"1.0\""),
            "f.glb: asset has version 1.0; only glTF 2.0 is read");
  EXPECT_EQ(message_with("\"scene\":0", "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]"),
            "f.glb: requires the extension KHR_draco_mesh_compression, which is not supported; "
            "save the file again without mesh compression");
  EXPECT_EQ(message_with("\"scene\":0", "\"extensionsUsed\":[\"SOME_thing\"]"), "no error");
}

TEST(GltfErrors, TheHierarchyIsAForest) {
  EXPECT_EQ(message_with("\"translation\":[0,1,0]", "\"children\":[0]"),
            "f.glb: node \"root\" is its own ancestor; remove the circle of children");
  EXPECT_EQ(message_with("\"name\":\"body\"", "\"name\":\"body\",\"children\":[1]"),
            "f.glb: node \"tip\" is a child of both node \"root\" and node \"body\"; a node may have one parent only");
  EXPECT_EQ(message_with("\"children\":[1]", "\"children\":[7]"),
            "f.glb: node \"root\" refers to child node 7; the document has 3 nodes");
  EXPECT_EQ(message_with("\"nodes\":[0,2]", "\"nodes\":[1,2]"),
            "f.glb: scene 0 lists node \"tip\", which is a child of node \"root\"; list its root instead");
  EXPECT_EQ(message_with("[0,1,0]", "[0,1]"),
            "f.glb: node \"tip\" has translation [0,1]; 3 numbers of ordinary size are expected");
}

TEST(GltfErrors, AccessorsStayInTheirBytes) {
  EXPECT_EQ(message_with("\"count\":4,\"type\":\"VEC3\"", "\"count\":5,\"type\":\"VEC3\""),
            "f.glb: accessor 0 needs 5 elements of 12 bytes; bufferView 0 has only 48 bytes");
  EXPECT_EQ(message_with("\"count\":4,\"type\":\"VEC3\"", "\"count\":-4,\"type\":\"VEC3\""),
            "f.glb: accessor 0 has count -4; a whole number from 0 to 1099511627776 is expected");
  EXPECT_EQ(message_with("\"componentType\":5126", "\"componentType\":5130"),
            "f.glb: accessor 0 has componentType 5130; 5120, 5121, 5122, 5123, 5125 or 5126 is expected");
  EXPECT_EQ(message_with("\"bufferView\":0,", "\"bufferView\":0,\"byteOffset\":2,"),
            "f.glb: accessor 0 begins at byte 2; a multiple of 4 is required");
  EXPECT_EQ(message_with("\"byteLength\":48}", "\"byteLength\":48,\"byteStride\":8}"),
            "f.glb: accessor 0 has elements of 12 bytes every 8; byteStride must hold an element and be a multiple of "
            "its numbers' size");
  EXPECT_NE(message_with("\"byteOffset\":0,\"byteLength\":48", "\"byteOffset\":4096,\"byteLength\":48")
                .find("bufferView 0 covers bytes 4096 to 4144; buffer 0 has only "),
            std::string::npos);
  EXPECT_EQ(message_with("\"type\":\"VEC3\"", "\"type\":\"VEC2\""),
            "f.glb: accessor 0 has type VEC2 where VEC3 is needed; export the file again");
}

TEST(GltfErrors, NothingIsAllocatedOnAFilesWordAlone) {
  // No view: zeros, as many as the file likes to claim.
  EXPECT_EQ(message_with("\"bufferView\":0,\"componentType\":5126,\"count\":4,",
                         "\"componentType\":5126,\"count\":400000000000,")
                .substr(0, 60),
            "f.glb: mesh \"strip\" primitive 0 brings the document to more ");
}

TEST(GltfErrors, NumbersAreFinite) {
  SmallCharacter small;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(small.maker.bin.data() + 12, &nan, 4);
  EXPECT_EQ(message_of(small.glb()),
            "f.glb: accessor 0 has a number at element 1 that is not finite or beyond 1e18; "
            "repair it where the file was made");
  EXPECT_EQ(message_with("[0,1,0]", "[0,1e30,0]"),
            "f.glb: node \"tip\" has translation [0,1e+30,0]; 3 numbers of ordinary size are expected");
}

TEST(GltfErrors, IndicesAndJointsExist) {
  SmallCharacter small;
  const auto find_view = [&](std::size_t i) {
    return std::stoul(small.maker.views[i].substr(small.maker.views[i].find("Offset\":") + 8));
  };
  auto broken = small;
  broken.maker.bin[find_view(5)] = std::byte{9};
  EXPECT_EQ(message_of(broken.glb()), "f.glb: mesh \"strip\" primitive 0 has index 9 at 0; it has only 4 vertices");
  broken = small;
  broken.maker.bin[find_view(3)] = std::byte{5};
  EXPECT_EQ(message_of(broken.glb()),
            "f.glb: mesh \"strip\" primitive 0 has vertex 0 on joint 5; its skin has only 2 joints");
  EXPECT_EQ(message_with("\"joints\":[0,1]", "\"joints\":[0,1,2]"),
            "f.glb: skin 0 has 2 inverse bind matrices; it has 3 joints");
  EXPECT_EQ(message_with("\"joints\":[0,1]", "\"joints\":[]"),
            "f.glb: skin 0 has no joints; remove it, or export the file again");
  EXPECT_EQ(message_with(",\"JOINTS_0\":3", ""),
            "f.glb: mesh \"strip\" primitive 0 has WEIGHTS_0 without JOINTS_0; both are needed to skin it");
}

TEST(GltfErrors, KeysIncreaseAndMatchTheirTimes) {
  SmallCharacter small;
  const std::size_t times = std::stoul(small.maker.views[8].substr(small.maker.views[8].find("Offset\":") + 8));
  const float early = -1;
  std::memcpy(small.maker.bin.data() + times + 4, &early, 4);
  EXPECT_EQ(message_of(small.glb()),
            "f.glb: animation \"wave\" sampler 0 has key 1 at -1.000000 s after 0.000000 s; key times must increase");
  EXPECT_EQ(message_with("\"interpolation\":\"CUBICSPLINE\"", "\"interpolation\":\"LINEAR\""),
            "f.glb: animation \"wave\" sampler 2 has 9 output numbers for 3 keys; 3 are expected");
  EXPECT_EQ(
      message_with("\"interpolation\":\"STEP\"", "\"interpolation\":\"BEZIER\""),
      "f.glb: animation \"wave\" sampler 1 has interpolation \"BEZIER\"; LINEAR, STEP or CUBICSPLINE is expected");
}

TEST(GltfErrors, ReferencesStayInTheFolder) {
  GltfMaker maker;
  maker.floats("SCALAR", {1});
  for (const char* uri :
       {"../secret.bin", "a/../../b.bin", "%2e%2e/secret.bin", "/etc/passwd", "http://x/y.bin", "..\\\\b.bin"}) {
    const std::string message = message_of(GltfMaker::pack(maker.json("", uri), {}));
    EXPECT_NE(message.find("only files beside the document or in folders below it are read"), std::string::npos) << uri;
  }
  EXPECT_EQ(message_of(GltfMaker::pack(maker.json("", "a.bin"), {})),
            "f.glb: buffer 0 refers to the file \"a.bin\"; load the document by its path, or embed its data");
  EXPECT_EQ(message_of(GltfMaker::pack(maker.json("", "data:;base64,AA*A"), {})),
            "f.glb: buffer 0 has a malformed data: uri; export the file again");
}

TEST(GltfErrors, MachinesGetTheParts) {
  try {
    SmallCharacter small;
    small.members.replace(small.members.find("\"mesh\":0"), 8, "\"mesh\":3");
    load_gltf(small.glb(), "f.glb");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.info().element, "node \"body\"");
    EXPECT_EQ(error.info().value, "3");
  }
}

}  // namespace
}  // namespace rigspace::gltf_errors_test
