#include "rigspace/optimize/kernel_regression.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

/// c as a function of u = |x - x'|^2 / length^2 and w = x . x' / length^2.
double kernel_value(Kernel kernel, double u, double w) {
  switch (kernel) {
    case Kernel::multiquadric: return -std::sqrt(u + 1);
    case Kernel::squared_exponential: return std::exp(-0.5 * u);
    case Kernel::linear: return w;
    case Kernel::polynomial: return (1 + w) * (1 + w) * (1 + w);
  }
  return 0;
}

double length2(const KernelSettings& settings) { return settings.length * settings.length; }

/// c(x, x_i) for all columns of X, whose squared lengths are given.
Vec kernel_column(const KernelSettings& settings, const Mat& X, In squared, In x) {
  const double x2 = x.squaredNorm(), l2 = length2(settings);
  Vec c = X.transpose() * x;
  for (Eigen::Index i = 0; i < c.size(); ++i)
    c[i] = kernel_value(settings.kernel, std::max(0.0, squared[i] + x2 - 2 * c[i]) / l2, c[i] / l2);
  return c;
}

Mat bordered_matrix(const KernelSettings& settings, const Mat& X, In squared) {
  const Eigen::Index n = X.cols();
  Mat A(n + 1, n + 1);
  for (Eigen::Index i = 0; i < n; ++i) A.col(i).head(n) = kernel_column(settings, X, squared, X.col(i));
  A.diagonal().head(n).array() += settings.smoothing;
  A.row(n).setOnes(), A.col(n).setOnes();
  A(n, n) = 0;
  return A;
}

}  // namespace

std::string_view name(Kernel kernel) {
  switch (kernel) {
    case Kernel::multiquadric: return "multiquadric";
    case Kernel::squared_exponential: return "squared exponential";
    case Kernel::linear: return "linear";
    case Kernel::polynomial: return "polynomial";
  }
  return "";
}

void KernelSettings::validate() const {
  require_option(length > 0 && std::isfinite(length), "length of the kernel", length, "expected a length above 0");
  require_option(smoothing >= 0 && std::isfinite(smoothing), "smoothing", smoothing, "expected at least 0");
}

KernelRegression::KernelRegression(Mat X, const Mat& Y, const KernelSettings& settings)
    : X_(std::move(X)), settings_(settings) {
  settings.validate();
  if (X_.cols() < 1 || X_.cols() != Y.cols() || !X_.allFinite() || !Y.allFinite())
    throw Error({.element = "regression",
                 .value = std::to_string(X_.cols()) + " and " + std::to_string(Y.cols()),
                 .problem = "has samples that are not pairs of finite numbers",
                 .remedy = "give as many values as places, at least one"});
  prepare();
  inverse_ = rigspace::inverse(bordered_matrix(settings_, X_, squared_));
  coefficients_ = Y * inverse_.topRows(X_.cols());
  if (!coefficients_.allFinite())
    throw Error({.element = "regression",
                 .problem = "has two samples at one place",
                 .remedy = "leave one of them out, or give a smoothing above 0"});
}

KernelRegression::KernelRegression(Mat X, Mat coefficients, Mat inverse, const KernelSettings& settings)
    : X_(std::move(X)), coefficients_(std::move(coefficients)), inverse_(std::move(inverse)), settings_(settings) {
  settings.validate();
  prepare();
}

void KernelRegression::prepare() { squared_ = X_.colwise().squaredNorm().transpose(); }

Vec KernelRegression::kernels(In x) const {
  Vec k(count() + 1);
  k.head(count()) = kernel_column(settings_, X_, squared_, x);
  k[count()] = 1;
  return k;
}

Mat KernelRegression::kernels(const Mat& X) const {
  Mat K(count() + 1, X.cols());
  K.topRows(count()).noalias() = X_.transpose() * X;
  const double l2 = length2(settings_);
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    auto k = K.col(j).head(count()).array();
    const double x2 = X.col(j).squaredNorm();
    switch (settings_.kernel) {
      case Kernel::multiquadric: k = -((squared_.array() + x2 - 2 * k).max(0.0) / l2 + 1).sqrt(); break;
      case Kernel::squared_exponential: k = (-0.5 / l2 * (squared_.array() + x2 - 2 * k).max(0.0)).exp(); break;
      case Kernel::linear: k /= l2; break;
      case Kernel::polynomial: k = (1 + k / l2).cube(); break;
    }
  }
  K.row(count()).setOnes();
  return K;
}

Vec KernelRegression::predict(In x) const { return coefficients_ * kernels(x); }

KernelRegression::Predictions KernelRegression::predict_all(const Mat& X) const {
  const Mat K = kernels(X);
  Predictions result{.Y = coefficients_ * K, .variances = Vec(X.cols())};
  const Mat weighed = inverse_ * K;
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    const double own = kernel_value(settings_.kernel, 0, X.col(j).squaredNorm() / length2(settings_));
    result.variances[j] = std::max(0.0, own - K.col(j).dot(weighed.col(j)));
  }
  return result;
}

Mat KernelRegression::derivative(In x) const {
  const double x2 = x.squaredNorm(), l2 = length2(settings_);
  Mat dc(count(), size_x());  // row i: d c(x, x_i) / dx
  for (int i = 0; i < count(); ++i) {
    const double dot = X_.col(i).dot(x), u = std::max(0.0, squared_[i] + x2 - 2 * dot) / l2, w = dot / l2;
    const Vec away = (x - X_.col(i)) / l2;  // half of du/dx
    switch (settings_.kernel) {
      case Kernel::multiquadric: dc.row(i) = -away / std::sqrt(u + 1); break;
      case Kernel::squared_exponential: dc.row(i) = -std::exp(-0.5 * u) * away; break;
      case Kernel::linear: dc.row(i) = X_.col(i) / l2; break;
      case Kernel::polynomial: dc.row(i) = 3 * (1 + w) * (1 + w) / l2 * X_.col(i); break;
    }
  }
  return coefficients_.leftCols(count()) * dc;
}

