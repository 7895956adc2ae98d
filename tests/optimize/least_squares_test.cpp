#include "optimize/energies.h"
#include "rigspace/base/error.h"
#include "rigspace/optimize/box_least_squares.h"
#include "rigspace/optimize/nnls.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <limits>

namespace rigspace {
namespace {

using testing::kInfinity;
using testing::random_matrix;
using testing::random_vector;

// The best over all supports, each solved on its own; with the sum held at one by a null-space step if asked.
double brute_force(const Mat& A, const Vec& b, bool sum_to_one) {
  const int n = static_cast<int>(A.cols());
  double best = sum_to_one ? kInfinity : b.squaredNorm();
  for (int mask = 1; mask < 1 << n; ++mask) {
    std::vector<int> set;
    for (int i = 0; i < n; ++i)
      if (mask >> i & 1) set.push_back(i);
    const int k = static_cast<int>(set.size());
    const Mat As = A(Eigen::all, set);
    Mat K = Mat::Zero(k + 1, k + 1);
    Vec r = Vec::Zero(k + 1);
    K.topLeftCorner(k, k) = As.transpose() * As;
    r.head(k) = As.transpose() * b;
    K(k, k) = 1;
    if (sum_to_one) K.row(k).setOnes(), K.col(k).setOnes(), K(k, k) = 0, r(k) = 1;
    const Vec s = K.fullPivLu().solve(r).head(k);
    if (s.minCoeff() >= 0) best = std::min(best, (As * s - b).squaredNorm());
  }
  return best;
}

TEST(Nnls, EqualsTheBestOfAllSupports) {
  int zeros = 0;
  for (unsigned seed = 0; seed < 60; ++seed)
    for (const bool sum_to_one : {false, true}) {
      const int n = 2 + static_cast<int>(seed % 6);
      const Mat A = random_matrix(9, n, seed + 1);
      const Vec b = random_vector(9, seed + 500, 2);
      const NnlsResult result = nnls(A.transpose() * A, A.transpose() * b, {.sum_to_one = sum_to_one});
      ASSERT_TRUE(result.summary.converged()) << describe(result.summary);
      EXPECT_GE(result.x.minCoeff(), 0);
      EXPECT_TRUE(!sum_to_one || std::abs(result.x.sum() - 1) < 1e-13);
      EXPECT_NEAR((A * result.x - b).squaredNorm(), brute_force(A, b, sum_to_one), 1e-10) << seed;
      EXPECT_LE(result.multipliers.maxCoeff(), 1e-10);
      EXPECT_LE(std::abs(result.multipliers.dot(result.x)), 1e-10);
      zeros += static_cast<int>((result.x.array() == 0).count());
    }
  EXPECT_GT(zeros, 50);
}

TEST(Nnls, SurvivesRepeatedColumnsAndNothing) {
  Mat A(6, 4);
  A.leftCols(2) = random_matrix(6, 2, 3).cwiseAbs();
  A.rightCols(2) = A.leftCols(2);
  const Vec b = A.col(0) + 2 * A.col(1);
  const NnlsResult result = nnls(A.transpose() * A, A.transpose() * b);
  EXPECT_TRUE(result.summary.converged());
  EXPECT_LT((A * result.x - b).norm(), 1e-7);
  EXPECT_TRUE(nnls(Mat(0, 0), Vec(0)).summary.converged());
  EXPECT_EQ(nnls(Mat::Constant(1, 1, std::nan("")), Vec::Ones(1)).summary.termination, Termination::failed);
  EXPECT_THROW(nnls(Mat::Ones(2, 2), Vec::Ones(3)), Error);
}

TEST(Nnls, SolvesThreeHundredUnknowns) {
  const Mat A = random_matrix(400, 300, 5);
  const Vec b = random_vector(400, 6);
  const NnlsResult result = nnls(A.transpose() * A, A.transpose() * b);
  EXPECT_TRUE(result.summary.converged());
  EXPECT_LE(result.multipliers.maxCoeff(), 1e-9);
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(result.x(i) == 0 || std::abs(result.multipliers(i)) < 1e-9);
}

TEST(BoxLeastSquares, SatisfiesOptimalityOnRandomProblems) {
  int active = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const int n = 1 + static_cast<int>(seed % 12), rows = seed % 3 ? n + 4 : std::max(1, n - 2);  // some without rank
    const Mat A = random_matrix(rows, n, seed + 1);
    const Vec b = random_vector(rows, seed + 300, 3);
    Vec lower = random_vector(n, seed + 400) - Vec::Constant(n, 0.5),
        upper = lower + random_vector(n, seed + 600).cwiseAbs();
    if (n > 2) lower(0) = -kInfinity, upper(1) = kInfinity;
    if (n > 3) lower(1) = -kInfinity;
    if (n > 4) lower(2) = upper(2);
    const BoxLeastSquaresResult result = box_least_squares(A, b, lower, upper);
    ASSERT_TRUE(result.summary.converged()) << seed << ": " << describe(result.summary);
    const Vec w = A.transpose() * (b - A * result.x);
    EXPECT_LT((w - result.multipliers).norm(), 1e-12 * (1 + w.norm()));
    for (int i = 0; i < n; ++i) {
      EXPECT_GE(result.x(i), lower(i));
      EXPECT_LE(result.x(i), upper(i));
      EXPECT_TRUE(result.x(i) == upper(i) || w(i) <= 1e-9) << seed;
      EXPECT_TRUE(result.x(i) == lower(i) || w(i) >= -1e-9) << seed;
      active += result.x(i) == lower(i) || result.x(i) == upper(i);
    }
  }
  EXPECT_GT(active, 200);
}

TEST(BoxLeastSquares, IsPlainLeastSquaresInAnInfiniteBox) {
  const Mat A = random_matrix(8, 5, 7);
  const Vec b = random_vector(8, 8);
  const BoxLeastSquaresResult result =
      box_least_squares(A, b, Vec::Constant(5, -kInfinity), Vec::Constant(5, kInfinity));
  EXPECT_LT((result.x - A.householderQr().solve(b)).norm(), 1e-12);
  EXPECT_THROW(box_least_squares(A, b, Vec::Ones(5), Vec::Zero(5)), Error);
  EXPECT_THROW(box_least_squares(A, b, Vec::Ones(4), Vec::Ones(4)), Error);
}

}  // namespace
}  // namespace rigspace
