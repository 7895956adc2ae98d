#include "rigspace/rig/kriging.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kReaches[] = {0.25, 0.5, 1, 2, 4};  // of the places' own extent
constexpr double kNoises[] = {1e-6, 1e-4, 1e-2};     // of a value's square

double matern(double r) {
  const double a = std::min(std::sqrt(5.0) * r, 600.0);
  return (1 + a + a * a / 3) * std::exp(-a);
}

}  // namespace

Kriging::Kriging(Mat places, const Mat& products) : places_(std::move(places)) {
  const auto n = static_cast<double>(places_.cols());
  size_ = std::sqrt((places_.colwise() - places_.rowwise().mean()).squaredNorm() / n) + 1e-300;
  double best = std::numeric_limits<double>::infinity();
  for (const double reach : kReaches)
    for (const double noise : kNoises) {
      // Error of predicting a value from all others: [K^-1 f]_k / [K^-1]_kk.
      const Mat inverse = correlations(reach, noise).partialPivLu().inverse();
      const Vec squares = (inverse * products * inverse).diagonal();
      const double missed = (squares.array() / inverse.diagonal().array().square()).sum();
      if (missed >= best) continue;
      best = missed, reach_ = reach, system_.compute(correlations(reach, noise));
      // The doubt of such a prediction is [K^-1]_kk^(-1/2).
      worst_left_out_ = std::sqrt((squares.array() / inverse.diagonal().array()).maxCoeff());
    }
}

Mat Kriging::correlations(double reach, double noise) const {
  Mat K(places_.cols(), places_.cols());
  for (Eigen::Index j = 0; j < K.cols(); ++j)
    for (Eigen::Index i = 0; i < K.rows(); ++i)
      K(i, j) = matern((places_.col(i) - places_.col(j)).norm() / (reach * size_));
  K.diagonal().array() += noise;
  return K;
}

Vec Kriging::weights(In z, double* doubt) const {
  Vec k(places_.cols());
  for (Eigen::Index i = 0; i < k.size(); ++i) k[i] = matern((places_.col(i) - z).norm() / (reach_ * size_));
  Vec w = system_.solve(k);
  if (doubt != nullptr) *doubt = std::sqrt(std::max(0.0, 1 - k.dot(w)));
  return w;
}

}  // namespace rigspace
