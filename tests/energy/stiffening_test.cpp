// The material that stiffens with strain, against stable neo-Hookean, from which it begins.

#include "energy/bodies.h"
#include "rigspace/energy/integrator.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

using namespace testing;

/// Stress along a bar pulled to `stretch` whose sides are free: they narrow until nothing pulls on them.
double pull_stress(MaterialKind kind, double stretch) {
  const Material material{.kind = kind, .young = 1, .poisson = 0.4};
  const auto at = [&](double side) { return stress(material, Vec3(stretch, side, side).asDiagonal().toDenseMatrix()); };
  double low = 0.3, high = 1.5;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (at(middle)(1, 1) < 0 ? low : high) = middle;
  }
  return at(low)(0, 0);
}

double ratio(double stretch) {
  return pull_stress(MaterialKind::stiffening, stretch) / pull_stress(MaterialKind::stable_neo_hookean, stretch);
}

TEST(Stiffening, IsNeoHookeanUpToATenthOfStrainAndTenTimesAsStrongAtTwiceTheLength) {
  EXPECT_NEAR(ratio(1.02), 1, 1e-4);
  EXPECT_NEAR(ratio(1.1), 1.01, 0.005);
  EXPECT_NEAR(ratio(0.9), 1.01, 0.005);
  EXPECT_NEAR(ratio(1.5), 3.28, 0.02);  // of an independent evaluation of the formula in material.h
  EXPECT_NEAR(ratio(2), 10.33, 0.02);
}

TEST(Stiffening, IsFourTimesAsStiffAtFortyPercent) {
  const double h = 1e-4;
  const auto tangent = [&](double stretch) {
    return (pull_stress(MaterialKind::stiffening, stretch + h) - pull_stress(MaterialKind::stiffening, stretch - h)) /
           (2 * h);
  };
  EXPECT_NEAR(tangent(1), 1, 1e-3);
  EXPECT_NEAR(tangent(1.4), 4.33, 0.02);
}

/// How far a free stick stretches, of its length, whose ends fly apart, `rate` lengths a second.
double longest_extension(MaterialKind kind, double rate) {
  const double length = 0.6;
  const TetBody body = box(Vec3(length, 0.2, 0.2), 3, 1, 1);
  const Solid solid(body.x, body.tets, {.kind = kind, .young = 2e4, .poisson = 0.3});
  Momentum momentum(lumped_masses(body.x, body.tets, 1000));
  const IdentityMapping identity(static_cast<int>(body.x.size()));
  Objective objective(identity);
  objective.add("momentum", momentum);
  objective.add("solid", solid);
  Vec v = Vec::Zero(body.x.size());
  for (int i = 0; i < body.points(); ++i) v[3 * i] = rate * (body.x[3 * i] - 0.5 * length);
  Integrator integrator;
  integrator.restart(body.x, v);
  double longest = 0;
  for (int k = 0; k < 160; ++k) {  // a swing of the soft stick takes some 0.25 s
    integrator.begin(0.001);
    Vec target, x = integrator.x() + 0.001 * integrator.v();
    integrator.momentum_target(target);
    momentum.set_target(target, integrator.momentum_scale());
    const Summary summary = minimize(objective, x, {.gradient_tolerance = 1e-7, .gradient_floor = 1e-5});
    EXPECT_TRUE(summary.converged()) << describe(summary);
    integrator.accept(x);
    double low = 1e9, high = -1e9;
    for (int i = 0; i < body.points(); ++i) low = std::min(low, x[3 * i]), high = std::max(high, x[3 * i]);
    longest = std::max(longest, (high - low) / length - 1);
  }
  return longest;
}

TEST(Stiffening, MovesAlikeWhenSlowAndStaysBoundedWhenFast) {
  const double slow = longest_extension(MaterialKind::stable_neo_hookean, 1);
  ASSERT_GT(slow, 0.03);
  EXPECT_NEAR(longest_extension(MaterialKind::stiffening, 1), slow, 0.01 * slow);
  // So fast that neo-Hookean doubles its length; twice as fast, it goes twice as far.
  const double half = longest_extension(MaterialKind::stable_neo_hookean, 11);
  const double fast = longest_extension(MaterialKind::stable_neo_hookean, 22);
  ASSERT_GT(fast, 1);
  EXPECT_GT(fast, 2 * half);
  const double bounded = longest_extension(MaterialKind::stiffening, 22);  // 0.63 when this was written
  EXPECT_LT(bounded, 0.65 * fast);
  EXPECT_LT(bounded, 1.6 * longest_extension(MaterialKind::stiffening, 11));
}

}  // namespace
}  // namespace rigspace
