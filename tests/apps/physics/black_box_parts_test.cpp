// Parts on controls of a black box.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "support/black_bar.h"

#include <gtest/gtest.h>

namespace rigspace::black_box_parts_test {
namespace {

Character black_bar() { return as_black_box(small_bar()); }

Part part_of(const Character& character) {
  Part part = with_solid(character, control_part_from_pattern(character, "p?=flesh"), {.use_cache = true});
  part.settings.rate = 2;
  return part;
}

SoftMotion run(const Character& character, RigCurvature curvature = RigCurvature::none,
               Interior interior = Interior::dynamic) {
  return simulate_parts(
      character, &character.clips.front(), std::vector{part_of(character)},
      {.end = 0.3, .looping = Looping::never, .method = Method::full, .interior = interior, .curvature = curvature});
}

TEST(BlackBoxParts, MoveAsTheRigInsideMovesTheSameSolid) {
  const Character black = black_bar(), inside = small_bar();
  const Part part = part_of(black);  // every node on the surface: it fits both
  for (const Method method : {Method::full, Method::fast}) {
    const SimulationOptions options{.end = 0.3, .looping = Looping::never, .method = method};
    const SoftMotion expected = simulate_parts(inside, &inside.clips.front(), std::vector{part}, options);
    const SoftMotion seen = simulate_parts(black, &black.clips.front(), std::vector{part}, options);
    ASSERT_EQ(seen.failed_steps, 0);
    const double largest = expected.deviation.cwiseAbs().maxCoeff();
    ASSERT_GT(largest, 0.01);
    // The fast method keeps the Jacobian of a black box while it errs by at most 2 % of a step's way.
    EXPECT_LT((seen.deviation - expected.deviation).cwiseAbs().maxCoeff(),
              (method == Method::full ? 1e-3 : 0.05) * largest);
  }
}

TEST(BlackBoxParts, DoNotDependOnHowTheSolverLearnsTheRig) {
  const Character bar = black_bar();
  const SoftMotion plain = run(bar);
  const double largest = plain.deviation.cwiseAbs().maxCoeff();
  for (const RigCurvature curvature : {RigCurvature::learned, RigCurvature::bfgs})
    EXPECT_LT((run(bar, curvature).deviation - plain.deviation).cwiseAbs().maxCoeff(), 0.01 * largest);
}

TEST(BlackBoxParts, ConvergeAsFarAsSinglePrecisionAllows) {
  Character single = black_bar();
  BlackBoxDescription box{.name = "single"};
  box.controls.assign(single.rig->controls().begin(), single.rig->controls().end());
  box.point_count = single.rig->point_count();
  box.noise = -1;  // as measured
  box.evaluate = [rig = single.rig](In p, Vec& s) {
    rig->evaluate(*rig->make_workspace(), p, s);
    s = s.cast<float>().cast<double>().eval();
  };
  single.rig = std::make_shared<BlackBoxRig>(box);
  const SoftMotion exact = run(black_bar()), seen = run(single);
  EXPECT_EQ(seen.failed_steps, 0);
  EXPECT_LE(seen.halved_steps, exact.halved_steps);
  EXPECT_LT(seen.iterations, 7 * seen.steps);  // 6.3 were seen, of the 12 that a noisy rig may take
  EXPECT_LT((seen.deviation - exact.deviation).cwiseAbs().maxCoeff(), 0.01 * exact.deviation.cwiseAbs().maxCoeff());
}

TEST(BlackBoxParts, SwingWithAnyInterior) {
  const Character bar = black_bar();
  for (const Interior interior : {Interior::still, Interior::carried}) {
    const SoftMotion motion = run(bar, RigCurvature::none, interior);
    EXPECT_EQ(motion.failed_steps, 0);
    EXPECT_GT(motion.deviation.cwiseAbs().maxCoeff(), 0.005);
    EXPECT_TRUE(motion.deviation.allFinite());
  }
}

}  // namespace
}  // namespace rigspace::black_box_parts_test
