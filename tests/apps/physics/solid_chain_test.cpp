// Chains with flesh on them, as solids on their own joints.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/recipe.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>

namespace rigspace::solid_chain_test {
namespace {

/// Peanut on joints alone, made once, and those of its chains that were asked for.
struct Elephant {
  const Character& character = made();

  static const Character& made() {
    static const Character elephant = make_character("peanut", Version::skeleton);
    return elephant;
  }

  std::vector<Part> chains(std::initializer_list<std::string_view> names) const {
    std::vector<Part> parts;
    for (Part& part : find_parts(character))
      if (std::find(names.begin(), names.end(), part.name) != names.end()) parts.push_back(std::move(part));
    return parts;
  }
};

TEST(SolidChain, IsATrunkAndAFatTailButNoEar) {
  const Elephant elephant;
  const Softened soft = soften(elephant.character, elephant.chains({"trunk", "tail", "ear_l", "ear_r"}),
                               {.chains = ChainForm::automatic});
  std::map<std::string, const Part*> named;
  for (const Part& part : soft.parts) named[part.name] = &part;
  for (const char* name : {"trunk", "tail"}) {
    ASSERT_NE(named.at(name)->flesh, nullptr) << name;
    EXPECT_GT(named.at(name)->flesh->chain_length, 0);
    EXPECT_EQ(named.at(name)->flesh->controls.size(), 3 * named.at(name)->bones.size());
  }
  EXPECT_EQ(named.at("ear_l")->flesh, nullptr);
  EXPECT_EQ(named.at("ear_r")->flesh, nullptr);
  ASSERT_EQ(soft.notes.size(), 4u);  // one sentence a part
  for (const std::string& note : soft.notes)
    EXPECT_NE(note.find(note.starts_with("ear") ? "moves as rods" : "moves as a solid"), std::string::npos) << note;
}

TEST(SolidChain, IsOnlyMadeWhereItIsAskedFor) {
  const Elephant elephant;
  const Softened soft = soften(elephant.character, elephant.chains({"trunk", "tail"}));
  for (const Part& part : soft.parts) EXPECT_EQ(part.flesh, nullptr);
  EXPECT_TRUE(soft.notes.empty());
}

TEST(SolidChain, HoldsItsRootAndNothingElse) {
  const Elephant elephant;
  const Softened soft = soften(elephant.character, elephant.chains({"trunk"}), {.chains = ChainForm::automatic});
  const Flesh& flesh = *soft.parts.front().flesh;
  // Tets lie from the root, where depths are 0, to the tip, where they are 1; what is held lies at the root.
  EXPECT_LT(*std::min_element(flesh.depths.begin(), flesh.depths.end()), 0.1);
  EXPECT_GT(*std::max_element(flesh.depths.begin(), flesh.depths.end()), 0.9);
  for (std::size_t t = 0; t < flesh.depths.size(); ++t)
    if (flesh.depths[t] > 0.35) {
      for (const int node : flesh.mesh.tets[t]) EXPECT_NE(flesh.nodes[node], FleshNode::held) << t;
    }
}

TEST(SolidChain, SwingsAsChainsDoAndKeepsItsVolume) {
  const Elephant elephant;
  const Animation* walk = elephant.character.clip("Walk");
  const std::vector<Part> tail = elephant.chains({"tail"});
  const Softened solid = soften(elephant.character, tail, {.chains = ChainForm::automatic});
  const SoftMotion motion = simulate_parts(solid.character, walk, solid.parts, {});
  const SoftMotion rods = simulate_parts(elephant.character, walk, tail, {});
  EXPECT_EQ(motion.failed_steps, 0);
  EXPECT_EQ(motion.controls, rods.controls);  // rx ry rz of its joints, and nothing new
  const PartReport &report = motion.parts.front(), &beside = rods.parts.front();
  EXPECT_FALSE(report.flesh);
  EXPECT_GE(report.swing, 5 * kDegree);
  EXPECT_LE(report.swing, 20 * kDegree);
  EXPECT_GT(report.smallest_volume, 0.2);
  EXPECT_LT(report.volume_change, 0.03);
  // Solids are measured on points that are rounded to 6e-8 of the character (own_frame.h), rods on the points.
  EXPECT_NEAR(report.length, beside.length, 1e-6);
  EXPECT_NEAR(report.rate, beside.rate, 0.5 * beside.rate);  // from the same size
  EXPECT_LT(motion.seam, 1e-3);
}

TEST(SolidChain, BendsMoreTowardItsTipWithMoreOverlap) {
  const Elephant elephant;
  const Animation* walk = elephant.character.clip("Walk");
  const auto tip_to_root = [&](double overlap) {
    std::vector<Part> tail = elephant.chains({"tail"});
    tail.front().settings.set("overlap", overlap);
    tail.front().settings.set("rate", 1.5);
    const Softened solid = soften(elephant.character, tail, {.chains = ChainForm::automatic});
    const SoftMotion motion = simulate_parts(solid.character, walk, solid.parts, {.end = 0.5});
    const Eigen::Index rows = motion.deviation.rows();
    return motion.deviation.bottomRows(rows - 3).norm() / motion.deviation.topRows(3).norm();
  };
  EXPECT_GT(tip_to_root(1), 1.1 * tip_to_root(0));
}

TEST(SolidChain, IsInTheRecipeOnlyWhereItIsNotRods) {
  Recipe recipe{RecipeEnvelope{.version = "0", .input = {.file = "x.glb", .hash = "0"}, .format = ".glb"}};
  recipe.parts.push_back({.name = "tail", .preset = "tail", .joints = {"tail_01"}, .settings = {}});
  EXPECT_EQ(recipe_text(recipe).find("\"chains\""), std::string::npos);
  recipe.options.chains = ChainForm::automatic;
  EXPECT_EQ(parse_recipe(recipe_text(recipe), "x.soft.json").options.chains, ChainForm::automatic);
}

}  // namespace
}  // namespace rigspace::solid_chain_test
