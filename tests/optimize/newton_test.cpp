#include "rigspace/optimize/newton.h"
#include "rigspace/base/decompositions.h"

#include "optimize/energies.h"
#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rigspace {
namespace {

using namespace testing;

Mat definite_matrix(int n, unsigned seed) {
  const Mat R = random_matrix(n, n, seed);
  return R * R.transpose() + Mat::Identity(n, n);
}

TEST(Newton, SolvesAQuadraticInOneStep) {
  const Mat A = definite_matrix(9, 1);
  const Vec b = random_vector(9, 2);
  const Quadratic energy(A, b);
  const IdentityMapping identity(9);
  Objective objective(identity);
  objective.add("quadratic", energy);
  Vec q = random_vector(9, 3, 10);
  const Summary summary = minimize(objective, q, {.gradient_floor = 1e-9});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_EQ(summary.iterations, 1);
  EXPECT_EQ(summary.evaluations, 2);
  EXPECT_LT((q - solve_llt(A, b)).norm(), 1e-10);
}

TEST(Newton, DescendsRosenbrocksValley) {
  const Rosenbrock energy;
  const IdentityMapping identity(2);
  Objective objective(identity);
  objective.add("valley", energy);
  for (const HessianMode mode : {HessianMode::exact, HessianMode::projected})
    for (const LineSearchKind kind : {LineSearchKind::armijo, LineSearchKind::strong_wolfe}) {
      Vec q(2);
      q << -1.2, 1;
      const Summary summary = minimize(objective, q, {.hessian = mode, .line_search = kind, .gradient_floor = 1e-10});
      EXPECT_TRUE(summary.converged()) << describe(summary);
      EXPECT_LT((q - Vec::Ones(2)).norm(), 1e-9);
      EXPECT_LT(summary.iterations, 40) << describe(summary);
    }
}

TEST(Newton, LeavesAnIndefiniteStartByGrowingShifts) {
  // At (0, 1) Rosenbrock's Hessian has the eigenvalues -398 and 200.
  const Rosenbrock energy;
  const IdentityMapping identity(2);
  Objective objective(identity);
  objective.add("valley", energy);
  Vec q(2);
  q << 0, 1;
  const Summary summary = minimize(objective, q, {.hessian = HessianMode::exact, .gradient_floor = 1e-10});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_GT(summary.factorizations, summary.iterations);
  EXPECT_LT((q - Vec::Ones(2)).norm(), 1e-9);
}

TEST(Newton, HangsAChainInEquilibrium) {
  // A chain fixed softly at one end under gravity: the tension in each spring is the weight below it.
  const int points = 30;
  const double k = 200, weight = 0.5;
  const Springs springs = Springs::chain(points, 0.1, k);
  Vec force = Vec::Zero(3 * points);
  for (int i = 0; i < points; ++i) force(3 * i + 1) = -weight;
  Mat anchor = Mat::Zero(3 * points, 3 * points);
  anchor.topLeftCorner<3, 3>() = 1e4 * Mat3::Identity();
  const Quadratic gravity(anchor, force);
  const IdentityMapping identity(3 * points);
  for (const HessianMode mode : {HessianMode::projected, HessianMode::exact}) {
    Objective objective(identity);
    objective.add("springs", springs);
    objective.add("gravity", gravity);
    Vec q(3 * points);
    for (int i = 0; i < points; ++i) q.segment<3>(3 * i) = Vec3(0.08 * i, 0.02 * std::sin(i), 0.01 * std::cos(3 * i));
    const Summary summary =
        minimize(objective, q, {.hessian = mode, .gradient_tolerance = 1e-9, .max_iterations = 400});
    ASSERT_TRUE(summary.converged()) << describe(summary);
    EXPECT_LE(summary.gradient_norm, 1e-9 * summary.term_norms + 1e-12);
    for (int i = 0; i + 1 < points; ++i) {
      const Vec3 d = q.segment<3>(3 * i) - q.segment<3>(3 * i + 3);
      EXPECT_NEAR(d.norm() - 0.1, weight * (points - 1 - i) / k, 1e-6);
      EXPECT_GT(d.y(), 0);
    }
  }
}

TEST(Newton, TerminatesRelativeToItsTerms) {
  // Two pulls of a million against each other: the forces cancel to rounding long before they are small.
  const Vec here = Vec::Constant(3, 1.0), there = Vec::Constant(3, -1.0);
  const Pull left(here, 1e6), right(there, 3e6);
  const IdentityMapping identity(3);
  Objective objective(identity);
  objective.add("left", left);
  objective.add("right", right);
  Vec q = Vec::Zero(3);
  const Summary summary = minimize(objective, q, {.gradient_tolerance = 1e-12, .gradient_floor = 0});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_NEAR(summary.term_norms, 2 * 1.5e6 * std::sqrt(3.0), 1);
  EXPECT_NEAR(q(0), -0.5, 1e-14);
  // A loose tolerance is met at the start already, where 2e6 of 4e6 remain.
  Vec loose = Vec::Zero(3);
  EXPECT_EQ(minimize(objective, loose, {.gradient_tolerance = 0.6}).iterations, 0);
}

TEST(Newton, StopsAtItsStepTolerance) {
  const Rosenbrock energy;
  const IdentityMapping identity(2);
  Objective objective(identity);
  objective.add("valley", energy);
  Vec q(2);
  q << -1.2, 1;
  const Summary summary =
      minimize(objective, q, {.gradient_tolerance = 0, .gradient_floor = 0, .step_tolerance = 1e-4});
  EXPECT_TRUE(summary.converged());
  EXPECT_STREQ(summary.reason, "step below tolerance");
  EXPECT_LE(summary.last_step, 1e-4);
}

TEST(Newton, EndsWhereRoundingHidesTheRest) {
  const Rosenbrock energy;
  const IdentityMapping identity(2);
  Objective objective(identity);
  objective.add("valley", energy);
  const Mat A = definite_matrix(6, 5);
  const Quadratic quadratic(A, random_vector(6, 6));
  const IdentityMapping six(6);
  Objective other(six);
  other.add("quadratic", quadratic);
  for (const Objective* o : {&objective, &other}) {
    Vec q = Vec::Constant(o->mapping().size_q(), 3.0);
    const Summary summary = minimize(*o, q, {.gradient_tolerance = 0, .gradient_floor = 0});
    EXPECT_TRUE(summary.converged()) << describe(summary);
    EXPECT_LT(summary.gradient_norm, 1e-11);
    EXPECT_LT(summary.iterations, 50);
  }
}

// KKT conditions of min f, l <= q <= u.
void expect_optimal_in_box(const Vec& q, const Vec& g, const Vec& lower, const Vec& upper, double tolerance) {
  for (int i = 0; i < q.size(); ++i) {
    EXPECT_GE(q(i), lower(i));
    EXPECT_LE(q(i), upper(i));
    EXPECT_TRUE(q(i) == lower(i) || g(i) <= tolerance) << i;
    EXPECT_TRUE(q(i) == upper(i) || g(i) >= -tolerance) << i;
  }
}

TEST(Newton, SatisfiesOptimalityInABox) {
  int active = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const int n = 12;
    const Mat A = definite_matrix(n, seed);
    const Vec b = random_vector(n, seed + 100, 10);
    const Quadratic energy(A, b);
    const IdentityMapping identity(n, seed % 2 ? 0 : 3);
    Objective objective(identity);
    objective.add("quadratic", energy);
    Vec lower = Vec::Constant(n, -0.5), upper = Vec::Constant(n, 0.7);
    lower(0) = -kInfinity;
    upper(1) = kInfinity;
    lower(2) = upper(2) = 0.3;
    objective.set_bounds(lower, upper);
    Vec q = random_vector(n, seed + 200, 2);
    const Summary summary = minimize(objective, q, {.gradient_floor = 1e-9});
    EXPECT_TRUE(summary.converged()) << seed << ": " << describe(summary);
    const Vec g = A * q - b;
    expect_optimal_in_box(q, g, lower, upper, 1e-8);
    EXPECT_LE(summary.iterations, 30);
    for (int i = 0; i < n; ++i) active += q(i) == lower(i) || q(i) == upper(i);
  }
  EXPECT_GT(active, 60);  // the box matters
}

