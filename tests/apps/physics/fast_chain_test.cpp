// A solid chain, few elements against all the unknowns of the full method. What a thin chain does by twisting is told
// by small forces among large ones, so that a little of anything else there sends it round.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

namespace rigspace::fast_chain_test {
namespace {

TEST(FastChain, MovesEveryChannelAsTheFullMethodDoes) {
  const Character bobbin = with_all_bones(make_character("bobbin"));
  Part tail = with_solid(bobbin, control_part_from_pattern(bobbin, "tail_0?.r?=tail"), {.use_cache = true});
  tail.settings.rate = 2.4, tail.settings.settle = 0.3,
  tail.settings.lag = 0;  // damped well, and most of that by stiffness
  const auto walk = [&](Method method) {
    return simulate_parts(bobbin, &bobbin.clips.front(), std::vector{tail},
                          {.end = 0.8, .looping = Looping::never, .method = method});
  };
  const SoftMotion full = walk(Method::full), fast = walk(Method::fast);
  ASSERT_EQ(fast.controls, full.controls);
  const double largest = full.deviation.cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.03);
  const Vec apart = (fast.deviation - full.deviation).cwiseAbs().rowwise().maxCoeff();
  for (Eigen::Index c = 0; c < apart.size(); ++c)
    EXPECT_LT(apart[c], 0.1 * largest) << bobbin.rig->controls()[fast.controls[static_cast<std::size_t>(c)]].name;
}

}  // namespace
}  // namespace rigspace::fast_chain_test
