#include "rigspace/apps/physics/part_stiffness.h"

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/recipe.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace::part_stiffness_test {
namespace {

const Character& flower() {
  static const Character character = with_all_bones(make_character("flower"));
  return character;
}

/// The blossom, two handles of three controls each.
Part blossom() {
  static const Part part =
      with_solid(flower(), control_part_from_pattern(flower(), "blossom=flesh"), {.use_cache = true});
  return part;
}

TEST(PartStiffness, IsSetByPatternsOnControlsNodesAndGroups) {
  std::vector<Part> parts{control_part_from_pattern(flower(), "blossom=flesh")};
  ASSERT_EQ(parts[0].controls.size(), 6u);
  set_stiffness(flower(), parts, "blossom_1.ty=4");
  EXPECT_EQ(parts[0].stiffness, (std::vector<double>{1, 4, 1, 1, 1, 1}));
  set_stiffness(flower(), parts, "blossom_2=0.5");
  EXPECT_EQ(parts[0].stiffness, (std::vector<double>{1, 4, 1, 0.5, 0.5, 0.5}));
  set_stiffness(flower(), parts, "blossom=2");
  EXPECT_EQ(parts[0].stiffness, std::vector<double>(6, 2));
  for (const char* wrong :
       {"stem=2", "blossom", "blossom=0", "blossom=-1", "blossom=soft", "blossom=4x", "blossom=inf"})
    EXPECT_THROW(set_stiffness(flower(), parts, wrong), Error) << wrong;
}

TEST(PartStiffness, GoesIntoTheSolidAndIsReported) {
  Part part = blossom();
  EXPECT_TRUE(stiffen(flower(), part).controls.empty());
  EXPECT_TRUE(part.flesh->factors.empty());
  set_stiffness(flower(), {&part, 1}, "blossom=4");
  const ControlStiffness result = stiffen(flower(), part);
  EXPECT_TRUE(result.feasible()) << stiffness_in_words(result, flower().rig->controls());
  EXPECT_EQ(part.flesh->factors.size(), part.flesh->mesh.tets.size());
  ASSERT_EQ(result.controls.size(), 6u);
  for (const ScaledControl& each : result.controls) EXPECT_NEAR(each.achieved, 4, 0.01);
}

double swing(const Part& part) {
  const SoftMotion motion =
      simulate_parts(flower(), flower().clip("Push"), {&part, 1}, {.end = 0.3, .looping = Looping::never});
  EXPECT_EQ(motion.failed_steps, 0);
  return motion.deviation.cwiseAbs().maxCoeff();
}

TEST(PartStiffness, HoldsWhatIsStiff) {
  Part part = blossom();
  part.settings.rate = 2;  // given, so that nothing is searched for
  const double plain = swing(part);
  ASSERT_GT(plain, 1e-3);
  set_stiffness(flower(), {&part, 1}, "blossom=1");
  stiffen(flower(), part);
  EXPECT_NEAR(swing(part), plain, 1e-6 * plain);
  set_stiffness(flower(), {&part, 1}, "blossom=9");
  stiffen(flower(), part);
  EXPECT_LT(swing(part), 0.35 * plain);
}

TEST(PartStiffness, AndMaterialAreInTheRecipe) {
  Recipe recipe{RecipeEnvelope{.version = "0.1.0", .input = {"flower.rig.json", 1, "00"}, .format = ".rigspace.json"}};
  Part part = control_part_from_pattern(flower(), "blossom=flesh");
  recipe.parts = recipe_parts(flower(), {&part, 1});
  const std::string plain = recipe_text(recipe);
  EXPECT_EQ(plain.find("stiffness\": ["), std::string::npos);
  EXPECT_EQ(plain.find("\"material\""), std::string::npos);
  set_stiffness(flower(), {&part, 1}, "blossom_2.tz=0.25");
  recipe.parts = recipe_parts(flower(), {&part, 1});
  recipe.options.physics.material = MaterialKind::stiffening;
  const std::string text = recipe_text(recipe);
  const Recipe back = parse_recipe(text, "flower.soft.json");
  EXPECT_EQ(recipe_text(back), text);
  EXPECT_EQ(back.options.physics.material, MaterialKind::stiffening);
  EXPECT_EQ(parts_from_recipe(flower(), back.parts)[0].stiffness, part.stiffness);
  std::string wrong = text;
  wrong.replace(wrong.find("0.25"), 4, "-0.5");
  EXPECT_THROW(parse_recipe(wrong, "flower.soft.json"), Error);
}

/// The blossom, soft and stiff: of the stiffening material it goes less far, and the more so the farther it goes.
TEST(StiffeningMaterial, BoundsFastMotion) {
  Part part = blossom();
  const auto swing_of = [&](MaterialKind kind, double rate) {
    part.settings.rate = rate;
    part.settings.limit = 1;
    const SoftMotion motion = simulate_parts(flower(), flower().clip("Push"), {&part, 1},
                                             {.end = 0.3, .looping = Looping::never, .material = kind});
    EXPECT_EQ(motion.failed_steps, 0);
    return motion.deviation.cwiseAbs().maxCoeff();
  };
  const auto ratio = [&](double rate) {
    return swing_of(MaterialKind::stiffening, rate) / swing_of(MaterialKind::stable_neo_hookean, rate);
  };
  const double soft = ratio(0.8);
  EXPECT_LT(soft, 0.8);
  const double stiff = ratio(6);
  EXPECT_GT(stiff, soft);
  EXPECT_LT(stiff, 1);
}

}  // namespace
}  // namespace rigspace::part_stiffness_test