TEST(Newton, NeverLeavesTheBoxOnTheWay) {
  class Watched final : public Energy {
   public:
    double value(const State& s, In x) const override {
      EXPECT_LE(x(0), 0.5);
      EXPECT_GE(x(1), -0.2);
      return inner.value(s, x);
    }
    void add_gradient(const State& s, In x, double w, Vec& g) const override { inner.add_gradient(s, x, w, g); }
    void add_hessian(const State& s, In x, double w, HessianMode m, BlockSink& b) const override {
      inner.add_hessian(s, x, w, m, b);
    }
    Rosenbrock inner;
  } energy;
  const IdentityMapping identity(2);
  Objective objective(identity);
  objective.add("valley", energy);
  Vec lower(2), upper(2), q(2);
  lower << -2, -0.2;
  upper << 0.5, 2;
  q << -1.2, 1;
  objective.set_bounds(lower, upper);
  const Summary summary = minimize(objective, q, {.gradient_floor = 1e-9});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_NEAR(q(0), 0.5, 1e-15);  // along the bound the minimum is y = x^2
  EXPECT_NEAR(q(1), 0.25, 1e-9);
}

TEST(Newton, NeverCrossesABarrier) {
  // A pull to -1 against -k log x: the minimum solves x + 1 = k / x.
  const double k = 1e-4;
  const LogBarrier barrier(0, k);
  const Pull pull(Vec::Constant(3, -1.0));
  const IdentityMapping identity(3);
  for (const LineSearchKind kind : {LineSearchKind::armijo, LineSearchKind::strong_wolfe}) {
    Objective objective(identity);
    objective.add("barrier", barrier);
    objective.add("pull", pull);
    Vec q = Vec::Constant(3, 2.0);
    const Summary summary = minimize(objective, q, {.line_search = kind, .gradient_tolerance = 1e-10});
    EXPECT_TRUE(summary.converged()) << describe(summary);
    EXPECT_EQ(barrier.crossings, 0);
    EXPECT_NEAR(q(0), (-1 + std::sqrt(1 + 4 * k)) / 2, 1e-10);
  }
}

