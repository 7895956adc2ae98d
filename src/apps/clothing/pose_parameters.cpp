#include "rigspace/apps/clothing/pose_parameters.h"

#include "rigspace/base/affine.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rigspace {
namespace {

int chosen_dimensions(const Vec& variances, const PoseParameterOptions& options) {
  const auto available = static_cast<int>(
      std::count_if(variances.begin(), variances.end(), [&](double v) { return v > 1e-18 * variances[0]; }));
  if (options.dimensions > 0) return std::min(options.dimensions, available);
  const double total = variances.sum();
  double sum = 0;
  int count = 0;
  while (count < std::min(available, options.most_dimensions) && sum < options.variance * total) {
    if (std::sqrt(variances[count]) < options.least_deviation * std::sqrt(variances[0])) break;
    sum += variances[count++];
  }
  return count;
}

}  // namespace

void PoseParameterOptions::validate() const {
  require_option(dimensions >= 0, "dimensions of a pose space", dimensions,
                 "give 0 for the automatic choice, or a number");
  require_option(variance > 0 && variance <= 1, "variance", variance, "give a share above 0 and up to 1");
  require_option(least_deviation >= 0 && least_deviation < 1, "least_deviation", least_deviation, "give 0 to 1");
  require_option(most_dimensions >= 1, "most_dimensions", most_dimensions, "give at least 1");
}

// The left singular vectors through the Gram matrix: there are far fewer shapes than coordinates.
PoseParameters::PoseParameters(const Mat& shapes, const PoseParameterOptions& options) {
  options.validate();
  const auto count = shapes.cols();
  mean_ = count > 0 ? Vec(shapes.rowwise().mean()) : Vec();
  const Mat centred = shapes.colwise() - mean_;
  const double spread = count > 0 ? centred.cwiseAbs().maxCoeff() : 0.0;
  if (count < 2 || !(spread > 1e-9 * std::max(1.0, mean_.cwiseAbs().maxCoeff())))
    throw Error({.element = "the poses",
                 .value = std::to_string(count),
                 .problem = "are all the same",
                 .remedy = "give at least two different ones to learn from"});
  const SymmetricEigen eigen = symmetric_eigen(centred.transpose() * centred / static_cast<double>(count - 1));
  const Vec variances = eigen.values.reverse().cwiseMax(0.0);
  const int kept = chosen_dimensions(variances, options);
  deviations_ = variances.head(kept).cwiseSqrt();
  axes_.resize(shapes.rows(), kept);
  for (int k = 0; k < kept; ++k) {
    axes_.col(k) = (centred * eigen.vectors.col(count - 1 - k)).normalized();
    // One of two signs, the same on every machine: the largest coordinate is positive.
    Eigen::Index at = 0;
    axes_.col(k).cwiseAbs().maxCoeff(&at);
    if (axes_(at, k) < 0) axes_.col(k) *= -1;
  }
  explained_ = variances.head(kept).sum() / variances.sum();
}

PoseParameters::PoseParameters(Vec mean, Mat axes, Vec deviations, double explained)
    : mean_(std::move(mean)), deviations_(std::move(deviations)), axes_(std::move(axes)), explained_(explained) {}

Vec PoseParameters::position(In shape) const {
  return (axes_.transpose() * (shape - mean_)).cwiseQuotient(deviations_);
}

void remove_root_motion(int root, std::vector<Affine>& C) {
  if (root < 0) return;
  const Affine back = inverse(C[root]);
  for (Affine& own : C) own = compose(back, own);
}

}  // namespace rigspace
