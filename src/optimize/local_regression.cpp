#include "rigspace/optimize/local_regression.h"

#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rigspace {
namespace {

/// Halves, across the line between two samples that are far apart, until cells are small enough.
void divide(const Mat& X, std::vector<int> samples, int most, std::vector<std::vector<int>>& cells) {
  if (static_cast<int>(samples.size()) <= most) return cells.push_back(std::move(samples));
  const auto farthest = [&](int from) {
    return *std::ranges::max_element(samples, {}, [&](int i) { return (X.col(i) - X.col(from)).squaredNorm(); });
  };
  const int a = farthest(samples.front()), b = farthest(a);
  const Vec along = X.col(b) - X.col(a);
  std::vector<double> at(static_cast<std::size_t>(X.cols()));
  for (const int i : samples) at[static_cast<std::size_t>(i)] = along.dot(X.col(i));
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end(), [&](int i, int j) {
    const double d = at[static_cast<std::size_t>(i)] - at[static_cast<std::size_t>(j)];
    return d < 0 || (d == 0 && i < j);
  });
  divide(X, {samples.begin(), middle}, most, cells);
  divide(X, {middle, samples.end()}, most, cells);
}

Mat columns(const Mat& M, std::span<const int> chosen) {
  Mat picked(M.rows(), static_cast<Eigen::Index>(chosen.size()));
  for (std::size_t k = 0; k < chosen.size(); ++k) picked.col(static_cast<Eigen::Index>(k)) = M.col(chosen[k]);
  return picked;
}

/// Length and smoothing with the least leave-one-out error in the middle one of a few cells.
KernelSettings local_settings(const Mat& X, const Mat& R, const std::vector<std::vector<int>>& cells) {
  std::vector<KernelSettings> found;
  for (std::size_t k = 0; k < 5; ++k) {
    const std::vector<int>& cell = cells[k * cells.size() / 5];
    found.push_back(choose_kernel_settings(columns(X, cell), columns(R, cell), Kernel::squared_exponential));
  }
  std::ranges::sort(found, {}, &KernelSettings::length);
  KernelSettings settings = found[found.size() / 2];
  settings.smoothing = std::max(settings.smoothing, 1e-6);
  return settings;
}

}  // namespace

void LocalRegression::Options::validate() const {
  require_option(cell >= 4, "samples of a cell", cell, "expected at least 4");
  require_option(around >= 0, "samples around a cell", around, "expected at least 0");
  require_option(blended >= 1, "number of blended cells", blended, "expected at least 1");
}

LocalRegression::LocalRegression(std::vector<KernelRegression> cells, Mat centres, int blended)
    : cells_(std::move(cells)), centres_(std::move(centres)), blended_(blended) {}

LocalRegression::LocalRegression(const KernelRegression& whole, const Mat& X, const Mat& Y, const Options& options)
    : blended_(options.blended) {
  options.validate();
  constexpr Eigen::Index kBatch = 256;
  Mat R = Y;  // what the first regression misses
  for (Eigen::Index k = 0; k < X.cols(); k += kBatch) {
    const Eigen::Index n = std::min(kBatch, X.cols() - k);
    R.middleCols(k, n) -= whole.predict_all(X.middleCols(k, n)).Y;
  }
  std::vector<int> all(static_cast<std::size_t>(X.cols()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::vector<int>> samples;
  divide(X, std::move(all), options.cell, samples);
  const auto count = static_cast<int>(samples.size());
  centres_.resize(X.rows(), count);
  for (int l = 0; l < count; ++l) centres_.col(l) = columns(X, samples[static_cast<std::size_t>(l)]).rowwise().mean();
  const KernelSettings settings = local_settings(X, R, samples);
  cells_.resize(samples.size());
  parallel_ranges(count, 1, [&](int begin, int end) {
    for (int l = begin; l < end; ++l) {
      std::vector<int>& own = samples[static_cast<std::size_t>(l)];
      const Vec distance = (X.colwise() - centres_.col(l)).colwise().squaredNorm().transpose();
      std::vector<int> others;
      std::vector<char> mine(static_cast<std::size_t>(X.cols()), 0);
      for (const int i : own) mine[static_cast<std::size_t>(i)] = 1;
      for (int i = 0; i < static_cast<int>(X.cols()); ++i)
        if (!mine[static_cast<std::size_t>(i)]) others.push_back(i);
      const auto near = others.begin() + std::min<std::ptrdiff_t>(options.around, std::ssize(others));
      std::partial_sort(others.begin(), near, others.end(), [&](int i, int j) {
        return distance[i] < distance[j] || (distance[i] == distance[j] && i < j);
      });
      own.insert(own.end(), others.begin(), near);
      cells_[static_cast<std::size_t>(l)] = KernelRegression(columns(X, own), columns(R, own), settings);
    }
  });
}

void LocalRegression::correct(const Mat& X, KernelRegression::Predictions& predictions) const {
  const auto count = static_cast<int>(cells_.size());
  const int blended = std::min(blended_, count);
  // Places of each cell, so that its regression is read once for all of them.
  std::vector<std::vector<std::pair<int, double>>> places(cells_.size());
  for (int k = 0; k < static_cast<int>(X.cols()); ++k) {
    const Vec distance = (centres_.colwise() - X.col(k)).colwise().norm().transpose();
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    const int kept = std::min(blended + 1, count);
    std::partial_sort(order.begin(), order.begin() + kept, order.end(),
                      [&](int i, int j) { return distance[i] < distance[j] || (distance[i] == distance[j] && i < j); });
    // Shepard's weights that end at the next cell beyond: ((R - d) / (R d))^2.
    const double reach = kept > blended ? distance[order[static_cast<std::size_t>(blended)]] : 1e300;
    std::vector<double> weights;
    double sum = 0;
    for (int l = 0; l < blended; ++l) {
      const double d = std::max(1e-12, distance[order[static_cast<std::size_t>(l)]]);
      const double w = (1 - std::min(1.0, d / reach)) / d;
      weights.push_back(w * w);
      sum += w * w;
    }
    for (int l = 0; l < blended; ++l)
      if (sum > 0)
        places[static_cast<std::size_t>(order[static_cast<std::size_t>(l)])].emplace_back(
            k, weights[static_cast<std::size_t>(l)] / sum);
  }
  Vec left = Vec::Zero(X.cols());  // share of the variance
  for (std::size_t l = 0; l < cells_.size(); ++l) {
    if (places[l].empty()) continue;
    Mat here(X.rows(), static_cast<Eigen::Index>(places[l].size()));
    for (std::size_t k = 0; k < places[l].size(); ++k)
      here.col(static_cast<Eigen::Index>(k)) = X.col(places[l][k].first);
    const KernelRegression::Predictions local = cells_[l].predict_all(here);
    for (std::size_t k = 0; k < places[l].size(); ++k) {
      const auto [place, weight] = places[l][k];
      const double v = std::min(1.0, local.variances[static_cast<Eigen::Index>(k)]);
      predictions.Y.col(place) += weight * (1 - v) * local.Y.col(static_cast<Eigen::Index>(k));
      left[place] += weight * v;
    }
  }
  predictions.variances.array() *= left.array();
}

}  // namespace rigspace
