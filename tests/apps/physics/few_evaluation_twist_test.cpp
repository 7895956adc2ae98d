// Chains on black boxes: what few poses tell of a rig is right for every channel, twists included. A twist moves little
// of a thin tail, so that no sum over nodes shows what is wrong with it; and the forces that bend a tail are many times
// those that twist it, so that a percent of its column is many percent of it.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"
#include "support/claiming_rig.h"

#include <gtest/gtest.h>

namespace rigspace::few_evaluation_twist_test {
namespace {

constexpr const char* kTail = "tail_0?.r?=tail";

struct Tail {
  Character character;
  std::shared_ptr<ClaimingRig> rig;
  Part part;
};

Tail black_tail() {
  Tail tail{with_all_bones(make_character("bobbin")), nullptr, {}};
  tail.rig = std::make_shared<ClaimingRig>(tail.character.rig);
  tail.character.rig = tail.rig;
  tail.part = with_solid(tail.character, control_part_from_pattern(tail.character, kTail), {.use_cache = true});
  tail.part.settings.rate = 3;
  return tail;
}

SoftMotion walk(const Tail& tail, bool every_jacobian) {
  return run_claiming(*tail.rig, every_jacobian, [&](const ProgressCallback& progress) {
    return simulate_parts(tail.character, &tail.character.clips.front(), std::vector{tail.part},
                          {.end = 0.6, .looping = Looping::never}, progress);
  });
}

TEST(FrugalTwist, EveryChannelMovesAsWithAJacobianEveryStep) {
  const Tail tail = black_tail();
  const SoftMotion expected = walk(tail, true), seen = walk(tail, false);
  ASSERT_EQ(seen.failed_steps, 0);
  const Vec reach = expected.deviation.cwiseAbs().rowwise().maxCoeff();
  const Vec apart = (seen.deviation - expected.deviation).cwiseAbs().rowwise().maxCoeff();
  const double largest = reach.maxCoeff();
  ASSERT_GT(largest, 0.03);
  for (Eigen::Index c = 0; c < reach.size(); ++c) {
    const std::string& name = tail.character.rig->controls()[seen.controls[static_cast<std::size_t>(c)]].name;
    EXPECT_LT(apart[c], 0.01 * largest) << name;
    if (reach[c] > 0.1 * largest) {
      EXPECT_LT(apart[c], 0.02 * reach[c]) << name;
    }
  }
}

TEST(FrugalTwist, AChainHasTheSameSolidWhateverItsRigIs) {
  const Tail tail = black_tail();
  const Character inside = with_all_bones(make_character("bobbin"));
  const Part own = with_solid(inside, control_part_from_pattern(inside, kTail), {.use_cache = true});
  EXPECT_EQ(own.flesh->mesh.points, tail.part.flesh->mesh.points);
  EXPECT_EQ(own.flesh->nodes, tail.part.flesh->nodes);
  EXPECT_EQ(own.flesh->on_surface, tail.part.flesh->on_surface);
}

}  // namespace
}  // namespace rigspace::few_evaluation_twist_test
