// Chains with flesh on them, as solids on their own joints.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/recipe.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

TEST(SolidChain, IsRodsWhereAPartOfItsWordIs) {
  const Elephant elephant;
  std::vector<Part> parts = elephant.chains({"trunk", "ear_l"});
  ASSERT_EQ(parts.size(), 2u);
  for (Part& part : parts)
    if (part.name == "ear_l") part.name = "trunk_2";
  const Softened soft = soften(elephant.character, parts, {.chains = ChainForm::automatic});
  for (const Part& part : soft.parts) EXPECT_EQ(part.flesh, nullptr) << part.name;
  EXPECT_TRUE(std::ranges::count(soft.notes, "trunk moves as rods: so does trunk_2") == 1);
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

constexpr double kTubeRadius = 0.1;

/// A closed tube that hangs from a wide block down to y = 0; the axis of its three joints lies `aside` of the middle of
/// the tube. A clip of this name turns the block to and fro, once in 0.8 s.
Character hanging_tube(double aside, const char* clip) {
  constexpr int kRings = 24, kAround = 10;
  Character character{.name = "tube"};
  ControlGraph graph;
  SkinDescription skin;
  const double heights[] = {1.4, 1, 0.65, 0.3};
  for (int b = 0; b < 4; ++b) {
    const Vec3 at(b == 0 ? 0 : aside, heights[b], 0);
    const Vec3 from = b == 0 ? Vec3(0, 0, 0) : Vec3(b == 1 ? 0 : aside, heights[b - 1], 0);
    const std::string name = b == 0 ? "root" : "tail_0" + std::to_string(b);
    const int parent = b == 0 ? -1 : character.bones.back().slot;
    const int slot = add_node(graph, {.name = name, .parent_slot = parent, .translation = at - from});
    character.bones.push_back({.name = name, .parent = b - 1, .slot = slot});
    Affine bind = Affine::Identity();
    bind.col(3) = -at;
    skin.joint_slots.push_back(slot), skin.inverse_bind.push_back(bind);
  }
  std::vector<double> points;
  Piece piece{.name = "skin"};
  for (int ring = 0; ring <= kRings; ++ring) {  // both ends are closed by a ring of no radius
    const double y = 1.5 - 1.5 * ring / kRings;
    const double radius = ring == 0 || ring == kRings ? 0 : y > 1.02 ? 3 * kTubeRadius : kTubeRadius;
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kAround;
      points.insert(points.end(), {radius * std::cos(angle), y, radius * std::sin(angle)});
      const double along = std::clamp((1.1 - y) / 0.35, 0.0, 3.0);
      const int bone = std::min(2, static_cast<int>(along));
      skin.influences.push_back({{bone, 1 - (along - bone)}, {bone + 1, along - bone}});
      if (ring == kRings) continue;
      const int a = ring * kAround + k, b = ring * kAround + (k + 1) % kAround;
      piece.triangles.push_back({a, b, a + kAround}), piece.triangles.push_back({b, b + kAround, a + kAround});
    }
  }
  piece.point_count = static_cast<int>(points.size() / 3);
  character.pieces.push_back(piece);
  RotationTrack turns{.node = "root", .interpolation = Interpolation::linear};
  for (int k = 0; k <= 24; ++k) {
    const double half = 0.5 * 0.15 * std::sin(2 * std::numbers::pi * k / 24);
    turns.times.push_back(0.8 * k / 24), turns.values.emplace_back(0, 0, std::sin(half), std::cos(half));
  }
  character.clips.push_back({.name = clip, .duration = 0.8, .rotations = {turns}});
  character.rig =
      std::make_shared<BuiltInRig>(std::make_shared<ControlGraph>(std::move(graph)),
                                   Eigen::Map<const Vec>(points.data(), static_cast<Eigen::Index>(points.size())),
                                   std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(skin)});
  return character;
}

TEST(SolidChain, IsRodsWhereASwingWouldChangeItsVolume) {
  for (const double aside : {0.0, 2.5 * kTubeRadius}) {
    const Character tube = hanging_tube(aside, "Sway");
    const Softened soft = soften(tube, parts_from_pattern(tube, "tail*=tail"), {.chains = ChainForm::automatic});
    EXPECT_EQ(soft.parts.front().flesh != nullptr, aside == 0) << soft.notes.front();
    if (aside > 0) {
      EXPECT_NE(soft.notes.front().find("moves as rods: its volume would change by"), std::string::npos);
    }
  }
}

TEST(SolidChain, ThatHangsDownToTheGroundIsFree) {
  const Character tube = hanging_tube(0, "Sway");
  const SoftMotion motion = simulate_parts(tube, tube.clips.data(), parts_from_pattern(tube, "tail*=tail"), {});
  EXPECT_GT(motion.parts.front().swing, 5 * kDegree);
  EXPECT_EQ(motion.parts.front().grounded, 1);
}

TEST(SolidChain, ThatSwimsIsQuickerThanItsStroke) {
  const Character tube = hanging_tube(0, "Swim");
  const Softened soft = soften(tube, parts_from_pattern(tube, "tail*=tail"), {.chains = ChainForm::solids});
  ASSERT_NE(soft.parts.front().flesh, nullptr);
  const SimulationOptions loops{.looping = Looping::always};
  EXPECT_GE(tune_parts(soft.character, soft.character.clips[0], soft.parts, loops).front().rate, 1.4 / 0.8 - 1e-9);
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
