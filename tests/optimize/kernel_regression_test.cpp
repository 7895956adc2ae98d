#include "rigspace/optimize/kernel_regression.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace rigspace {
namespace {

/// d by n numbers between -1 and 1.
Mat places(int d, int n, unsigned seed) {
  std::mt19937 random(seed);
  return Mat::NullaryExpr(d, n, [&] { return std::uniform_real_distribution<double>(-1, 1)(random); });
}

Mat curved(const Mat& X) {
  Mat Y(2, X.cols());
  for (Eigen::Index k = 0; k < X.cols(); ++k)
    Y.col(k) << std::sin(2 * X(0, k)) + X(1, k), X(0, k) * X(1, k) - 0.5 * X(2, k);
  return Y;
}

class EveryKernel : public ::testing::TestWithParam<Kernel> {};
INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel, ::testing::ValuesIn(kKernels), [](const auto& kernel) {
  std::string text(name(kernel.param));
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
});

TEST_P(EveryKernel, ReproducesConstants) {
  const Mat X = places(3, 12, 1), Y = Mat::Constant(2, 12, 0.75);
  const KernelRegression model(X, Y, {.kernel = GetParam(), .smoothing = 1e-3});
  const Vec far{{3, -4, 5}};
  EXPECT_LT((model.predict(far) - Vec::Constant(2, 0.75)).norm(), 1e-10);
}

TEST_P(EveryKernel, LeaveOneOutInClosedFormEqualsFittingWithoutTheSample) {
  const Mat X = places(3, 9, 20), Y = curved(X);
  const KernelSettings settings{.kernel = GetParam(), .length = 0.8, .smoothing = 1e-3};
  const KernelRegression whole(X, Y, settings);
  const Mat residuals = whole.leave_one_out();
  const Vec variances = whole.leave_one_out_variance();
  for (int left_out = 0; left_out < 9; ++left_out) {
    Mat X_less(3, 8), Y_less(2, 8);
    for (int k = 0, to = 0; k < 9; ++k)
      if (k != left_out) X_less.col(to) = X.col(k), Y_less.col(to++) = Y.col(k);
    const KernelRegression less(X_less, Y_less, settings);
    EXPECT_LT((Y.col(left_out) - less.predict(X.col(left_out)) - residuals.col(left_out)).norm(), 1e-8);
    EXPECT_NEAR(variances[left_out], less.variance(X.col(left_out)), 1e-8 * (1 + variances[left_out]));
  }
}

TEST_P(EveryKernel, DerivativeIsThatOfPrediction) {
  const Mat X = places(3, 9, 40);
  const KernelRegression model(X, curved(X), {.kernel = GetParam(), .length = 0.7});
  const Vec x = places(3, 1, 77);
  const Mat D = model.derivative(x);
  EXPECT_GT(D.norm(), 1e-3);
  for (int k = 0; k < 3; ++k) {
    Vec plus = x, minus = x;
    plus[k] += 1e-5, minus[k] -= 1e-5;
    EXPECT_LT(((model.predict(plus) - model.predict(minus)) / 2e-5 - D.col(k)).norm(), 1e-6 * (1 + D.norm()));
  }
}

TEST(KernelRegression, PassesThroughSamplesWithoutSmoothingAndIsCertainThere) {
  const Mat X = places(3, 15, 3), Y = curved(X);
  for (const Kernel kernel : {Kernel::multiquadric, Kernel::squared_exponential}) {
    const KernelRegression model(X, Y, {.kernel = kernel, .smoothing = 0});
    for (int k = 0; k < 15; ++k) {
      EXPECT_LT((model.predict(X.col(k)) - Y.col(k)).norm(), 1e-8);
      EXPECT_LT(model.variance(X.col(k)), 1e-8);
    }
    const double far = model.variance(Vec{{4, 4, 4}}), near = model.variance(Vec{{1, 1, 1}});
    EXPECT_GT(far, near);
  }
}

// IRM 6.1: beyond the samples the squared exponential falls back to a constant at once. The multiquadric goes on with
// the slope that it had and levels off, since its coefficients sum to 0.
TEST(KernelRegression, MultiquadricGoesOnBeyondTheSamples) {
  Mat X(1, 11), Y(1, 11);
  for (int k = 0; k < 11; ++k) X(0, k) = 0.1 * k, Y(0, k) = 3 * X(0, k);
  const KernelRegression goes_on(X, Y, {.kernel = Kernel::multiquadric, .length = 0.4});
  const KernelRegression falls(X, Y, {.kernel = Kernel::squared_exponential, .length = 0.4});
  const auto at = [](const KernelRegression& model, double x) { return model.predict(Vec::Constant(1, x))[0]; };
  EXPECT_NEAR(at(goes_on, 1.2), 3.6, 0.1);
  EXPECT_GT(at(goes_on, 2.0), at(goes_on, 1.5));
  EXPECT_GT(at(goes_on, 2.0), 3.9);
  EXPECT_LT(at(falls, 2.0), 3.0);
}