TEST(Newton, TreatsInfinityAsTooFarWithoutMaxStep) {
  class Silent final : public Energy {  // a barrier that does not know its max_step
   public:
    double value(const State& s, In x) const override { return inner.value(s, x); }
    void add_gradient(const State& s, In x, double w, Vec& g) const override { inner.add_gradient(s, x, w, g); }
    void add_hessian(const State& s, In x, double w, HessianMode m, BlockSink& b) const override {
      inner.add_hessian(s, x, w, m, b);
    }
    LogBarrier inner{0, 1e-2};
  } barrier;
  const Pull pull(Vec::Constant(3, -1.0));
  const IdentityMapping identity(3);
  Objective objective(identity);
  objective.add("barrier", barrier);
  objective.add("pull", pull);
  Vec q = Vec::Constant(3, 2.0);
  const Summary summary = minimize(objective, q, {.gradient_tolerance = 1e-10});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_GT(barrier.inner.crossings, 0);  // infinity was met
  EXPECT_NEAR(q(0), (-1 + std::sqrt(1 + 0.04)) / 2, 1e-9);
  q(0) = -1;
  EXPECT_EQ(minimize(objective, q).termination, Termination::failed);
}

TEST(Newton, ReachesWithACurvedArm) {
  const int links = 4;
  const Arm arm(links);
  Vec target = Vec::Zero(3 * links);
  Vec posed(links);
  posed << 0.4, 0.7, -0.3, 0.9;
  {
    const auto state = arm.make_state();
    arm.evaluate(*state, posed, target);
  }
  const Pull pull(target);
  const Pull prior(Vec::Zero(links), 1e-3);
  for (const HessianMode mode : {HessianMode::projected, HessianMode::exact}) {
    Objective objective(arm);
    objective.add("reach", pull);
    Vec q = Vec::Constant(links, 0.1);
    const Summary summary = minimize(objective, q, {.hessian = mode, .gradient_floor = 1e-12});
    EXPECT_TRUE(summary.converged()) << describe(summary);
    EXPECT_LT((q - posed).norm(), 1e-9);
  }
  // With a prior on q, exact curvature converges quadratically where Gauss-Newton is linear.
  target *= 1.5;
  const Pull far(target);
  Objective objective(arm);
  objective.add("reach", far);
  objective.add("prior", prior, 1, Space::coordinates);
  Vec q = posed, gauss_newton = posed;
  const Summary exact = minimize(objective, q, {.hessian = HessianMode::exact, .gradient_tolerance = 1e-12});
  const Summary projected = minimize(objective, gauss_newton, {.gradient_tolerance = 1e-12});
  EXPECT_TRUE(exact.converged()) << describe(exact);
  EXPECT_LT((q - gauss_newton).norm(), 1e-6);
  EXPECT_LT(exact.iterations, projected.iterations);
}

