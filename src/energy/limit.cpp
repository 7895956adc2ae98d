#include "rigspace/energy/limit.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace rigspace {

void LimitOptions::validate() const {
  if (!(stiffness >= 0) || !std::isfinite(stiffness))
    throw Error({.code = ErrorCode::usage,
                 .element = "limit stiffness",
                 .value = std::to_string(stiffness),
                 .problem = "is " + std::to_string(stiffness) + " N/m",
                 .remedy = "expected zero or more"});
  if (!(free_part >= 0 && free_part < 1))
    throw Error({.code = ErrorCode::usage,
                 .element = "free part of a limit",
                 .value = std::to_string(free_part),
                 .problem = "is " + std::to_string(free_part),
                 .remedy = "expected 0 or more, below 1"});
}

Limit::Limit(std::vector<int> points, std::vector<double> limits, const LimitOptions& options)
    : points_(std::move(points)),
      support_(points_),
      limits_(std::move(limits)),
      weights_(options.weights.empty() ? std::vector<double>(points_.size(), 1.0) : options.weights),
      options_(options) {
  options_.validate();
  assert(points_.size() == limits_.size() && weights_.size() == points_.size());
  require_limits();
  std::sort(support_.begin(), support_.end());
  support_.erase(std::unique(support_.begin(), support_.end()), support_.end());
}

void Limit::set_limits(std::span<const double> limits, double stiffness) {
  assert(limits.size() == limits_.size());
  limits_.assign(limits.begin(), limits.end());
  options_.stiffness = stiffness;
  options_.validate();
  require_limits();
}

void Limit::require_limits() const {
  for (std::size_t k = 0; k < limits_.size(); ++k)
    if (!(limits_[k] > 0) || !std::isfinite(limits_[k]))
      throw Error({.element = "point " + std::to_string(points_[k]),
                   .value = std::to_string(limits_[k]),
                   .problem = "has a limit of " + std::to_string(limits_[k]) + " m",
                   .remedy = "expected a positive length"});
}

Limit::Barrier Limit::barrier(double distance, int k) const {
  const double reach = limits_[k] * (1 - options_.free_part);  // d(d)/dt
  const double t = (distance - limits_[k] * options_.free_part) / reach;
  if (t <= 0) return {0, 0, 0};
  if (!(t < 1)) return {std::numeric_limits<double>::infinity(), 0, 0};
  const double scale = weights_[k] * options_.stiffness * limits_[k] * limits_[k], u = 1 - t;
  return {.value = scale * t * t * t / u,
          .slope = scale * t * t * (3 - 2 * t) / (u * u) / reach,
          .curvature = scale * 2 * t * (3 - 3 * t + t * t) / (u * u * u) / (reach * reach)};
}

double Limit::value(const State&, In x) const {
  double sum = 0;
  for (int k = 0; k < element_count(); ++k)
    sum += barrier((point(x, points_[k]) - point(keys_, points_[k])).norm(), k).value;
  return sum;
}

void Limit::add_gradient(const State&, In x, double weight, Vec& g) const {
  for (int k = 0; k < element_count(); ++k) {
    const Vec3 d = point(x, points_[k]) - point(keys_, points_[k]);
    const double distance = d.norm(), slope = barrier(distance, k).slope;
    if (slope != 0) point(g, points_[k]) += weight * slope / distance * d;
  }
}

// H = E'' n n^T + E'/d (I - n n^T): both are positive, so exact and projected are one.
void Limit::add_hessian(const State&, In x, double weight, HessianMode, BlockSink& sink) const {
  add_blocks(sink, 1, points_, [&](int k, double* block) {
    const Vec3 d = point(x, points_[k]) - point(keys_, points_[k]);
    const double distance = d.norm();
    const Barrier b = barrier(distance, k);
    if (b.slope == 0) return;
    const Vec3 n = d / distance;
    const double around = weight * b.slope / distance;
    Eigen::Map<Mat3> H(block);
    H = around * Mat3::Identity() + (weight * b.curvature - around) * n * n.transpose();
  });
}

// The path leaves the ball where |d0 + t e| = limit; stopping at 0.9 of the way keeps the barrier finite.
double Limit::max_step(const State&, In x_from, In x_trial) const {
  double fraction = 1;
  for (int k = 0; k < element_count(); ++k) {
    const int i = points_[k];
    const double radius = limits_[k];
    const Vec3 d = point(x_from, i) - point(keys_, i), e = point(x_trial, i) - point(x_from, i);
    if ((d + e).squaredNorm() < radius * radius) continue;
    const double a = e.squaredNorm(), b = d.dot(e), c = radius * radius - d.squaredNorm();
    if (!(c > 0)) return 0;
    const double root = std::sqrt(b * b + a * c);
    fraction = std::min(fraction, 0.9 * (b > 0 ? c / (b + root) : (root - b) / a));
  }
  return fraction;
}

std::unique_ptr<Energy> Limit::sampled(std::span<const WeightedElement> elements) const {
  std::vector<int> points;
  std::vector<double> limits, weights;
  for (const auto& [k, weight] : elements) {
    points.push_back(points_[k]);
    limits.push_back(limits_[k]);
    weights.push_back(weight * weights_[k]);
  }
  auto part = std::make_unique<Limit>(std::move(points), std::move(limits), options_);
  part->weights_ = std::move(weights);
  part->keys_ = keys_;
  return part;
}

}  // namespace rigspace
