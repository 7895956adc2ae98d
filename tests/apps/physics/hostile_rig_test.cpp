// Runs on a rig's own controls with absurd input: each ends in a finite result or in one clear sentence. With those of
// hostile_test.cpp they are more than fifty.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/part_stiffness.h"
#include "rigspace/base/error.h"
#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/rig/black_box.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>

namespace rigspace::hostile_rig_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const Character& bar() {
  static const Character character = with_all_bones(make_character("bar"));
  return character;
}

Part part_of(const Character& character, const char* pattern = "p?=tail") {
  Part part = with_solid(character, control_part_from_pattern(character, pattern), {.use_cache = true});
  part.settings.rate = 2;  // asked for, so that it is not looked for run by run
  return part;
}

Animation clip_of(const char* control, std::vector<double> times, std::vector<double> values) {
  Animation clip{.name = "clip", .duration = times.back()};
  Curve curve;
  curve.interpolation = Interpolation::linear;
  curve.times = std::move(times), curve.values = std::move(values);
  clip.tracks.push_back({control, std::move(curve)});
  return clip;
}

const Animation kShake = clip_of("bar.ty", {0, 0.05, 0.1}, {0, 0.1, 0});

/// The bar as a black box whose answers are spoiled.
Character spoiled(std::function<void(Vec&)> spoil, int count_off = 0) {
  Character character = bar();
  const std::shared_ptr<const Rig> rig = character.rig;
  BlackBoxDescription box{.name = "spoiled bar"};
  box.controls.assign(rig->controls().begin(), rig->controls().end());
  box.point_count = rig->point_count();
  box.noise = 0;
  box.evaluate = [rig, spoil, count_off](In p, Vec& s) {
    rig->evaluate(*rig->make_workspace(), p, s);
    if (spoil) spoil(s);
    if (count_off != 0) s.conservativeResize(s.size() + 3 * count_off);
  };
  character.rig = std::make_shared<BlackBoxRig>(box);
  character.bones.clear();
  return character;
}

struct Hostile {
  std::string name;
  std::function<double()> run;  ///< the largest number that came out, finite
};

double largest(const SoftMotion& motion) {
  return motion.deviation.size() > 0 && motion.deviation.allFinite() ? motion.deviation.cwiseAbs().maxCoeff()
         : motion.deviation.size() == 0                              ? 0
                                                                     : kNan;
}

std::function<double()> with(const Animation& clip, const char* field = nullptr, double value = 0,
                             SimulationOptions options = {}) {
  return [=] {
    Part part = part_of(bar());
    if (field != nullptr) part.settings.set(field, value);
    return largest(simulate_parts(bar(), &clip, std::vector{part}, options));
  };
}

std::function<double()> stiff(const char* words) {
  return [=] {
    std::vector parts{part_of(bar())};
    set_stiffness(bar(), parts, words);
    stiffen(bar(), parts[0]);
    return largest(simulate_parts(bar(), &kShake, parts));
  };
}

std::function<double()> hits(std::vector<double> times) {
  return [=] {
    Part part = part_of(bar());
    part.settings.hits = times;
    return largest(simulate_parts(bar(), &kShake, std::vector{part}));
  };
}

std::function<double()> papers(RigSpaceOptions options, double shift = 0.1) {
  return [=] {
    std::vector<int> free;
    for (const char* name : {"p1", "p2", "p3", "p4"}) free.push_back(bar().rig->find(name));
    std::sort(free.begin(), free.end());
    RigSpaceSimulation simulation(make_rig_body(bar(), {.cell = 0.1, .use_cache = true}), free, options);
    Vec p = bar().rig->rest();
    for (int k = 0; k < 4; ++k) {
      p[bar().rig->find("bar.ty")] += shift;
      simulation.step(p);
    }
    return simulation.nodes().allFinite() ? simulation.controls().cwiseAbs().maxCoeff() : kNan;
  };
}

