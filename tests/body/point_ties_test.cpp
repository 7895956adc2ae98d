#include "rigspace/body/point_ties.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace rigspace {
namespace {

constexpr int kPoints = 11;

Vec random_vector(Eigen::Index size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  return Vec::NullaryExpr(size, [&] { return number(random); });
}

/// Rows of one to four points, a point twice in some, and one row of none.
PointTies some_ties() {
  std::mt19937 random(7);
  PointTies ties;
  for (int i = 0; i < 150; ++i) {  // more than a chunk of rows
    for (int e = 0; i != 3 && e <= i % 4; ++e)
      ties.add(static_cast<int>(random() % kPoints), 0.1 * static_cast<double>(random() % 10) - 0.3);
    ties.end_row();
  }
  return ties;
}

/// Point i feels controls i % 3 and i % 3 + 2 of five.
BlockJacobian point_jacobian() {
  BlockJacobian J{.columns = 5, .start = {0}};
  for (int i = 0; i < kPoints; ++i) {
    J.column.push_back(i % 3), J.column.push_back(i % 3 + 2);
    J.start.push_back(2 * i + 2);
  }
  const Vec values = random_vector(3 * std::ssize(J.column), 3);
  J.value = Eigen::Map<const Eigen::Matrix3Xd>(values.data(), 3, std::ssize(J.column));
  return J;
}

TEST(PointTies, ApplyIsTheWeightedSumOfEachRow) {
  const PointTies ties = some_ties();
  const Vec s = random_vector(3 * kPoints, 1);
  Vec x;
  ties.apply(s, x);
  ASSERT_EQ(x.size(), 3 * ties.count());
  for (int i = 0; i < ties.count(); ++i) {
    Vec3 sum = Vec3::Zero();
    ties.for_each(i, [&](int point, double weight) { sum += weight * s.segment<3>(3 * point); });
    EXPECT_LT((x.segment<3>(3 * i) - sum).norm(), 1e-15);  // rounding alone
    EXPECT_EQ(ties.row(i, s), Vec3(x.segment<3>(3 * i)));
  }
  EXPECT_EQ(ties.row(3, s), Vec3(Vec3::Zero()));
}

TEST(PointTies, PullIsTheAdjointOfApplyAndAdds) {
  const PointTies ties = some_ties();
  const Vec s = random_vector(3 * kPoints, 1), g = random_vector(3 * ties.count(), 2);
  Vec x;
  ties.apply(s, x);
  const Vec before = random_vector(s.size(), 4);
  Vec g_s = before;
  ties.pull(g, g_s);
  ASSERT_GT(std::abs(g.dot(x)), 0.01);
  EXPECT_NEAR((g_s - before).dot(s), g.dot(x), 1e-12);
}

TEST(PointTies, AnAppendedRowIsTheSameRow) {
  const PointTies ties = some_ties();
  const Vec s = random_vector(3 * kPoints, 1);
  PointTies some;
  for (const int i : {9, 3, 140}) some.append(ties, i);
  ASSERT_EQ(some.count(), 3);
  EXPECT_EQ(some.row(0, s), ties.row(9, s));
  EXPECT_EQ(some.row(1, s), ties.row(3, s));
  EXPECT_EQ(some.row(2, s), ties.row(140, s));
}

TEST(PointTies, ARowOfRenumberedPointsIsTheSameOfThosePoints) {
  const PointTies ties = some_ties();
  const Vec s = random_vector(3 * kPoints, 1);
  std::vector<int> points(ties.points_of(7).begin(), ties.points_of(7).end());
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  ASSERT_LT(std::ssize(points), kPoints);
  Vec s_few(3 * std::ssize(points));
  for (std::size_t k = 0; k < points.size(); ++k)
    s_few.segment<3>(3 * static_cast<Eigen::Index>(k)) = s.segment<3>(3 * points[k]);
  PointTies few;
  few.append(ties, 7, points);
  EXPECT_EQ(few.row(0, s_few), ties.row(7, s));
}

TEST(PointTies, TheJacobianOfRowsIsThatOfPointsApplied) {
  const PointTies ties = some_ties();
  const BlockJacobian of_points = point_jacobian();
  BlockJacobian of_rows;
  ties.jacobian(of_points, of_rows);
  const Vec dp = random_vector(of_points.columns, 5);
  Vec ds, dx, applied;
  of_points.push(dp, ds);
  of_rows.push(dp, dx);
  ties.apply(ds, applied);
  ASSERT_GT(applied.norm(), 0.1);
  EXPECT_LT((dx - applied).cwiseAbs().maxCoeff(), 1e-14);
  Mat dense = Mat::Zero(3 * ties.count(), of_points.columns);
  for (int i = 0; i < ties.count(); ++i) ties.add_jacobian_row(i, of_points, dense.middleRows<3>(3 * i));
  EXPECT_LT((dense - of_rows.dense()).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(PointTies, OnePointEachIsTheIdentity) {
  const Vec s = random_vector(3 * kPoints, 1);
  Vec x;
  one_point_each(kPoints).apply(s, x);
  EXPECT_EQ(x, s);
}

}  // namespace
}  // namespace rigspace
