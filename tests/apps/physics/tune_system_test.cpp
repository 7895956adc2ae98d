// Parts are tuned on one clip, but the other loops of the character count too (docs/default-look.md, "One rate for all
// clips").

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/parts/part_finder.h"
#include "support/caped_box.h"
#include "support/swinging_rod.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>

namespace rigspace::tune_system_test {
namespace {

using testing::make_rod;

/// One turn of a sine of a control of the root, as a loop.
Animation wave(const char* name, const char* control, double duration, double amplitude) {
  std::vector<double> times, values;
  for (int k = 0; k <= 24; ++k) {
    times.push_back(duration * k / 24);
    values.push_back(amplitude * std::sin(2 * std::numbers::pi * k / 24));
  }
  Animation clip = testing::root_clip(control, times, values, Interpolation::linear);
  clip.name = name;
  return clip;
}

const SimulationOptions kLoops{.looping = Looping::always};

double rate_of(const char* name) {
  Character rod = make_rod(4);
  rod.clips = {wave(name, "root.rz", 0.8, 0.15)};
  return tune_parts(rod, rod.clips[0], parts_from_pattern(rod, "tail*=tail"), kLoops).front().rate;
}

TEST(TuneSystem, WhatSwimsIsQuickerThanItsStroke) {
  EXPECT_GE(rate_of("Swimming_Fast"), 1.4 / 0.8 - 1e-9);
  EXPECT_LT(rate_of("Sway"), 1.4 / 0.8 - 0.1) << "a rate of its size, on land";
}

// The stroke is found before a rate is: a sheet's springs, which follow from rate and settling time, were no numbers
// then.
TEST(TuneSystem, ASheetOfWhatSwimsIsQuickerThanItsStroke) {
  Character swimmer = testing::CapedBox().make();
  swimmer.clips[0].name = "Swim";  // two strides in two seconds
  const Softened soft = soften(swimmer, find_parts(swimmer), {.use_cache = false});
  ASSERT_EQ(soft.parts.size(), 1u);
  const PartTuning tuning = tune_parts(soft.character, soft.character.clips[0], soft.parts, kLoops).front();
  EXPECT_GE(tuning.rate, 1.4 - 1e-9);
  EXPECT_TRUE(std::isfinite(tuning.rate) && std::isfinite(tuning.settle) && tuning.settle > 0);
}

/// The sway of the rod's root, and a second control that jumps within a frame, and back `frames` later (0: never).
Animation sway_with_jump(const char* control, double jump, int frames) {
  std::vector<double> times, sway, jumping;
  for (int k = 0; k <= 60; ++k) {
    times.push_back(k / 30.0);
    sway.push_back(0.1 * std::sin(2 * std::numbers::pi * k / 30));
    jumping.push_back(k >= 31 && (frames == 0 || k < 31 + frames) ? jump : 0);
  }
  Animation clip = testing::root_clip("root.rz", times, sway, Interpolation::linear);
  clip.tracks.push_back({control, {.interpolation = Interpolation::linear, .times = times, .values = jumping}});
  clip.name = "Sway";
  return clip;
}

// A root that is put back, or a key that is off for a frame, is no motion: rate, amount and swing stay what they are
// without it. (As motion it asks for 5 Hz.)
TEST(TuneSystem, AJumpWithinAFrameIsNotFelt) {
  Character rod = make_rod(4);
  rod.clips = {sway_with_jump("root.tx", 0, 1)};
  const std::vector<Part> parts = parts_from_pattern(rod, "tail*=tail");
  const PartTuning plain = tune_parts(rod, rod.clips[0], parts, kLoops).front();
  const double swing = simulate_parts(rod, &rod.clips[0], parts, kLoops).parts[0].swing;
  EXPECT_LT(plain.rate, 4);
  for (const auto& [control, jump, frames] : {std::tuple{"root.tx", 5.0, 1},
                                              {"root.tx", 5.0, 2},
                                              {"root.ry", 2.0, 1},
                                              {"root.ty", -3.0, 1},
                                              {"root.rx", 2.5, 1}}) {
    rod.clips = {sway_with_jump(control, jump, frames)};
    const PartTuning tuning = tune_parts(rod, rod.clips[0], parts, kLoops).front();
    EXPECT_NEAR(tuning.rate, plain.rate, 0.15 * plain.rate) << control << " for " << frames;
    EXPECT_NEAR(tuning.ease, plain.ease, 0.15) << control << " for " << frames;
    const SoftMotion motion = simulate_parts(rod, &rod.clips[0], parts, kLoops);
    EXPECT_NEAR(motion.parts[0].swing, swing, 0.25 * swing) << control << " for " << frames;
    EXPECT_GE(motion.jumps, 1) << control << " for " << frames;
  }
  SimulationOptions feeling = kLoops;
  feeling.corrections.jumps = false;
  EXPECT_EQ(simulate_parts(rod, &rod.clips[0], parts, feeling).jumps, 0);
}

// The same of a tail with flesh, whose nodes are tied to the rig in a frame of their own.
TEST(TuneSystem, ASolidTailFeelsNoJumpEither) {
  Character bobbin = make_character("bobbin");
  const Softened soft =
      soften(bobbin, parts_from_pattern(bobbin, "tail*=tail"), {.chains = ChainForm::solids, .use_cache = false});
  ASSERT_FALSE(soft.parts[0].flesh == nullptr);
  const Animation walk = *bobbin.clip("Walk");
  const auto tuned = [&](const Animation& clip) {
    return tune_parts(soft.character, clip, soft.parts, {.looping = Looping::always, .use_cache = false}).front();
  };
  const PartTuning plain = tuned(walk);
  std::vector<double> times, way;
  RotationTrack flip{.node = "root"};
  const int frames = static_cast<int>(std::lround(30 * walk.duration));
  for (int k = 0; k <= frames; ++k) {
    times.push_back(walk.duration * k / frames);
    way.push_back(k == 13 ? 4.0 : 0.0);
    flip.values.push_back(k == 13 ? Vec4(std::sin(1.3), 0, 0, std::cos(1.3)) : Vec4(0, 0, 0, 1));
  }
  flip.times = times;
  Animation moved = walk, flipped = walk;
  std::erase_if(moved.tracks, [](const Track& track) { return track.control == "root.tx"; });
  moved.tracks.push_back({"root.tx", {.times = times, .values = way}});
  std::erase_if(flipped.rotations, [](const RotationTrack& track) { return track.node == "root"; });
  flipped.rotations.push_back(flip);
  for (const Animation* clip : {&moved, &flipped}) {
    const PartTuning tuning = tuned(*clip);
    EXPECT_NEAR(tuning.rate, plain.rate, 0.25 * plain.rate) << (clip == &moved ? "moved" : "flipped");
    EXPECT_GT(tuning.ease, 0.7) << (clip == &moved ? "moved" : "flipped");
  }
}

TEST(TuneSystem, ALoopThatShakesTheChainAlongItselfIsNotHeld) {
  Character rod = make_rod(4);
  rod.clips = {wave("Sway", "root.rz", 1.2, 0.1), wave("Bounce", "root.ty", 0.5, 0.3)};
  const std::vector<Part> parts = parts_from_pattern(rod, "tail*=tail");
  SimulationOptions options = kLoops;
  options.tuning = tune_parts(rod, rod.clips[0], parts, kLoops);
  const SoftMotion motion = simulate_parts(rod, &rod.clips[1], parts, options);
  EXPECT_EQ(motion.parts.front().held, 1);
  EXPECT_LT(motion.parts.front().swing, 35 * std::numbers::pi / 180);
}

// A search that jumps where a swing crosses a bound would give neighbours of one character other rates.
TEST(TuneSystem, DoesNotJumpWhereTheUnitChangesByAMillionth) {
  const Character bobbin = make_character("bobbin");
  const Softened soft = soften(bobbin, find_parts(bobbin), {.use_cache = false});
  const auto tuned = [&](double metres) {
    return tune_parts(soft.character, *soft.character.clip("Walk"), soft.parts,
                      {.metres_per_unit = metres, .use_cache = false});
  };
  const std::vector<PartTuning> here = tuned(1);
  ASSERT_GE(here.size(), 3u);
  const std::vector<PartTuning> there = tuned(1 + 1e-6);
  for (std::size_t k = 0; k < here.size(); ++k) {
    EXPECT_NEAR(there[k].rate, here[k].rate, 1e-3 * here[k].rate) << soft.parts[k].name;
    EXPECT_NEAR(there[k].raised, here[k].raised, 1e-3 * here[k].raised) << soft.parts[k].name;
    EXPECT_NEAR(there[k].ease, here[k].ease, 1e-3 * here[k].ease) << soft.parts[k].name;
  }
}

}  // namespace
}  // namespace rigspace::tune_system_test
