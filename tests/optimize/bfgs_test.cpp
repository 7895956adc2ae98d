#include "rigspace/optimize/bfgs.h"
#include "rigspace/base/decompositions.h"

#include "optimize/energies.h"
#include "rigspace/base/error.h"
#include "rigspace/optimize/lbfgsb.h"

#include <gtest/gtest.h>

#include <limits>

namespace rigspace {
namespace {

using testing::kInfinity;
using testing::random_matrix;
using testing::random_vector;

// Rosenbrock's chain in n dimensions, minimum 0 at ones.
double rosenbrock(In x, Vec& g) {
  double f = 0;
  g.setZero(x.size());
  for (int i = 0; i + 1 < x.size(); ++i) {
    const double r = x(i + 1) - x(i) * x(i);
    f += 100 * r * r + (1 - x(i)) * (1 - x(i));
    g(i) += -400 * x(i) * r - 2 * (1 - x(i));
    g(i + 1) += 200 * r;
  }
  return f;
}

TEST(BfgsBlock, SatisfiesTheSecantEquation) {
  BfgsBlock B = BfgsBlock::identity(5);
  const Vec d = random_vector(5, 1), y = 2 * d + 0.1 * random_vector(5, 2);
  EXPECT_EQ(B.update(d, y), BfgsBlock::Update::plain);
  EXPECT_LT((B.matrix() * d - y).norm(), 1e-14);
  EXPECT_LT((B.matrix() - B.matrix().transpose()).norm(), 1e-14);
}

TEST(BfgsBlock, LearnsAQuadraticFromItsGradients) {
  const Mat R = random_matrix(6, 6, 3), A = R * R.transpose() + Mat::Identity(6, 6);
  BfgsBlock B = BfgsBlock::identity(6);
  // Conjugate directions: each update keeps what the former ones taught.
  const Mat V = symmetric_eigen(A).vectors;
  for (int i = 0; i < 6; ++i) B.update(V.col(i), A * V.col(i));
  EXPECT_LT((B.matrix() - A).norm(), 1e-12 * A.norm());
}

TEST(BfgsBlock, StaysPositiveDefiniteUnderNegativeCurvature) {
  BfgsBlock B = BfgsBlock::identity(4, 3);
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Vec d = random_vector(4, seed), y = -d + random_vector(4, seed + 100, 0.1);
    EXPECT_NE(B.update(d, y), BfgsBlock::Update::plain);
    EXPECT_TRUE(cholesky(B.matrix()));
  }
  const Mat before = B.matrix();
  EXPECT_EQ(B.update(Vec::Zero(4), Vec::Ones(4)), BfgsBlock::Update::skipped);
  EXPECT_EQ(B.update(Vec::Constant(4, std::nan("")), Vec::Ones(4)), BfgsBlock::Update::skipped);
  EXPECT_EQ(B.matrix(), before);
}

TEST(Bfgs, MinimisesRosenbrock) {
  for (const int n : {2, 10}) {
    Vec x = Vec::Constant(n, -1.2);
    const Summary summary = minimize_bfgs(rosenbrock, x);
    EXPECT_TRUE(summary.converged()) << describe(summary);
    EXPECT_LT((x - Vec::Ones(n)).norm(), 1e-7);
    EXPECT_LT(summary.evaluations, 40 * n);
  }
}

TEST(Bfgs, MindsInfinityAndCancellation) {
  const auto barrier = [](In x, Vec& g) {
    if (x(0) <= 0) return kInfinity;
    g(0) = 1 - 1e-3 / x(0);
    return x(0) - 1e-3 * std::log(x(0));
  };
  Vec x = Vec::Ones(1);
  EXPECT_TRUE(minimize_bfgs(barrier, x).converged());
  EXPECT_NEAR(x(0), 1e-3, 1e-9);
  x(0) = -1;
  EXPECT_EQ(minimize_bfgs(barrier, x).termination, Termination::failed);
  x(0) = 0.7;
  EXPECT_EQ(minimize_bfgs(barrier, x, {}, [](const Progress&) { return false; }).termination, Termination::cancelled);
  EXPECT_EQ(minimize_bfgs(barrier, x, {.max_iterations = 1}).termination, Termination::out_of_iterations);
}

TEST(Lbfgsb, FindsAMinimumWithActiveBounds) {
  const int n = 20;
  const Mat R = random_matrix(n, n, 4), A = R * R.transpose() + Mat::Identity(n, n);
  const Vec b = random_vector(n, 5, 10);
  const auto f = [&](In x, Vec& g) {
    g = A * x - b;
    return 0.5 * x.dot(A * x) - b.dot(x);
  };
  LbfgsbOptions options{.gradient_tolerance = 1e-7, .lower = Vec::Constant(n, -0.4), .upper = Vec::Constant(n, 0.6)};
  options.lower(0) = -kInfinity;
  Vec x = Vec::Constant(n, 5.0);
  const Summary summary = minimize_lbfgsb(f, x, options);
  EXPECT_TRUE(summary.converged()) << describe(summary);
  const Vec g = A * x - b;
  int active = 0;
  for (int i = 0; i < n; ++i) {
    EXPECT_GE(x(i), options.lower(i));
    EXPECT_LE(x(i), options.upper(i));
    EXPECT_TRUE(x(i) == options.lower(i) || g(i) <= 1e-6);
    EXPECT_TRUE(x(i) == options.upper(i) || g(i) >= -1e-6);
    active += x(i) == options.lower(i) || x(i) == options.upper(i);
  }
  EXPECT_GT(active, 3);
}

TEST(Lbfgsb, MinimisesRosenbrockWithAndWithoutBounds) {
  Vec x = Vec::Constant(25, 3.0);
  EXPECT_TRUE(minimize_lbfgsb(rosenbrock, x, {.gradient_tolerance = 1e-7}).converged());
  EXPECT_LT((x - Vec::Ones(25)).norm(), 1e-5);
  x = Vec::Constant(2, 0.0);
  EXPECT_TRUE(minimize_lbfgsb(rosenbrock, x, {.upper = Vec::Constant(2, 0.5)}).converged());
  EXPECT_NEAR(x(0), 0.5, 1e-12);
  EXPECT_NEAR(x(1), 0.25, 1e-7);
}

TEST(Lbfgsb, MindsInfinityCancellationAndBadInput) {
  const auto barrier = [](In x, Vec& g) {
    if (x(0) <= 0) return kInfinity;
    g(0) = 1 - 1e-2 / x(0);
    return x(0) - 1e-2 * std::log(x(0));
  };
  Vec x = Vec::Ones(1);
  const Summary summary = minimize_lbfgsb(barrier, x);
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_NEAR(x(0), 1e-2, 1e-6);
  x(0) = -1;
  EXPECT_EQ(minimize_lbfgsb(barrier, x).termination, Termination::failed);
  x(0) = 1;
  int calls = 0;
  EXPECT_EQ(minimize_lbfgsb(barrier, x, {}, [&](const Progress&) { return ++calls < 3; }).termination,
            Termination::cancelled);
  x = Vec::Constant(10, -1.2);
  const Summary limited = minimize_lbfgsb(rosenbrock, x, {.max_iterations = 3});
  EXPECT_EQ(limited.termination, Termination::out_of_iterations);
  Vec g(10);
  EXPECT_EQ(rosenbrock(x, g), limited.value);
  EXPECT_THROW(minimize_lbfgsb(barrier, x, {.lower = Vec::Zero(3)}), Error);
}

}  // namespace
}  // namespace rigspace
