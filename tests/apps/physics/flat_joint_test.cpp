// A joint of scale zero holds its skin at a point, and nothing can be carried in its space: flesh there follows the
// joint above.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/files.h"
#include "rigspace/io/gltf.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <cstring>

namespace rigspace::flat_joint_test {
namespace {

/// The file with one node's "scale" set to zero: its JSON chunk is made anew, the rest is as it was.
std::vector<std::byte> with_flat_node(const std::vector<std::byte>& glb, const std::string& name) {
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, 4);
  std::string json(reinterpret_cast<const char*>(glb.data()) + 20, length);
  const auto at = json.find("\"name\":\"" + name + "\"");
  if (at == std::string::npos) return {};
  json.insert(at, "\"scale\":[0,0,0],");
  while (json.size() % 4 != 0) json.push_back(' ');
  std::vector<std::byte> made(glb.begin(), glb.begin() + 20);
  const auto* text = reinterpret_cast<const std::byte*>(json.data());
  made.insert(made.end(), text, text + json.size());
  made.insert(made.end(), glb.begin() + 20 + length, glb.end());
  const auto all = static_cast<std::uint32_t>(made.size()), own = static_cast<std::uint32_t>(json.size());
  std::memcpy(made.data() + 8, &all, 4);
  std::memcpy(made.data() + 12, &own, 4);
  return made;
}

TEST(FlatJoint, LeavesItsFleshToTheJointAbove) {
  RIGSPACE_ASSET_OR_SKIP(fox, "khr_Fox/Fox.glb");
  for (const char* joint : {"b_Tail03_014", "b_Spine02_03"}) {
    SCOPED_TRACE(joint);
    const auto bytes = with_flat_node(read_file(fox), joint);
    ASSERT_FALSE(bytes.empty());
    const Character character = load_gltf(bytes, "fox.glb");
    ASSERT_FALSE(character.warnings.empty());
    EXPECT_NE(character.warnings.back().find("a scale of zero at rest (\"" + std::string(joint) + "\")"),
              std::string::npos);
    const Softened soft = soften(character, find_parts(character), {.chains = ChainForm::automatic});
    const SoftMotion motion = simulate_parts(soft.character, character.clip("Walk"), soft.parts, {.end = 0.2});
    EXPECT_TRUE(motion.deviation.allFinite());
  }
}

}  // namespace
}  // namespace rigspace::flat_joint_test
