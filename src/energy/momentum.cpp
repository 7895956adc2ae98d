#include "rigspace/energy/momentum.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace rigspace {
namespace {

constexpr int kMomentumChunk = 256;

}  // namespace

Momentum::Momentum(In masses)
    : points_(static_cast<std::size_t>(masses.size())), masses_(masses.begin(), masses.end()) {
  std::iota(points_.begin(), points_.end(), 0);
  for (std::size_t i = 0; i < masses_.size(); ++i)
    if (!(masses_[i] >= 0) || !std::isfinite(masses_[i]))
      throw Error({.element = "point " + std::to_string(i),
                   .value = std::to_string(masses_[i]),
                   .problem = "has a mass of " + std::to_string(masses_[i]) + " kg",
                   .remedy = "expected zero or more"});
  target_ = Vec::Zero(3 * masses.size());
}

void Momentum::set_target(In x_tilde, double scale) {
  assert(x_tilde.size() == target_.size());
  target_ = x_tilde;
  scale_ = scale;
}

double Momentum::value(const State&, In x) const {
  return 0.5 * scale_ * parallel_sum(element_count(), kMomentumChunk, [&](int begin, int end) {
           double sum = 0;
           for (int k = begin; k < end; ++k)
             sum += masses_[k] * (point(x, points_[k]) - point(target_, points_[k])).squaredNorm();
           return sum;
         });
}

void Momentum::add_gradient(const State&, In x, double weight, Vec& g) const {
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const int i = points_[k];
    point(g, i) += weight * scale_ * masses_[k] * (point(x, i) - point(target_, i));
  }
}

void Momentum::add_hessian(const State&, In, double weight, HessianMode, BlockSink& sink) const {
  add_blocks(sink, 1, points_,
             [&](int k, double* H) { H[0] = H[4] = H[8] = weight * scale_ * masses_[static_cast<std::size_t>(k)]; });
}

Momentum Momentum::sample(std::span<const WeightedElement> elements) const {
  std::vector<WeightedElement> sorted(elements.begin(), elements.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.element < b.element; });
  Momentum part;
  part.target_ = target_;
  part.scale_ = scale_;
  for (const auto& [e, weight] : sorted) {
    if (!part.points_.empty() && part.points_.back() == points_[e]) {
      part.masses_.back() += weight * masses_[e];
      continue;
    }
    part.points_.push_back(points_[e]);
    part.masses_.push_back(weight * masses_[e]);
  }
  return part;
}

std::unique_ptr<Energy> Momentum::sampled(std::span<const WeightedElement> elements) const {
  return std::make_unique<Momentum>(sample(elements));
}

double Momentum::total_mass() const { return std::accumulate(masses_.begin(), masses_.end(), 0.0); }

}  // namespace rigspace
