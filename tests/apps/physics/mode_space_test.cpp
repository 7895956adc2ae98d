// Modes of controls as a smaller space for physics (RSP 6, fig. 7): found on one clip, used on another.

#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/mode_rig.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/rig_file_extend.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace rigspace::mode_space_test {
namespace {

const RiggedCharacter& peanut() {
  static const RiggedCharacter rigged = make_rigged_character("peanut");
  return rigged;
}

Part belly(const Character& character, const std::string& pattern) {
  return with_solid(character, control_part_from_pattern(character, pattern + "=belly"));
}

/// A stretch of a clip, and what the first result finds for it on all controls: given, so that nothing is searched for,
/// and both spaces are asked for the same.
struct Excerpt {
  std::string clip;
  double rate, settle;  // Hz, s
  double start, end;    // s
};

Excerpt walk(double start, double end) { return {"Walk", 2.2, 0.9, start, end}; }
Excerpt dance(double start, double end) { return {"Dance", 4.0, 0.5, start, end}; }

Animation simulated(const Character& character, Part part, const Excerpt& excerpt) {
  part.settings.rate = excerpt.rate;
  part.settings.settle = excerpt.settle;
  const Animation* clip = character.clip(excerpt.clip);
  const SoftMotion motion =
      simulate_parts(character, clip, std::vector<Part>{part},
                     {.start = excerpt.start, .end = excerpt.end, .preroll = 0.1, .looping = Looping::never});
  EXPECT_EQ(motion.failed_steps, 0);
  return soft_clip(character, clip, motion, 60);
}

/// Six modes of one excerpt, used on another.
void expect_modes_to_do(const Excerpt& learned, const Excerpt& used) {
  const Character& full = peanut().character;
  const Part all = belly(full, "belly");
  ASSERT_EQ(all.controls.size(), 36u);
  const Animation lesson = simulated(full, all, learned);
  const std::vector<ModeSample> samples{{&lesson, full.clip(learned.clip)}};
  const ControlModes modes = find_modes(full, all.controls, samples, {.count = 6});
  EXPECT_GT(modes.share(), 0.95);
  const Character reduced = extended(peanut(), slider_parts(modes, full.rig->controls(), {.name = "mode"})).character;
  const Part few = belly(reduced, "mode_*");
  ASSERT_EQ(few.controls.size(), 6u);
  const Animation a = simulated(full, all, used), b = simulated(reduced, few, used);
  std::vector<double> times;
  for (double t = used.start; t <= used.end + 1e-9; t += 1.0 / 60) times.push_back(t);
  const double height = rest_height(*full.rig);
  const double swing = surface_error(*reduced.rig, *full.clip(used.clip), a, times).distance / height;
  const double apart = surface_error(*reduced.rig, a, b, times).distance / height;
  ::testing::Test::RecordProperty("swing", std::to_string(swing));
  ::testing::Test::RecordProperty("apart", std::to_string(apart));
  EXPECT_GT(swing, 0.01);         // there is something to compare
  EXPECT_LT(apart, 0.02);         // fig. 7: under 2 % of the height
  EXPECT_LT(apart, 0.4 * swing);  // and of what physics does, most is there
}

TEST(ModeSpace, LearnedOnTheWalkDoesTheDance) {
  const bool all = std::getenv("RIGSPACE_TEST_ALL") != nullptr;
  expect_modes_to_do(walk(0, 1.1), dance(all ? 0 : 0.6, all ? 2.4 : 1.0));
}

TEST(ModeSpace, LearnedOnTheDanceDoesTheWalk) {
  if (std::getenv("RIGSPACE_TEST_ALL") == nullptr) GTEST_SKIP() << "long; RIGSPACE_TEST_ALL=1 runs it";
  expect_modes_to_do(dance(0, 2.4), walk(0, 1.1));
}

}  // namespace
}  // namespace rigspace::mode_space_test