TEST(Newton, HonoursMaxStepOnTheStraightPathOfACurvedMap) {
  // The tip of a two-link arm must keep x > 0; the barrier sees only states, whose way there is curved.
  const Arm arm(2);
  const LogBarrier barrier(3, 1e-3);
  Vec target = Vec::Zero(6);
  target.head<3>() = Vec3(-1, 0.2, 0);
  target.tail<3>() = Vec3(-2, 0.3, 0);
  const Pull pull(target);
  Objective objective(arm);
  objective.add("barrier", barrier);
  objective.add("pull", pull);
  Vec q = Vec::Constant(2, 0.05);
  NewtonWorkspace workspace;
  const Summary summary = Newton({.hessian = HessianMode::exact}).solve(objective, q, workspace);
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_EQ(barrier.crossings, 0);
  EXPECT_GT(workspace.x()(3), 0);
}

TEST(Newton, SolvesInASubspaceAsInFullSpace) {
  // If the basis spans everything, the subspace answer is the full one.
  const int points = 5, n = 15;
  const Springs springs = Springs::chain(points, 1, 10);
  const Pull pull(random_vector(n, 7, 3));
  const IdentityMapping identity(n);
  const LinearMapping linear(random_vector(n, 8), definite_matrix(n, 9));
  Objective full(identity), reduced(linear);
  for (Objective* o : {&full, &reduced}) {
    o->add("springs", springs);
    o->add("pull", pull);
  }
  Vec q = random_vector(n, 10, 2), r = linear.basis().lu().solve(q - linear.origin());
  ASSERT_TRUE(minimize(full, q, {.gradient_tolerance = 1e-12}).converged());
  NewtonWorkspace workspace;
  const Summary summary = Newton({.gradient_tolerance = 1e-11}).solve(reduced, r, workspace);
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_LT((workspace.x() - q).norm(), 1e-8);
}

TEST(Newton, StopsWhenAskedTo) {
  const Rosenbrock energy;
  const IdentityMapping identity(2);
  Objective objective(identity);
  objective.add("valley", energy);
  Vec q(2);
  q << -1.2, 1;
  int calls = 0;
  const Summary summary = minimize(objective, q, {}, [&](const Progress&) { return ++calls < 4; });
  EXPECT_EQ(summary.termination, Termination::cancelled);
  EXPECT_EQ(summary.iterations, 3);
  const Objective& same = objective;
  EXPECT_LT(summary.value, summary.initial_value);
  EXPECT_EQ(summary.value, energy.value(*energy.make_state(), q));
  EXPECT_EQ(minimize(same, q, {.max_iterations = 1}).termination, Termination::out_of_iterations);
}

TEST(Newton, ReportsTroubleInsteadOfThrowing) {
  class Broken final : public Energy {
   public:
    double value(const State&, In) const override { return 1; }
    void add_gradient(const State&, In, double, Vec& g) const override { g(0) = std::nan(""); }
    void add_hessian(const State&, In, double, HessianMode, BlockSink&) const override {}
  } broken;
  class Wrong final : public Energy {  // the gradient points uphill
   public:
    double value(const State&, In x) const override { return x.squaredNorm(); }
    void add_gradient(const State&, In x, double w, Vec& g) const override { g -= 2 * w * x; }
    void add_hessian(const State&, In x, double w, HessianMode, BlockSink& sink) const override {
      const double H = 2 * w;
      for (int i = 0; i < x.size(); ++i) sink.add_coordinates({&i, 1}, &H);
    }
  } wrong;
  const IdentityMapping identity(3);
  Objective objective(identity);
  objective.add("broken", broken);
  Vec q = Vec::Ones(3);
  EXPECT_EQ(minimize(objective, q).termination, Termination::failed);
  Objective uphill(identity);
  uphill.add("wrong", wrong);
  const Summary summary = minimize(uphill, q);
  EXPECT_EQ(summary.termination, Termination::stalled);
  EXPECT_EQ(q, Vec::Ones(3));
  EXPECT_NE(describe(summary).find("stalled"), std::string::npos);
}

TEST(Newton, SolvesASingularSystemByShifting) {
  // A free chain has six motions without energy: projected Hessian, singular.
  const Springs springs = Springs::chain(4, 1, 10);
  const IdentityMapping identity(12);
  Objective objective(identity);
  objective.add("springs", springs);
  Vec q = random_vector(12, 11, 2);
  const Summary summary = minimize(objective, q, {.gradient_floor = 1e-10});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_LT(summary.value, 1e-18);
}

}  // namespace
}  // namespace rigspace
