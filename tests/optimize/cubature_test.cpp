// Few columns for many: the choice, and that the reported error is the true one.

#include "rigspace/optimize/cubature.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace rigspace {
namespace {

Mat normal_matrix(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return Mat::NullaryExpr(rows, columns, [&] { return normal(random); });
}

Vec summed(const Mat& A, const ColumnSelection& selection) {
  Vec sum = Vec::Zero(A.rows());
  for (const WeightedElement& column : selection.columns) sum += column.weight * A.col(column.element);
  return sum;
}

/// Forces of elements that depend smoothly on where they are, as those of a body do: any few stand for their
/// neighbours.
Mat smooth_forces(int rows, int columns) {
  const Mat waves = normal_matrix(rows, 12, 5), shares = normal_matrix(rows, 12, 6);
  Mat A(rows, columns);
  for (int c = 0; c < columns; ++c) {
    const double u = static_cast<double>(c) / columns;
    Vec shape(12);
    for (int k = 0; k < 12; ++k) shape[k] = std::cos(3.14 * k * u) / (1 + k);
    A.col(c) = waves * shape + 0.3 * (shares * shape.cwiseAbs2());
  }
  return A;
}

TEST(ColumnSelection, FindsTheFewColumnsThatMadeTheSum) {
  const Mat A = normal_matrix(120, 600, 1);
  const std::vector<WeightedElement> made = {{17, 2.0}, {80, 0.5}, {81, 1.5}, {299, 4.0}, {512, 1.0}};
  Vec b = Vec::Zero(120);
  for (const auto& [column, weight] : made) b += weight * A.col(column);
  const ColumnSelection found = select_columns(A, b, {.tolerance = 1e-9});
  ASSERT_TRUE(found.reached);
  for (const auto& [column, weight] : made) {
    const auto place = std::find_if(found.columns.begin(), found.columns.end(),
                                    [c = column](const WeightedElement& each) { return each.element == c; });
    ASSERT_NE(place, found.columns.end()) << column;
    EXPECT_NEAR(place->weight, weight, 1e-8);  // the tolerance over the least singular value of these columns
  }
}

TEST(ColumnSelection, KeepsItsErrorOnTheWholeMatrixWithFewColumnsOfPositiveWeight) {
  const Mat A = smooth_forces(300, 2000);
  const Vec b = A.rowwise().sum();
  const ColumnSelection found = select_columns(A, b, {.tolerance = 0.01});
  ASSERT_TRUE(found.reached);
  EXPECT_NEAR((summed(A, found) - b).norm() / b.norm(), found.error, 1e-10);
  EXPECT_LE(found.error, 0.01);
  EXPECT_LT(found.columns.size(), 60u);  // 24 kinds of force: as many columns would do for all of it, by Caratheodory
  for (std::size_t k = 0; k < found.columns.size(); ++k) {
    EXPECT_GT(found.columns[k].weight, 0);
    if (k > 0) {
      EXPECT_LT(found.columns[k - 1].element, found.columns[k].element);
    }
  }
}

TEST(ColumnSelection, IsTheNonNegativeLeastSquaresWhereNothingCanBeReached) {
  // Columns in the upper half-space, a sum below it: the nearest is on the boundary.
  Mat A(2, 3);
  A << 1, 0, -1, 1, 1, 1;
  const ColumnSelection found = select_columns(A, Vec{{2, -1}}, {.tolerance = 0});
  EXPECT_FALSE(found.reached);
  ASSERT_EQ(found.columns.size(), 1u);
  EXPECT_EQ(found.columns[0].element, 0);
  EXPECT_NEAR(found.columns[0].weight, 0.5, 1e-9);
  EXPECT_NEAR(found.error, std::sqrt(4.5 / 5), 1e-9);
}

TEST(ColumnSelection, OfFewerColumnsHasMoreErrorAndGoesOnFromThere) {
  const Mat A = smooth_forces(300, 2000);
  const Vec b = A.rowwise().sum();
  ColumnSelector selector(A, b);
  const ColumnSelection few = selector.reach({.tolerance = 1e-4, .most = 8});
  EXPECT_LE(few.columns.size(), 8u);
  EXPECT_FALSE(few.reached);
  const ColumnSelection more = selector.reach({.tolerance = 1e-4});
  EXPECT_TRUE(more.reached);
  EXPECT_LT(more.error, few.error);
}

TEST(ColumnSelection, ObeysRowsThatAreAddedLater) {
  const Mat A = smooth_forces(300, 2000), more = 100 * normal_matrix(3, 2000, 9).cwiseAbs();
  const Vec b = A.rowwise().sum(), b_more = more.rowwise().sum();
  ColumnSelector selector(A, b);
  selector.reach({.tolerance = 0.05});
  selector.add_rows(more, b_more);
  const ColumnSelection found = selector.reach({.tolerance = 1e-3});
  ASSERT_TRUE(found.reached);
  EXPECT_LT((summed(more, found) - b_more).norm(), 2e-3 * b_more.norm());
  EXPECT_LT((summed(A, found) - b).norm(), 1e-3 * (b.norm() + b_more.norm()));
}

TEST(ColumnSelection, TakesNoColumnOfZerosAndNoneForNothing) {
  Mat A = normal_matrix(10, 20, 3).cwiseAbs();
  A.col(4).setZero();
  const ColumnSelection all = select_columns(A, A.rowwise().sum(), {.tolerance = 1e-10});
  for (const WeightedElement& column : all.columns) EXPECT_NE(column.element, 4);
  const ColumnSelection none = select_columns(A, Vec::Zero(10));
  EXPECT_TRUE(none.columns.empty());
  EXPECT_EQ(none.error, 0);
  EXPECT_THROW(select_columns(A, Vec::Zero(9)), Error);
}

TEST(ColumnSelection, BearsColumnsThatAreAllAlike) {
  Mat A = Mat::Ones(30, 200);
  A += 1e-9 * normal_matrix(30, 200, 4);
  const ColumnSelection found = select_columns(A, A.rowwise().sum(), {.tolerance = 1e-6});
  EXPECT_TRUE(found.reached);
  double total = 0;
  for (const WeightedElement& column : found.columns) total += column.weight;
  EXPECT_NEAR(total, 200, 1e-3);
}

TEST(ColumnSelection, IsTheSameOnAnyNumberOfThreads) {
  const Mat A = smooth_forces(300, 5000);
  const Vec b = A.rowwise().sum();
  std::vector<ColumnSelection> found;
  for (const int threads : {1, 2, 8}) {
    const ThreadCountScope scope(threads);
    found.push_back(select_columns(A, b, {.tolerance = 0.003, .looked_at = 1500}));
  }
  for (const ColumnSelection& each : found) {
    ASSERT_EQ(each.columns.size(), found[0].columns.size());
    for (std::size_t k = 0; k < each.columns.size(); ++k) {
      EXPECT_EQ(each.columns[k].element, found[0].columns[k].element);
      EXPECT_EQ(each.columns[k].weight, found[0].columns[k].weight);
    }
  }
}

}  // namespace
}  // namespace rigspace
