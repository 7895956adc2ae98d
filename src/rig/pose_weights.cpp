#include "rigspace/rig/pose_weights.h"

#include "automatic_operator.h"
#include "rigspace/base/error.h"

#include <Eigen/LU>

#include <algorithm>

namespace rigspace {
namespace {

/// The kernel as a function of r^2, smooth at 0 for all kinds.
template <class S>
S kernel(PoseKernel kind, const S& r2, double radius) {
  using std::exp;
  using std::sqrt;
  switch (kind) {
    case PoseKernel::linear: return sqrt(r2 + S(1e-6 * radius * radius));  // rounded within 1e-3 radius
    case PoseKernel::gaussian: return exp(-r2 * S(1 / (radius * radius)));
    case PoseKernel::multiquadric: return sqrt(r2 + S(radius * radius));
  }
  return S(0);
}

/// w = C^T [k(x); 1], C the first columns of the inverse of [K 1; 1^T 0].
struct WeightsFormula {
  PoseKernel kind;
  double radius;
  Mat examples;      // a row each
  Mat coefficients;  // examples + 1 by examples

  template <class S>
  void operator()(const S* inputs, S* output) const {
    const Eigen::Index count = examples.rows();
    for (Eigen::Index j = 0; j < count; ++j) output[j] = S(coefficients(count, j));
    for (Eigen::Index i = 0; i < count; ++i) {
      S r2(0);
      for (Eigen::Index k = 0; k < examples.cols(); ++k) {
        const S d = inputs[k] - S(examples(i, k));
        r2 += d * d;
      }
      const S value = kernel(kind, r2, radius);
      for (Eigen::Index j = 0; j < count; ++j) output[j] += value * S(coefficients(i, j));
    }
  }
};

Mat rows_of(const PoseWeights& weights, const std::string& who) {
  const std::size_t inputs = weights.inputs.size();
  Mat rows(static_cast<Eigen::Index>(weights.examples.size()), static_cast<Eigen::Index>(inputs));
  for (std::size_t j = 0; j < weights.examples.size(); ++j) {
    if (weights.examples[j].size() != inputs)
      throw Error(
          {.element = who,
           .value = std::to_string(weights.examples[j].size()),
           .problem = "has " + std::to_string(weights.examples[j].size()) + " numbers in example " + std::to_string(j),
           .remedy = "expected one per input, " + std::to_string(inputs)});
    for (std::size_t k = 0; k < inputs; ++k) rows(j, k) = weights.examples[j][k];
  }
  return rows;
}

/// Mean distance to the nearest other example; throws if two are the same.
double spacing(const Mat& rows, const std::string& who) {
  double sum = 0;
  const double size = rows.rows() > 0 ? rows.cwiseAbs().maxCoeff() : 0;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (Eigen::Index j = 0; j < rows.rows(); ++j) {
      if (i == j) continue;
      const double distance = (rows.row(i) - rows.row(j)).norm();
      if (!(distance > 1e-9 * size))
        throw Error({.element = who,
                     .problem = "has the same pose in examples " + std::to_string(std::min(i, j)) + " and " +
                                std::to_string(std::max(i, j)),
                     .remedy = "remove one, or tell them apart by another input"});
      nearest = std::min(nearest, distance);
    }
    sum += nearest;
  }
  return rows.rows() > 1 ? sum / static_cast<double>(rows.rows()) : 1;
}

}  // namespace

std::vector<int> add_pose_weights(ControlGraph& graph, const PoseWeights& weights) {
  const std::string who = "pose weights \"" + weights.name + "\"";
  const std::size_t most = 256;
  if (weights.examples.empty() || weights.examples.size() > most || weights.inputs.empty())
    throw Error({.element = who,
                 .value = std::to_string(weights.examples.size()),
                 .problem = "has " + std::to_string(weights.examples.size()) + " examples of " +
                            std::to_string(weights.inputs.size()) + " inputs",
                 .remedy = "expected 1 to 256 examples, and an input"});
  WeightsFormula formula{weights.kernel, weights.radius, rows_of(weights, who), {}};
  const double mean = spacing(formula.examples, who);
  if (!(formula.radius > 0) || weights.kernel == PoseKernel::linear) formula.radius = mean;

  // Bordered, so that constants are reproduced and the multiquadric, only conditionally definite, can be solved
  // (docs/corrections.md, "multiquadric kernel").
  const Eigen::Index count = formula.examples.rows();
  Mat A = Mat::Zero(count + 1, count + 1);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j)
      A(i, j) = kernel<double>(weights.kernel, (formula.examples.row(i) - formula.examples.row(j)).squaredNorm(),
                               formula.radius);
    A(i, count) = A(count, i) = 1;
  }
  formula.coefficients = Eigen::FullPivLU<Mat>(A).solve(Mat::Identity(count + 1, count));
  const double error = (A * formula.coefficients - Mat::Identity(count + 1, count)).cwiseAbs().maxCoeff();
  if (!(error < 1e-8) || formula.coefficients.cwiseAbs().maxCoeff() * A.cwiseAbs().maxCoeff() > 1e10)
    throw Error({.element = who,
                 .value = std::to_string(formula.radius),
                 .problem = "cannot tell its examples apart with radius " + std::to_string(formula.radius),
                 .remedy = "take a smaller radius; the examples' mean distance is " + std::to_string(mean)});

  FormulaInputs inputs(graph);
  for (const Source& source : weights.inputs) inputs.add(source);
  const int slot = add_formula(graph, std::move(inputs), static_cast<int>(count), std::move(formula));
  std::vector<int> parts;
  for (int k = 0; k < static_cast<int>(count); ++k) parts.push_back(add_part(graph, slot, k, 1));
  return parts;
}

}  // namespace rigspace
