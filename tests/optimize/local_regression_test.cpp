#include "rigspace/optimize/local_regression.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

/// A curved function of three numbers with more detail than few samples can hold.
Vec wavy(In x) { return Vec{{std::sin(9 * x[0]) * x[1], std::cos(7 * x[2] + x[0])}}; }

struct Samples {
  Mat X, Y;
};
Samples scattered(int count, unsigned seed) {
  std::srand(seed);
  Samples samples{Mat::Random(3, count), Mat(2, count)};
  for (int k = 0; k < count; ++k) samples.Y.col(k) = wavy(samples.X.col(k));
  return samples;
}

double error(const Mat& Y, const Mat& truth) { return (Y - truth).norm() / truth.norm(); }

class LocalRegressions : public ::testing::Test {
 protected:
  static inline const Samples all = scattered(1500, 1), unseen = scattered(200, 2);
  static inline const KernelRegression whole{
      all.X.leftCols(60), all.Y.leftCols(60),
      choose_kernel_settings(all.X.leftCols(60), all.Y.leftCols(60), Kernel::multiquadric)};
  static inline const LocalRegression local{whole, all.X, all.Y, {.cell = 100, .around = 50, .blended = 4}};
};

TEST_F(LocalRegressions, AreMuchNearerToTheTruthThanFewSamplesOfTheWhole) {
  auto predictions = whole.predict_all(unseen.X);
  const double before = error(predictions.Y, unseen.Y);
  const Vec variances = predictions.variances;
  local.correct(unseen.X, predictions);
  EXPECT_LT(error(predictions.Y, unseen.Y), 0.15 * before);
  EXPECT_TRUE((predictions.variances.array() <= variances.array()).all());
}

TEST_F(LocalRegressions, GoOverIntoEachOtherWithoutSteps) {
  // Along a line across many cells; a step would be as large as cells differ from each other.
  constexpr int kSteps = 2000;
  Mat line(3, kSteps);
  for (int k = 0; k < kSteps; ++k)
    line.col(k).head<3>() = Vec3(-0.9, -0.8, 0.7) + k / double(kSteps) * Vec3(1.8, 1.5, -1.3);
  auto predictions = whole.predict_all(line);
  local.correct(line, predictions);
  const Mat change = predictions.Y.rightCols(kSteps - 1) - predictions.Y.leftCols(kSteps - 1);
  // The function itself changes by at most 9 * 1.8 / 2000 a step in a coordinate.
  EXPECT_LT(change.cwiseAbs().maxCoeff(), 3 * 9 * 1.8 / kSteps);
}

TEST_F(LocalRegressions, LeaveTheWholeAloneFarFromSamples) {
  const Mat far = Vec3(30, -20, 10);
  auto predictions = whole.predict_all(far);
  const auto before = predictions;
  local.correct(far, predictions);
  EXPECT_LT((predictions.Y - before.Y).norm(), 1e-6 * before.Y.norm());
  EXPECT_NEAR(predictions.variances[0], before.variances[0], 1e-6 * before.variances[0]);
}

TEST_F(LocalRegressions, NeedMemoryInProportionToTheSamples) {
  long numbers = 0, half = 0;
  for (const KernelRegression& cell : local.cells()) numbers += cell.inverse().size();
  const LocalRegression fewer(whole, all.X.leftCols(750), all.Y.leftCols(750), {.cell = 100, .around = 50});
  for (const KernelRegression& cell : fewer.cells()) half += cell.inverse().size();
  EXPECT_LT(static_cast<double>(numbers), 2.2 * static_cast<double>(half));
  // Cells are at least half full.
  EXPECT_LE(numbers, 2L * 1500 / 100 * 151 * 151);
}

}  // namespace
}  // namespace rigspace
