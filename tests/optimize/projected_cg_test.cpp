#include "rigspace/optimize/projected_cg.h"
#include "rigspace/base/decompositions.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace rigspace::projected_test {
namespace {

constexpr int kSize = 30;

Mat some_matrix() {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  Mat B(kSize, kSize);
  for (double& b : B.reshaped()) b = normal(random);
  return B * B.transpose() + 0.5 * Mat::Identity(kSize, kSize);
}

struct Row {
  std::array<int, 4> at;
  std::array<double, 4> c;
  double d;
};

std::vector<Row> some_rows() {
  return {{{2, 5, 7, 11}, {1, -2, 0.5, 3}, 0.4},
          {{5, 11, 20, 21}, {0.3, 1, 1, -1}, -1},
          {{2, 7, 20, 29}, {2, 2, -0.7, 0.2}, 0.1}};
}

TEST(ConstraintBasis, FulfilsItsConstraintsAndRefusesWhatDependsOnThem) {
  ConstraintBasis basis(kSize);
  const auto rows = some_rows();
  for (const Row& row : rows) EXPECT_TRUE(basis.add(row.at, row.c, row.d));
  const std::array<int, 6> both{2, 5, 7, 11, 20, 21};
  const std::array<double, 6> sum{1, -1.7, 0.5, 4, 1, -1};  // of the first two
  EXPECT_FALSE(basis.add(both, sum, 7));
  EXPECT_EQ(basis.count(), 3);
  Vec x = Vec::LinSpaced(kSize, -1, 2), moved = x;
  basis.satisfy(x);
  const auto value = [](const Row& row, const Vec& at) {
    double sum_of = 0;
    for (int k = 0; k < 4; ++k) sum_of += row.c[k] * at[row.at[k]];
    return sum_of;
  };
  for (const Row& row : rows) EXPECT_NEAR(value(row, x), row.d, 1e-12);
  basis.project(moved);
  for (const Row& row : rows) EXPECT_NEAR(value(row, moved), 0, 1e-12);
}

// Against the bordered system  [A C^T; C 0].
TEST(ProjectedCg, FindsTheConstrainedMinimumAndItsMultipliers) {
  const Mat A = some_matrix();
  const Vec b = Vec::LinSpaced(kSize, 1, -2);
  const auto rows = some_rows();
  ConstraintBasis basis(kSize);
  Mat bordered = Mat::Zero(kSize + 3, kSize + 3);
  bordered.topLeftCorner(kSize, kSize) = A;
  Vec right(kSize + 3);
  right.head(kSize) = b;
  for (int k = 0; k < 3; ++k) {
    basis.add(rows[k].at, rows[k].c, rows[k].d);
    for (int e = 0; e < 4; ++e) bordered(kSize + k, rows[k].at[e]) = bordered(rows[k].at[e], kSize + k) = rows[k].c[e];
    right[kSize + k] = rows[k].d;
  }
  const Vec exact = solve_lu(bordered, right);
  Vec x = Vec::Zero(kSize);
  const auto result =
      minimize_projected([&](In v, Vec& y) { y = A * v; }, [&](In r, Vec& z) { z = r.cwiseQuotient(A.diagonal()); },
                         basis, b, x, {.tolerance = 1e-12});
  EXPECT_TRUE(result.converged);
  EXPECT_LT((x - exact.head(kSize)).norm(), 1e-9 * exact.norm());
  EXPECT_LT((basis.multipliers(A * x - b) + exact.tail(3)).norm(), 1e-8 * exact.norm());
}

}  // namespace
}  // namespace rigspace::projected_test
