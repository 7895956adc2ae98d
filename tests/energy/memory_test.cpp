// A solid steps in real time: after its first evaluation it allocates nothing.

#include "energy/bodies.h"
#include "rigspace/energy/damping.h"
#include "rigspace/energy/integrator.h"

#include "support/allocations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

namespace rigspace {
namespace {

using namespace testing;

class NoSink final : public BlockSink {
 public:
  void add_coordinates(std::span<const int>, const double*) override {}
  void add_batch(int, std::span<const int>, const double*) override {}
};

TEST(Solid, AllocatesNothingAfterItsFirstEvaluation) {
#if !RIGSPACE_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "the sanitizer owns malloc";
#endif
  const ThreadCountScope one(1);
  const TetBody body = box(Vec3(1, 1, 1), 6, 5, 5);
  const int n = static_cast<int>(body.x.size());
  const Vec other = body.x + noise(n, 1, 0.01);
  Solid solid(body.x, body.tets);
  Damping damping(solid);
  Momentum momentum(lumped_masses(body.x, body.tets, 1000));
  Integrator integrator;
  integrator.restart(body.x, other - body.x);
  const auto solid_state = solid.make_state(), damping_state = damping.make_state();
  NoSink sink;
  Vec g = Vec::Zero(n), target = g;
  double sum = 0;
  const auto step = [&](const Vec& x) {
    integrator.begin(0.01);
    integrator.momentum_target(1.0, g, target);
    momentum.set_target(target, integrator.momentum_scale(1.0));
    integrator.drift(g, target);
    damping.set_target(target, 1);
    solid.set_rest(x);
    damping.refresh(*damping_state, x, Phase::step);
    const std::pair<const Energy*, const State*> terms[] = {
        {&solid, solid_state.get()}, {&damping, damping_state.get()}, {&momentum, solid_state.get()}};
    for (const auto& [energy, state] : terms) {
      sum += energy->value(*state, x) + energy->max_step(*state, x, x);
      energy->add_gradient(*state, x, 1, g);
      energy->add_hessian(*state, x, 1, HessianMode::projected, sink);
    }
    integrator.accept(x);
  };
  step(other), step(body.x), step(other);
  allocations = 0;
  counting = true;
  step(body.x), step(other);
  counting = false;
  EXPECT_EQ(allocations.load(), 0);
  EXPECT_TRUE(std::isfinite(sum));
  // And the count counts.
  counting = true;
  const auto probe = std::make_unique<Vec>(Vec::Zero(10));
  counting = false;
  EXPECT_GE(allocations.load(), 1) << probe->size();
}

}  // namespace
}  // namespace rigspace
