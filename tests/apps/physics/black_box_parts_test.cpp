// Parts on controls of a rig that nobody can look into.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/rig/black_box.h"

#include <gtest/gtest.h>

#include <numeric>

namespace rigspace {
namespace {

/// The bar of its proxy alone.
Character small_bar() {
  Character bar = make_character("bar");
  const std::shared_ptr<const Rig> whole = bar.rig;
  Piece piece = *proxy_of(bar);
  std::vector<int> points(static_cast<std::size_t>(piece.point_count));
  std::iota(points.begin(), points.end(), piece.first_point);
  bar.rig = whole->restricted(points);
  for (Triangle& triangle : piece.triangles)
    for (int& corner : triangle) corner -= piece.first_point;
  piece.first_point = 0, piece.drawn = true;
  bar.pieces = {piece};
  bar.bones.clear();
  return bar;
}

/// Its rig as a black box: the same points by the same controls, no derivatives.
Character black_bar() {
  Character bar = small_bar();
  BlackBoxDescription box{.name = "bar"};
  box.controls.assign(bar.rig->controls().begin(), bar.rig->controls().end());
  box.point_count = bar.rig->point_count();
  box.noise = 0;
  box.evaluate = [rig = bar.rig](In p, Vec& s) { rig->evaluate(*rig->make_workspace(), p, s); };
  bar.rig = std::make_shared<BlackBoxRig>(box);
  return bar;
}

Part part_of(const Character& character) {
  Part part = with_solid(character, control_part_from_pattern(character, "p?=flesh"), {.recall = true});
  part.look.rate = 2;
  return part;
}

SoftMotion run(const Character& character, RigCurvature curvature = RigCurvature::none,
               Interior interior = Interior::dynamic) {
  return simulate_parts(character, &character.clips.front(), std::vector{part_of(character)},
                        {.end = 0.3,
                         .looping = Looping::never,
                         .method = Method::full,
                         .interior = interior,
                         .curvature = curvature});
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
}  // namespace rigspace
