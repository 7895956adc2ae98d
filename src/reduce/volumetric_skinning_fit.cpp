#include "volumetric_skinning_fit.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/optimize/nnls.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rigspace {
namespace {

constexpr double kFirstAlpha = 10, kLastAlpha = 1e5, kAlphaGrowth = 4;
constexpr int kNewtonSteps = 20;  // at most for each alpha; two or three are usual

std::vector<int> without(std::vector<int> columns, Eigen::Index place) {
  columns.erase(columns.begin() + place);
  return columns;
}

}  // namespace

WeightFit::WeightFit(Mat A, Vec b) : A_(std::move(A)), b_(std::move(b)) {
  G_.noalias() = A_.transpose() * A_;
  Atb_.noalias() = A_.transpose() * b_;
}

SparseWeights WeightFit::solve(const std::vector<int>& columns) const {
  const NnlsResult result = nnls(G_(columns, columns), Atb_(columns), {.sum_to_one = true});
  SparseWeights found;
  Vec distance = -b_;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double weight = result.x[static_cast<Eigen::Index>(k)];
    if (!(weight > 0)) continue;
    found.columns.push_back(columns[k]);
    distance += weight * A_.col(columns[k]);
  }
  found.weights.resize(static_cast<Eigen::Index>(found.columns.size()));
  for (Eigen::Index k = 0, next = 0; k < result.x.size(); ++k)
    if (result.x[k] > 0) found.weights[next++] = result.x[k];
  // From A w - b itself: computed as w^T G w - 2 w^T A^T b + b^T b the residual would lose half of its digits.
  found.residual = std::sqrt(3 * distance.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(3, b_.size())));
  return found;
}

SparseWeights WeightFit::solve() const {
  std::vector<int> all(static_cast<std::size_t>(A_.cols()));
  std::iota(all.begin(), all.end(), 0);
  return solve(all);
}

SparseWeights WeightFit::eliminate(double tolerance, double ratio) const {
  SparseWeights best = solve();
  const double allowed = std::max(tolerance, ratio * best.residual);
  while (best.columns.size() > 1) {
    Eigen::Index smallest;
    best.weights.minCoeff(&smallest);
    SparseWeights fewer = solve(without(best.columns, smallest));
    if (!(fewer.residual <= allowed)) break;
    best = std::move(fewer);
  }
  return best;
}

// min |A w - b|^2 + weight sum_k |w_k|_alpha with sum w = 1 by Newton's method, for growing alpha (Schmidt et al.
// 2007),
//   |w|_alpha = |w| + 2/alpha log1p(exp(-alpha |w|)),   its slope tanh(alpha w / 2)
// (Thesis 4.11 without overflow: docs/corrections.md, "smooth absolute value").
Vec WeightFit::smooth_l1(const std::vector<int>& columns, Vec w, double weight) const {
  const Mat G = G_(columns, columns);
  const Vec Atb = Atb_(columns);
  const Eigen::Index n = w.size();
  const double breath = 1e-12 * std::max(G.trace(), weight);
  for (double alpha = kFirstAlpha; alpha <= kLastAlpha; alpha *= kAlphaGrowth) {
    const auto value = [&](const Vec& at) {
      const auto size = at.array().abs();
      return at.dot(G * at) - 2 * at.dot(Atb) + weight * (size + 2 / alpha * (-alpha * size).exp().log1p()).sum();
    };
    for (int step = 0; step < kNewtonSteps; ++step) {
      const Eigen::ArrayXd slope = (0.5 * alpha * w.array()).tanh();
      Mat K = Mat::Zero(n + 1, n + 1);  // with the multiplier of sum w = 1
      K.topLeftCorner(n, n) = 2 * G;
      K.diagonal().head(n).array() += breath + weight * 0.5 * alpha * (1 - slope.square());
      K.col(n).head(n).setOnes(), K.row(n).head(n).setOnes();
      Vec r = Vec::Zero(n + 1);
      r.head(n) = -2 * (G * w - Atb) - weight * slope.matrix();
      const Vec d = solve_lu(K, r).topRows(n);
      const double here = value(w), promised = r.head(n).dot(d);
      if (!d.allFinite() || !(d.cwiseAbs().maxCoeff() > 1e-9) || !(promised > 0)) break;
      double share = 1;
      while (share > 1e-6 && value(w + share * d) > here - 1e-4 * share * promised) share *= 0.5;
      if (share <= 1e-6) break;
      w += share * d;
    }
  }
  return w;
}

SparseWeights WeightFit::algorithm4(double tolerance, double ratio) const {
  std::vector<int> columns(static_cast<std::size_t>(A_.cols()));
  std::iota(columns.begin(), columns.end(), 0);
  const SparseWeights all = solve();
  const double allowed = std::max(tolerance, ratio * all.residual);
  // The Thesis prints no weight of the L1 norm. Here it is the accepted squared distance, summed over the examples.
  const double weight =
      std::max(tolerance * tolerance, all.residual * all.residual) * static_cast<double>(b_.size()) / 3;
  Vec w = Vec::Zero(A_.cols());
  for (std::size_t k = 0; k < all.columns.size(); ++k) w[all.columns[k]] = all.weights[static_cast<Eigen::Index>(k)];
  while (columns.size() > 1) {
    w = smooth_l1(columns, w, weight);
    Eigen::Index smallest;
    w.cwiseAbs().minCoeff(&smallest);
    std::vector<int> fewer = without(columns, smallest);
    if (!(solve(fewer).residual <= allowed)) break;  // keeps the last accepted set
    columns = std::move(fewer);
    Vec rest(w.size() - 1);
    rest << w.head(smallest), w.tail(w.size() - smallest - 1);
    w = rest.array() + (1 - rest.sum()) / static_cast<double>(rest.size());
  }
  return solve(columns);
}

}  // namespace rigspace