double KernelRegression::variance(In x) const {
  const Vec k = kernels(x);
  const double own = kernel_value(settings_.kernel, 0, x.squaredNorm() / length2(settings_));
  return std::max(0.0, own - k.dot(inverse_ * k));
}

Mat KernelRegression::covariance(const Mat& X) const {
  const Mat K = kernels(X);
  const Vec squared = X.colwise().squaredNorm().transpose();
  Mat C(X.cols(), X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) C.col(j) = kernel_column(settings_, X, squared, X.col(j));
  C.noalias() -= K.transpose() * (inverse_ * K);
  return C;
}

Mat KernelRegression::leave_one_out() const {
  const Vec own = inverse_.diagonal().head(count());
  return coefficients_.leftCols(count()) * own.cwiseInverse().asDiagonal();
}

Vec KernelRegression::leave_one_out_variance() const {
  return (inverse_.diagonal().head(count()).cwiseInverse().array() - settings_.smoothing).max(0.0);
}

double mean_distance(const Mat& X) {
  constexpr Eigen::Index kMost = 500;
  const Eigen::Index n = std::min(kMost, X.cols());
  double sum = 0;
  long pairs = 0;
  const auto at = [&](Eigen::Index i) { return X.col(i * X.cols() / n); };
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j) sum += (at(i) - at(j)).norm(), ++pairs;
  return pairs > 0 && sum > 0 ? sum / static_cast<double>(pairs) : 1;
}

KernelSettings choose_kernel_settings(const Mat& X, const Mat& Y, Kernel kernel) {
  const double distance = mean_distance(X);
  KernelSettings best{.kernel = kernel, .length = distance};
  double least = std::numeric_limits<double>::infinity();
  for (const double factor : {0.1, 0.3, 1.0, 3.0})
    for (const double smoothing : {1e-8, 1e-6, 1e-4, 1e-2}) {
      const KernelSettings settings{.kernel = kernel, .length = factor * distance, .smoothing = smoothing};
      const double error = KernelRegression(X, Y, settings).leave_one_out().squaredNorm();
      if (error < least) least = error, best = settings;
    }
  return best;
}

std::vector<int> choose_samples(const Mat& X, const Mat& Y, const KernelSettings& settings,
                                const SampleChoice& choice) {
  const Eigen::Index all = X.cols(), most = std::min<Eigen::Index>(choice.count, all);
  if (all < 1 || Y.cols() != all || choice.first < 0 || choice.first >= all || most < 1)
    throw Error({.element = "choice of samples",
                 .value = std::to_string(choice.count),
                 .problem = "is not possible among " + std::to_string(all),
                 .remedy = "expected at least one sample, and a first one among them"});
  // Against the first sample, 0, the kernel is positive definite:  k(x, z) = c(x, z) - c(x, 0) - c(0, z) + c(0, 0) + s,
  // s being the smoothing of sample 0. A Cholesky factor of it grows by one column at each step; unlike updates of the
  // inverse it stays accurate when samples are close to each other. Column n of V are the values of the n-th basis
  // function of Newton's form at all places.
  const Vec squared = X.colwise().squaredNorm().transpose();
  const Vec first = kernel_column(settings, X, squared, X.col(choice.first));
  const double own_first = first[choice.first] + settings.smoothing;
  std::vector<int> chosen{choice.first};
  std::vector<char> taken(static_cast<std::size_t>(all), 0);
  taken[static_cast<std::size_t>(choice.first)] = 1;
  Mat V(all, most), residual = Y.colwise() - Y.col(choice.first);
  Vec nearest = (X.colwise() - X.col(choice.first)).colwise().squaredNorm().transpose();  // to those chosen
  const auto add = [&](int i) {
    const auto n = static_cast<Eigen::Index>(chosen.size()) - 1;
    taken[static_cast<std::size_t>(i)] = 1;
    Vec v = kernel_column(settings, X, squared, X.col(i)) - first;
    v.array() += own_first - first[i];
    const double own = v[i];
    v.noalias() -= V.leftCols(n) * V.row(i).head(n).transpose();
    const double pivot = v[i] + settings.smoothing;
    if (!(pivot > 1e-13 * (1 + std::abs(own)))) return;  // adds nothing
    v /= std::sqrt(pivot);
    const Vec step = residual.col(i) / std::sqrt(pivot);
    residual.noalias() -= step * v.transpose();
    V.col(n) = v;
    nearest = nearest.cwiseMin((X.colwise() - X.col(i)).colwise().squaredNorm().transpose());
    chosen.push_back(i);
  };
  for (Eigen::Index tried = 1; tried < all && static_cast<Eigen::Index>(chosen.size()) < most; ++tried) {
    const bool spread = static_cast<int>(chosen.size()) <= choice.spread;
    const Vec errors = spread ? nearest : Vec(residual.colwise().squaredNorm().transpose());
    int worst = -1;
    for (int j = 0; j < static_cast<int>(all); ++j)
      if (!taken[static_cast<std::size_t>(j)] && (worst < 0 || errors[j] > errors[worst])) worst = j;
    add(worst);
  }
  return chosen;
}

}  // namespace rigspace
