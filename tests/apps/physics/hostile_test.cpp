// Runs with absurd input: each ends in a finite result or in one clear sentence.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/error.h"
#include "support/ball.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

namespace rigspace::hostile_test {
namespace {

using testing::make_rod;
using testing::root_clip;

struct Hostile {
  std::string name;
  std::function<SoftMotion()> run;
};

std::vector<Part> tail(const Character& character, const char* field = nullptr, double value = 0) {
  std::vector<Part> parts = parts_from_pattern(character, "tail*=tail");
  if (field != nullptr) parts[0].settings.set(field, value);
  return parts;
}

const Animation kSway = root_clip("root.tx", {0, 0.2, 0.4}, {0, 0.3, 0.1}, Interpolation::linear);

const Animation kShort = root_clip("root.tx", {0, 0.05, 0.1}, {0, 0.05, 0}, Interpolation::linear);

/// Flesh around one bone, and what is done to it.
std::vector<Hostile> cases_of_flesh() {
  static const Character hard = testing::make_ball();
  static const Softened soft = soften(hard, parts_from_pattern(hard, "body=jelly"), {.max_per_part = 3});
  const auto with = [](const Animation& clip, const char* field = nullptr, double value = 0,
                       SimulationOptions options = {}) {
    std::vector<Part> parts = soft.parts;
    if (field != nullptr) parts[0].settings.set(field, value);
    return [=] { return simulate_parts(soft.character, &clip, parts, options); };
  };
  return {
      {"gravity times a hundred", with(kShort, "sag", 100, {.max_halvings = 2})},
      {"flesh like water", with(kShort, nullptr, 0, {.max_halvings = 2, .young = 1e-2})},
      {"flesh like steel", with(kShort, nullptr, 0, {.young = 1e10})},
      {"flesh that cannot be squeezed", with(kShort, nullptr, 0, {.poisson = 0.499})},
      {"flesh that teleports",
       with(root_clip("root.tx", {0, 0.05, 0.051, 0.1}, {0, 0, 1000, 1000}, Interpolation::step))},
      {"flesh that vanishes into a point",
       with(root_clip("root.sx", {0, 0.05, 0.1}, {1, 0, 1}, Interpolation::linear))},
      {"flesh a hundred times as large", with(root_clip("root.sx", {0, 0.1}, {100, 100}, Interpolation::linear))},
      {"flesh that follows the rest pose, upside down",
       with(root_clip("root.rz", {0, 0.1}, {3.1, 3.1}, Interpolation::linear), nullptr, 0,
            {.follow_animation = false})},
      {"flesh of a mesh of two triangles",
       [] {
         Character flat = testing::make_ball();
         flat.pieces[0].triangles.resize(2);
         const Softened none = soften(flat, parts_from_pattern(flat, "body=belly"));
         return simulate_parts(none.character, &kShort, none.parts);
       }},
  };
}

std::vector<Hostile> cases() {
  static const Character rod = make_rod(4);
  const auto with = [](const Animation& clip, const char* field = nullptr, double value = 0,
                       SimulationOptions options = {}) {
    return [=] { return simulate_parts(rod, &clip, tail(rod, field, value), options); };
  };
  std::vector<Hostile> list = {
      {"a clip of zero length", with(root_clip("root.tx", {0}, {0.5}, Interpolation::linear))},
      {"no clip at all", [] { return simulate_parts(rod, nullptr, tail(rod)); }},
      {"a root that teleports", with(root_clip("root.tx", {0, 0.2, 0.201, 0.4}, {0, 0, 1000, 1000}, Interpolation::step))},
      {"a root that spins", with(root_clip("root.rz", {0, 0.4}, {0, 200}, Interpolation::linear))},
      {"a root that shakes", with(root_clip("root.tx", {0, 0.01, 0.02, 0.03, 0.04, 0.4}, {0, 5, -5, 5, -5, 0}, Interpolation::linear))},
      {"a root that vanishes into a point", with(root_clip("root.sx", {0, 0.2, 0.4}, {1, 0, 1}, Interpolation::linear))},
      {"a root far away", with(root_clip("root.tx", {0, 0.4}, {1e7, 1e7 + 1}, Interpolation::linear))},
      {"a clip for joints that are not there", with(root_clip("gone.tx", {0, 0.4}, {0, 1}, Interpolation::linear))},
      {"the slowest rate", with(kSway, "rate", 1e-6)},
      {"the fastest rate", with(kSway, "rate", 60)},
      {"no settling", with(kSway, "settle", 60)},
      {"instant settling", with(kSway, "settle", 1e-6)},
      {"the longest lag", with(kSway, "lag", 5)},
      {"the tightest limit", with(kSway, "limit", 0.001)},
      {"the widest limit", with(kSway, "limit", 10)},
      {"full overlap", with(kSway, "overlap", 1)},
      {"no amount", with(kSway, "amount", 0)},
      {"ten times the amount", with(kSway, "amount", 10)},
      {"a tiny step", with(root_clip("root.tx", {0, 0.01}, {0, 0.1}, Interpolation::linear), nullptr, 0, {.step = 2e-5})},
      {"the coarsest step", with(kSway, nullptr, 0, {.step = 0.1})},
      {"a step of zero", with(kSway, nullptr, 0, {.step = 0})},
      {"a step that is no number", with(kSway, nullptr, 0, {.step = std::nan("")})},
      {"a scene in kilometres", with(kSway, nullptr, 0, {.metres_per_unit = 1000})},
      {"a scene in micrometres", with(kSway, nullptr, 0, {.metres_per_unit = 1e-6})},
      {"units that are not positive", with(kSway, nullptr, 0, {.metres_per_unit = -1})},
      {"implicit Euler", with(kSway, nullptr, 0, {.integrator = IntegratorKind::euler})},
      {"no parts", [] { return simulate_parts(rod, &kSway, std::vector<Part>{}); }},
      {"the same part twice", [] {
         std::vector<Part> parts = tail(rod);
         parts.push_back(parts[0]);
         return simulate_parts(rod, &kSway, parts);
       }},
      {"a part that moves no skin", [] {
         static Character bare = make_rod(3);
         bare.pieces.clear();
         return simulate_parts(bare, &kSway, tail(bare));
       }},
      {"the root itself as a part", [] { return simulate_parts(rod, &kSway, parts_from_pattern(rod, "root=tail")); }},
      {"one joint of a single triangle", [] {
         static Character sliver = make_rod(1);
         sliver.pieces[0].triangles.resize(1);
         return simulate_parts(sliver, &kSway, tail(sliver));
       }},
      {"twelve joints", [] {
         static const Character long_rod = make_rod(9);
         return simulate_parts(long_rod, &kSway, tail(long_rod));
       }},
  };
  return list;
}

void expect_an_end(const std::vector<Hostile>& all) {
  for (const Hostile& hostile : all) {
    SCOPED_TRACE(hostile.name);
    try {
      const SoftMotion motion = hostile.run();
      EXPECT_TRUE(motion.deviation.allFinite());
      EXPECT_LT(motion.deviation.cwiseAbs().maxCoeff(), 10 * 3.2);  // a half turn, times the largest amount
    } catch (const Error& error) {
      const std::string sentence = error.what();
      EXPECT_GT(sentence.size(), 10u);
      EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
      EXPECT_FALSE(error.info().remedy.empty()) << sentence;
    }
  }
}

TEST(Hostile, RunsOfChainsEndInAFiniteResultOrOneSentence) {
  EXPECT_GE(cases().size(), 30u);
  expect_an_end(cases());
}

TEST(Hostile, RunsOfFleshEndInAFiniteResultOrOneSentence) { expect_an_end(cases_of_flesh()); }

}  // namespace
}  // namespace rigspace::hostile_test
