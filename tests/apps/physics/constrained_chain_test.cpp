// Chains whose joints are moved by constraints: their slots are those of the constraints, which have no controls.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace rigspace::constrained_chain_test {
namespace {

namespace fs = std::filesystem;

/// The first of the cast with a rig file in which the third joint of the tail copies half the turn of the first.
Character with_copied_turn() {
  const fs::path folder = fs::temp_directory_path() / ("rigspace_copied_turn_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  write_file(folder / "hero.glb", to_glb(make_character("bobbin")));
  write_file(folder / "hero.rig.json",
             std::string(R"({"rigspace_rig": 1, "name": "hero", "mesh": "hero.glb", "constraints": [)"
                         R"({"type": "orient", "node": "tail_03", "target": "tail_01", "influence": 0.5}]})"));
  Character character = load_character(folder / "hero.rig.json");
  fs::remove_all(folder);
  return character;
}

TEST(ConstrainedChain, MovesAsRodsAndAsASolid) {
  const Character character = with_copied_turn();
  const Animation* walk = character.clip("Walk");
  ASSERT_NE(walk, nullptr);
  for (const ChainForm form : {ChainForm::rods, ChainForm::solids}) {
    const Softened soft = soften(character, parts_from_pattern(character, "tail_*=tail"), {.chains = form});
    const SoftMotion motion = simulate_parts(soft.character, walk, soft.parts, {.end = 0.3});
    EXPECT_TRUE(motion.deviation.allFinite());
    EXPECT_GT(motion.deviation.cwiseAbs().maxCoeff(), 1e-3);
  }
}

}  // namespace
}  // namespace rigspace::constrained_chain_test
