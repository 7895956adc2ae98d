#include "rigspace/energy/pull.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rigspace {
namespace {

void require_stiffness(int pull, double stiffness) {
  if (stiffness >= 0 && std::isfinite(stiffness)) return;
  throw Error({.element = "pull " + std::to_string(pull),
               .value = std::to_string(stiffness),
               .problem = "has a stiffness of " + std::to_string(stiffness) + " N/m",
               .remedy = "expected zero or more"});
}

}  // namespace

Pulls::Pulls(int points, std::vector<Pull> pulls) : points_(points), pulls_(std::move(pulls)) {
  for (std::size_t k = 0; k < pulls_.size(); ++k) {
    require_stiffness(static_cast<int>(k), pulls_[k].stiffness);
    for (int a = 0; a < 4; ++a) {
      if (pulls_[k].anchor.weights[a] == 0) continue;
      const int i = pulls_[k].anchor.points[a];
      if (i < 0 || i >= points)
        throw Error({.element = "pull " + std::to_string(k),
                     .value = std::to_string(i),
                     .problem = "holds point " + std::to_string(i),
                     .remedy = "there are " + std::to_string(points) + " points"});
      support_.push_back(i);
    }
  }
  std::sort(support_.begin(), support_.end());
  support_.erase(std::unique(support_.begin(), support_.end()), support_.end());
}

void Pulls::set_stiffness(int pull, double stiffness) {
  require_stiffness(pull, stiffness);
  pulls_[static_cast<std::size_t>(pull)].stiffness = stiffness;
}

Vec3 Pulls::position(In x, int pull) const {
  const Anchor& anchor = pulls_[static_cast<std::size_t>(pull)].anchor;
  Vec3 sum = Vec3::Zero();
  for (int a = 0; a < 4; ++a)
    if (anchor.weights[a] != 0) sum += anchor.weights[a] * point(x, anchor.points[a]);
  return sum;
}

double Pulls::value(const State&, In x) const {
  double sum = 0;
  for (int k = 0; k < element_count(); ++k)
    sum += 0.5 * pulls_[k].stiffness * (position(x, k) - pulls_[k].target).squaredNorm();
  return sum;
}

void Pulls::add_gradient(const State&, In x, double weight, Vec& g) const {
  for (int k = 0; k < element_count(); ++k) {
    const Vec3 force = weight * pulls_[k].stiffness * (position(x, k) - pulls_[k].target);
    const Anchor& anchor = pulls_[k].anchor;
    for (int a = 0; a < 4; ++a)
      if (anchor.weights[a] != 0) point(g, anchor.points[a]) += anchor.weights[a] * force;
  }
}

void Pulls::add_hessian(const State&, In, double weight, HessianMode, BlockSink& sink) const {
  for (const Pull& pull : pulls_) {
    int points[4], used = 0;
    double w[4];
    for (int a = 0; a < 4; ++a)
      if (pull.anchor.weights[a] != 0) points[used] = pull.anchor.points[a], w[used++] = pull.anchor.weights[a];
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 12, 12> H =
        Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 12, 12>::Zero(3 * used, 3 * used);
    for (int a = 0; a < used; ++a)
      for (int b = 0; b < used; ++b)
        for (int i = 0; i < 3; ++i) H(3 * a + i, 3 * b + i) = weight * pull.stiffness * w[a] * w[b];
    sink.add({points, static_cast<std::size_t>(used)}, H.data());
  }
}

std::unique_ptr<Energy> Pulls::sampled(std::span<const WeightedElement> elements) const {
  std::vector<Pull> part;
  for (const auto& [k, weight] : elements) {
    part.push_back(pulls_[static_cast<std::size_t>(k)]);
    part.back().stiffness *= weight;
  }
  return std::make_unique<Pulls>(points_, std::move(part));
}

}  // namespace rigspace