std::vector<Hostile> cases() {
  return {
      {"gravity times a hundred", with(kShake, "sag", 100, {.max_halvings = 2})},
      {"flesh like water", with(kShake, nullptr, 0, {.max_halvings = 2, .young = 1e-2})},
      {"flesh like steel", with(kShake, nullptr, 0, {.young = 1e10})},
      {"flesh that cannot be squeezed", with(kShake, nullptr, 0, {.poisson = 0.499})},
      {"a limit of nearly nothing", with(kShake, "limit", 0.01)},
      {"a rate of a thousandth", with(kShake, "rate", 0.05)},
      {"a teleport", with(clip_of("bar.tx", {0, 0.05, 0.0501, 0.1}, {0, 0, 1000, 1000}))},
      {"a key that is no number", with(clip_of("bar.tx", {0, 0.05, 0.1}, {0, kNan, 0}))},
      {"a scale of nothing", with(clip_of("bar.sx", {0, 0.05, 0.1}, {1, 0, 1}))},
      {"a clip without length", with(clip_of("bar.tx", {0}, {0}))},
      {"a clip that keys what is simulated", with(clip_of("p2", {0, 0.05, 0.1}, {0, 2, 0}))},
      {"learning from a rig that hardly moves", with(kShake, "amount", 0, {.curvature = RigCurvature::bfgs})},
      {"second derivatives all the way", with(kShake, nullptr, 0, {.curvature = RigCurvature::exact})},
      {"an interior that is carried, of flesh like water",
       with(kShake, nullptr, 0, {.max_halvings = 2, .young = 1e-2, .interior = Interior::carried})},
      {"stiffness ratios of a million", stiff("p4=1e6")},
      {"stiffness of nearly nothing", stiff("p?=1e-6")},
      {"stiffness of nothing", stiff("p1=0")},
      {"stiffness of a control that is not there", stiff("q*=2")},
      {"hits before, after and between", hits({-1, 0, 0.05, 0.05, 9})},
      {"a hit at no time", hits({kNan})},
      {"in the middle of a ball",
       [] {
         SimulationOptions options;
         options.collisions.obstacles = {obstacle_from_words("sphere:0,0.5,0,0.3")};
         return largest(simulate_parts(bar(), &kShake, std::vector{part_of(bar())}, options));
       }},
      {"a ball without a radius",
       [] { return obstacle_from_words("sphere:0,0,0,0").shape.nearest(Vec3::Ones(), 9).gap; }},
      {"a ball that is no number",
       [] { return obstacle_from_words("sphere:nan,0,0,1").shape.nearest(Vec3::Ones(), 9).gap; }},
      {"a black box that answers no number",
       [] {
         const Character character = spoiled([](Vec& s) { s[4] = kNan; });
         return largest(simulate_parts(character, &kShake, std::vector{part_of(character)}));
       }},
      {"a black box that answers too much",
       [] {
         const Character character = spoiled({}, 1);
         return largest(simulate_parts(character, &kShake, std::vector{part_of(character)}));
       }},
      {"a black box that trembles",
       [] {
         // Numbers are drawn once and begin elsewhere each time: drawn anew they would take most of the run.
         const auto random = std::make_shared<std::mt19937>(7);
         const auto noise = std::make_shared<std::array<double, 4096>>();
         for (double& each : *noise) each = std::normal_distribution<double>(0, 1e-6)(*random);
         const Character character = spoiled([random, noise](Vec& s) {
           std::size_t k = (*random)();
           for (double& each : s) each += (*noise)[k++ % noise->size()];
         });
         return largest(simulate_parts(character, &kShake, std::vector{part_of(character)}, {.max_halvings = 2}));
       }},
      {"two parts on the same controls",
       [] {
         return largest(simulate_parts(bar(), &kShake, std::vector{part_of(bar()), part_of(bar())}));
       }},
      {"the papers' setting under gravity times a hundred",
       papers({.material = {.young = 1e4}, .gravity = {0, -981, 0}})},
      {"the papers' setting with a step of a second", papers({.step = 1, .material = {.young = 1e4}})},
      {"the papers' setting with keys of a thousand metres", papers({.material = {.young = 1e5}}, 1000)},
      {"the papers' setting in flesh that forbids inversion",
       papers({.material = {.kind = MaterialKind::neo_hookean, .young = 1e3}, .gravity = {0, -100, 0}})},
  };
}

TEST(Hostile, RunsOnControlsEndInAFiniteResultOrOneSentence) {
  const std::vector<Hostile> all = cases();
  EXPECT_GE(all.size(), 30u);
  for (const Hostile& hostile : all) {
    SCOPED_TRACE(hostile.name);
    try {
      EXPECT_TRUE(std::isfinite(hostile.run()));
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
      EXPECT_GT(std::string(error.what()).size(), 20u);
    }
  }
}

}  // namespace
}  // namespace rigspace::hostile_rig_test