// The matrix of IRM (6), K + theta_1 I without a border, is no covariance: an eigenvalue of K passes through zero.
TEST(KernelRegression, TheBorderedSystemIsMoreAccurateThanThePrintedOne) {
  const Mat X = places(3, 60, 5), Y = curved(X);
  const KernelSettings settings{.length = mean_distance(X), .smoothing = 1e-3};
  const KernelRegression ours(X, Y, settings);
  Mat K(60, 60);
  const auto kernel = [&](In a, In b) { return std::sqrt((a - b).squaredNorm() + settings.length * settings.length); };
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < 60; ++j) K(i, j) = kernel(X.col(i), X.col(j));
  K.diagonal().array() += settings.smoothing * settings.length;
  const Mat printed = Y * K.inverse();
  double ours_error = 0, printed_error = 0;
  const Mat unseen = places(3, 40, 900), truth = curved(unseen);
  for (int k = 0; k < 40; ++k) {
    Vec row(60);
    for (int i = 0; i < 60; ++i) row[i] = kernel(unseen.col(k), X.col(i));
    ours_error += (ours.predict(unseen.col(k)) - truth.col(k)).squaredNorm();
    printed_error += (printed * row - truth.col(k)).squaredNorm();
  }
  EXPECT_LT(std::sqrt(ours_error), std::sqrt(printed_error));
}

TEST(ChooseSamples, UpdatesEqualFittingAnewAndWorstErrorsComeFirst) {
  const Mat X = places(3, 80, 6), Y = curved(X);
  const KernelSettings settings{.length = mean_distance(X), .smoothing = 1e-6};
  const std::vector<int> chosen = choose_samples(X, Y, settings, {.count = 25, .spread = 6, .first = 4});
  ASSERT_EQ(chosen.size(), 25u);
  EXPECT_EQ(chosen[0], 4);
  EXPECT_EQ(std::set<int>(chosen.begin(), chosen.end()).size(), chosen.size());
  for (std::size_t n = 7; n < chosen.size(); n += 6) {
    Mat X_n(3, n), Y_n(2, n);
    for (std::size_t k = 0; k < n; ++k) X_n.col(k) = X.col(chosen[k]), Y_n.col(k) = Y.col(chosen[k]);
    const KernelRegression model(X_n, Y_n, settings);
    double worst = 0;
    for (int j = 0; j < 80; ++j)
      if (std::find(chosen.begin(), chosen.begin() + static_cast<long>(n), j) == chosen.begin() + static_cast<long>(n))
        worst = std::max(worst, (model.predict(X.col(j)) - Y.col(j)).norm());
    EXPECT_NEAR((model.predict(X.col(chosen[n])) - Y.col(chosen[n])).norm(), worst, 1e-7)
        << "sample " << n << " is the one that those before it predict worst";
  }
}

TEST(ChooseSamples, LeavesOutWhatIsThereTwice) {
  Mat X(1, 4), Y(1, 4);
  X << 0, 1, 1, 0.5;
  Y << 0, 1, 1, 2;
  const std::vector<int> chosen = choose_samples(X, Y, {.smoothing = 0}, {.count = 4, .spread = 1});
  EXPECT_EQ(chosen, (std::vector<int>{0, 1, 3}));
}

TEST(KernelRegression, RefusesWhatIsNoSample) {
  EXPECT_THROW(KernelRegression(Mat(2, 0), Mat(1, 0), {}), Error);
  EXPECT_THROW(KernelRegression(Mat::Zero(2, 3), Mat::Zero(1, 2), {}), Error);
  EXPECT_THROW(KernelRegression(Mat::Constant(2, 3, NAN), Mat::Zero(1, 3), {}), Error);
  EXPECT_THROW(KernelRegression(Mat::Zero(2, 3), Mat::Zero(1, 3), {.length = 0}), Error);
}

TEST(ChooseKernelSettings, FindsTheLeastLeaveOneOutError) {
  const Mat X = places(3, 40, 8), Y = curved(X);
  const KernelSettings found = choose_kernel_settings(X, Y, Kernel::multiquadric);
  const double error = KernelRegression(X, Y, found).leave_one_out().norm();
  EXPECT_LE(error, KernelRegression(X, Y, {.length = mean_distance(X), .smoothing = 1e-4}).leave_one_out().norm());
}

}  // namespace
}  // namespace rigspace
