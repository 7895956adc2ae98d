#include "rigspace/apps/forces/template_drag.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/optimize/lbfgsb.h"

#include <cmath>
#include <map>
#include <numbers>

namespace rigspace {

void DragOptions::validate(int parameters) const {
  require_option(prior >= 0 && std::isfinite(prior), "weight of preferred parameters", prior, "expected 0 or more");
  require_option(fixed.empty() || static_cast<int>(fixed.size()) == parameters, "number of fixed parameters",
                 static_cast<double>(fixed.size()), "expected one for each of " + std::to_string(parameters));
  require_option(max_iterations > 0, "number of iterations", max_iterations, "expected at least 1");
  require_option(tolerance > 0, "tolerance", tolerance, "expected more than 0");
}

TemplateDrag::TemplateDrag(PosedLattice& lattice, TemplateForce force, std::vector<DragTarget> targets, Vec others)
    : lattice_(&lattice), force_(std::move(force)), targets_(std::move(targets)), others_(std::move(others)) {
  const HexEmbedding& skin = lattice.body().surface;
  std::map<int, Vec3> places;
  std::vector<int> points;
  for (const DragTarget& target : targets_) {
    const std::string what = "drag of point " + std::to_string(target.point);
    if (target.point < 0 || target.point >= skin.count())
      throw Error({.element = what,
                   .value = std::to_string(target.point),
                   .problem = "is of none",
                   .remedy = "the skin has " + std::to_string(skin.count()) + " points, numbered from 0"});
    const auto [found, is_new] = places.try_emplace(target.point, target.place);
    if (!is_new && found->second != target.place)
      throw Error({.element = what,
                   .value = std::to_string(target.point),
                   .problem = "has two places to go to",
                   .remedy = "drag a point to one place"});
    points.push_back(target.point);
  }
  points_ = skin.restricted(points);
  if (others_.size() == 0) others_ = Vec::Zero(3 * lattice.body().vertex_count());
  miss_.resize(3 * points_.count());
  if (points_.count() <= kResponsePoints) respond();
}

void TemplateDrag::respond() {
  lattice_->shape_of(others_, y_);
  points_.evaluate(y_, still_);
  response_.resize(y_.size(), still_.size());
  Vec unit = Vec::Zero(still_.size()), u, v;
  for (Eigen::Index k = 0; k < still_.size(); ++k) {
    unit[k] = 1;
    Vec g = Vec::Zero(y_.size());
    points_.add_transposed(unit, g);
    lattice_->solve(g, u);
    lattice_->turned_back(u, v);
    response_.col(k) = v;
    unit[k] = 0;
  }
}

void TemplateDrag::move(std::span<const Vec3> places) {
  require_option(places.size() == targets_.size(), "number of dragged points", static_cast<double>(places.size()),
                 "expected a place for each of " + std::to_string(targets_.size()));
  for (std::size_t j = 0; j < targets_.size(); ++j) targets_[j].place = places[j];
}

Vec TemplateDrag::typical(In g) const {
  Vec scale(g.size());
  const auto names = force_.parameter_names();
  const double r = g[1];
  const Vec3 along = force_.guide.line.to - force_.guide.line.from;
  for (std::size_t k = 0; k < names.size(); ++k)
    scale[k] = names[k] == "strength" ? 1 : names[k] == "along" ? r / along.norm() : is_angle(names[k]) ? 1 : r;
  return scale;
}

double TemplateDrag::miss_at(In g) {
  Q_.setZero(others_.size());
  add_generalised_force(lattice_->body(), force_, g, 1, Q_);
  if (response_.size() > 0) {
    miss_.noalias() = still_ + response_.transpose() * Q_;
  } else {
    lattice_->shape_of(Q_ + others_, y_);
    points_.evaluate(y_, miss_);
  }
  for (std::size_t j = 0; j < targets_.size(); ++j) point(miss_, static_cast<int>(j)) -= targets_[j].place;
  return miss_.squaredNorm();
}

// v = W^T dC/dp, C = |miss|^2.
void TemplateDrag::pull_miss(Vec& v) {
  if (response_.size() > 0) {
    v.noalias() = response_ * (2 * miss_);
    return;
  }
  Vec by_q = Vec::Zero(others_.size()), lambda;
  points_.add_transposed(2 * miss_, by_q);
  lattice_->solve(by_q, lambda);
  lattice_->turned_back(lambda, v);
}

double TemplateDrag::distance(In g) {
  return std::sqrt(miss_at(g) / static_cast<double>(std::max<std::size_t>(1, targets_.size())));
}

double TemplateDrag::cost(In g, In preferred, const DragOptions& options, Vec& gradient) {
  double C = miss_at(g);
  Vec v;
  pull_miss(v);
  gradient.setZero(g.size());
  add_generalised_force_gradient(lattice_->body(), force_, g, v, gradient);
  const Vec xi = options.prior * lattice_->body().cell * typical(preferred).cwiseInverse();
  const Vec away = xi.cwiseProduct(g - preferred);
  gradient += 2 * xi.cwiseProduct(away);
  return C + away.squaredNorm();
}

DragResult TemplateDrag::solve(In start, const DragOptions& options, const ProgressCallback& progress) {
  options.validate(static_cast<int>(start.size()));
  const Vec preferred = start, scale = typical(start);
  const double inf = std::numeric_limits<double>::infinity();
  LbfgsbOptions search{.max_iterations = options.max_iterations};
  search.lower = Vec::Constant(start.size(), -inf), search.upper = Vec::Constant(start.size(), inf);
  const auto names = force_.parameter_names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == "radius" || names[k] == "ring") {  // a torus keeps its tube thinner than its ring
      const double most =
          force_.kind == ForceTemplate::torus ? std::sqrt(std::max(1.0, 0.98 * start[2] / start[1])) : 3;
      search.lower[k] = start[k] / most / scale[k], search.upper[k] = start[k] * most / scale[k];
    }
    if (names[k] == "along") search.lower[k] = 0, search.upper[k] = 1 / scale[k];
    if (!options.fixed.empty() && options.fixed[k] != 0) search.lower[k] = search.upper[k] = start[k] / scale[k];
  }
  Vec z = start.cwiseQuotient(scale), g;
  DragResult result{.before = distance(start)};
  cost(start, preferred, options, g);
  search.gradient_tolerance = std::max(1e-300, options.tolerance * scale.cwiseProduct(g).lpNorm<Eigen::Infinity>());
  result.summary = minimize_lbfgsb(
      [&](In at, Vec& by) {
        const double C = cost(at.cwiseProduct(scale), preferred, options, by);
        by = by.cwiseProduct(scale).eval();
        return C;
      },
      z, search, progress);
  result.parameters = z.cwiseProduct(scale);
  result.after = distance(result.parameters);
  return result;
}

}  // namespace rigspace
