#include "light_body.h"

#include "rigspace/body/deferred_jacobian.h"
#include "rigspace/body/interior_response.h"
#include "rigspace/body/linear_rig_mapping.h"
#include "rigspace/body/step_terms.h"
#include "rigspace/optimize/dense_system.h"
#include "rigspace/optimize/nnls.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr std::size_t kFewest = 12, kMost = 64;  // nodes with mass, a part
constexpr double kMassError = 0.02;              // relative, at which no more are taken
constexpr double kMostError = 0.1;               // above it nodes with many ties are taken too: an inside that swings
constexpr std::size_t kMostPoints = 6;  // of the rig, that a node may be tied to: it is evaluated in every step

/// The body's nodes at rest, and how the free controls move them there.
struct AtRest {
  explicit AtRest(const SteppedBody& body) : map(description_of(body)) {
    Vec s;
    body.rig->evaluate(*body.rig->make_workspace(), body.rig->rest(), s);
    body.ties.apply(s, x);
    s_rest = s;
    lineariser = std::make_unique<JacobianEveryStep>(
        map, x, LinearRigOptions{}, body.response.start.empty() ? BlockJacobian{} : rows_of(body.response, map.bound));
    lineariser->begin(body.rig->rest(), body.rig->rest(), x);
  }

  RigSpaceDescription map;
  Vec x, s_rest;
  std::unique_ptr<JacobianEveryStep> lineariser;
};

/// The Hessian of the elements at unit stiffness, on the free controls.
Mat elastic_hessian(const SteppedBody& body, const AtRest& rest, MaterialKind material) {
  if (body.tets.empty()) return {};
  SteppedBody unit = body;
  unit.stiffness = 1;
  const StepTerms terms(unit, rest.x, material, 0);
  LinearRigMapping mapping(rest.lineariser->linear(), body);
  mapping.set_key(body.rig->rest(), rest.x, rest.s_rest);
  Objective objective(mapping);
  objective.add("flesh", *terms.solid);
  ObjectiveState state = objective.make_state();
  Vec q(std::ssize(body.free)), x, g;
  for (std::size_t c = 0; c < body.free.size(); ++c) q[static_cast<Eigen::Index>(c)] = body.rig->rest()[body.free[c]];
  objective.evaluate(state, q, x);
  objective.refresh(state, q, x, Phase::step);
  objective.gradient(state, q, x, g);
  const auto system = mapping.make_system(*state.mapping);
  objective.assemble(state, q, x, HessianMode::projected, false, *system);
  Mat H = dynamic_cast<const DenseSystem&>(*system).matrix();
  H.triangularView<Eigen::StrictlyUpper>() = H.transpose();
  return H;
}

/// Indices of `count` places far from each other, beginning with the one that is farthest from their mean.
std::vector<int> far_apart(const std::vector<Vec3>& places, std::size_t count) {
  std::vector<int> chosen;
  if (places.empty()) return chosen;
  Vec3 mean = Vec3::Zero();
  for (const Vec3& place : places) mean += place / static_cast<double>(places.size());
  std::vector<double> distance;
  for (const Vec3& place : places) distance.push_back((place - mean).squaredNorm());
  auto next = std::max_element(distance.begin(), distance.end()) - distance.begin();
  std::fill(distance.begin(), distance.end(), std::numeric_limits<double>::infinity());
  while (chosen.size() < count && distance[static_cast<std::size_t>(next)] > 0) {
    chosen.push_back(static_cast<int>(next));
    const Vec3& here = places[static_cast<std::size_t>(next)];
    for (std::size_t i = 0; i < places.size(); ++i)
      distance[i] = std::min(distance[i], (places[i] - here).squaredNorm());
    next = std::max_element(distance.begin(), distance.end()) - distance.begin();
  }
  return chosen;
}

/// What a node of unit mass adds to J^T M J, lower triangle, and to J^T M 1 for the three axes; J dense, 3 x controls.
Vec features(const Mat& J) {
  const Eigen::Index n = J.cols();
  Vec f(n * (n + 1) / 2 + 3 * n);
  Eigen::Index at = 0;
  for (Eigen::Index a = 0; a < n; ++a)
    for (Eigen::Index b = 0; b <= a; ++b) f[at++] = J.col(a).dot(J.col(b));
  for (Eigen::Index a = 0; a < n; ++a) f.segment<3>(at) = J.col(a), at += 3;
  return f;
}

/// Nodes of a group with mass, and the masses of `few` of them that fit best.
class MassFit {
 public:
  MassFit(const SteppedBody& body, const AtRest& rest, const Vec& masses) {
    const BlockJacobian& J = rest.lineariser->linear().J();
    const auto controls = std::ssize(body.free);
    const Vec unit = unit_of(rest, masses);
    for (std::size_t k = 0; k < rest.map.bound.size(); ++k) {
      const int node = rest.map.bound[k];
      if (!(masses[node] > 0)) continue;
      Mat dense = Mat::Zero(3, controls);
      for (int e = J.start[k]; e < J.start[k + 1]; ++e) dense.col(J.column[e]) += unit[J.column[e]] * J.value.col(e);
      const Vec f = features(dense);
      if (target_.size() == 0) target_ = Vec::Zero(f.size());
      target_ += masses[node] * f;
      std::vector<int> points(body.ties.points_of(node).begin(), body.ties.points_of(node).end());
      if (!body.moves.empty())
        points.insert(points.end(), body.moves.points_of(node).begin(), body.moves.points_of(node).end());
      std::sort(points.begin(), points.end());
      points.erase(std::unique(points.begin(), points.end()), points.end());
      nodes_.push_back(node), features_.push_back(f), places_.push_back(point(rest.x, node));
      cheap_.push_back(points.size() <= kMostPoints);
    }
    if (std::count(cheap_.begin(), cheap_.end(), true) < 8) std::fill(cheap_.begin(), cheap_.end(), true);
  }

  /// Pairs of a node and its mass, ascending; of all nodes, or of those that are tied to few points.
  std::vector<std::pair<int, double>> fit(std::size_t count, bool all, double& error) const {
    std::vector<int> usable;
    std::vector<Vec3> places;
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (all || cheap_[k]) usable.push_back(static_cast<int>(k)), places.push_back(places_[k]);
    std::vector<int> chosen;
    for (const int k : far_apart(places, count)) chosen.push_back(usable[static_cast<std::size_t>(k)]);
    std::sort(chosen.begin(), chosen.end());
    const auto m = std::ssize(chosen);
    Mat A(target_.size(), m);
    for (Eigen::Index k = 0; k < m; ++k)
      A.col(k) = features_[static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])];
    const Vec w = nnls(A.transpose() * A, A.transpose() * target_).x;
    error = target_.norm() > 0 ? (A * w - target_).norm() / target_.norm() : 0;
    std::vector<std::pair<int, double>> fitted;
    for (Eigen::Index k = 0; k < m; ++k)
      if (w[k] > 0) fitted.emplace_back(nodes_[static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])], w[k]);
    std::sort(fitted.begin(), fitted.end());
    return fitted;
  }

 private:
  /// Of each control the change that gives it an inertia of 1: a twist counts as much as a swing, which moves far more.
  static Vec unit_of(const AtRest& rest, const Vec& masses) {
    const BlockJacobian& J = rest.lineariser->linear().J();
    Vec inertia = Vec::Zero(J.columns);
    for (std::size_t k = 0; k < rest.map.bound.size(); ++k)
      for (int e = J.start[k]; e < J.start[k + 1]; ++e)
        inertia[J.column[e]] += masses[rest.map.bound[k]] * J.value.col(e).squaredNorm();
    const double least = 1e-6 * inertia.maxCoeff();
    return inertia.unaryExpr([&](double own) { return own > least && own > 0 ? 1 / std::sqrt(own) : 0.0; });
  }

  std::vector<int> nodes_;
  std::vector<Vec> features_;
  std::vector<Vec3> places_;
  std::vector<char> cheap_;
  Vec target_;
};

/// The body with these nodes alone, ascending, its rig restricted to the points that they are tied to; without masses
/// and elements.
SteppedBody with_nodes(const SteppedBody& whole, const std::vector<int>& nodes) {
  SteppedBody few = whole;
  few.tets.clear(), few.factors.clear(), few.whole = nullptr, few.known = nullptr, few.rest_jacobian = nullptr;
  std::vector<int> points;
  for (const PointTies* ties : {&whole.ties, &whole.moves})
    for (std::size_t k = 0; !ties->empty() && k < nodes.size(); ++k) {
      const std::span<const int> of_node = ties->points_of(nodes[k]);
      points.insert(points.end(), of_node.begin(), of_node.end());
    }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  few.rig = whole.rig->restricted(points);
  few.ties = {}, few.moves = {}, few.roles.clear();
  for (const int i : nodes) {
    few.ties.append(whole.ties, i, points);
    if (!whole.moves.empty()) few.moves.append(whole.moves, i, points);
    few.roles.push_back(whole.roles[static_cast<std::size_t>(i)]);
  }
  if (!whole.response.start.empty()) few.response = rows_of(whole.response, nodes);
  for (MassGroup& group : few.groups) group.masses = Vec::Zero(std::ssize(nodes));
  return few;
}

}  // namespace

LightBody light_body(const SteppedBody& whole, MaterialKind material, double step) {
  LightBody light;
  if (!whole.rig->traits().exact_jacobian) {  // one evaluation costs as much for few points as for all
    light.body = whole;
    return light;
  }
  const AtRest rest(whole);
  light.stiffness = elastic_hessian(whole, rest, material);
  if (light.stiffness.size() > 0 && dampens_coupling(whole))
    light.stiffness += (1 - coupling_damping(whole, step)) / whole.stiffness * whole.coupling;
  std::vector<std::vector<std::pair<int, double>>> masses;
  std::vector<int> nodes;
  for (const MassGroup& group : whole.groups) {
    const MassFit fit(whole, rest, group.masses);
    double error = 1;
    masses.emplace_back();
    for (const bool all : {false, true}) {
      if (all && error <= kMostError) break;
      for (std::size_t count = kFewest; error > kMassError && count <= kMost; count = 3 * count / 2)
        masses.back() = fit.fit(count, all, error);
    }
    light.mass_error = std::max(light.mass_error, error);
    for (const auto& [node, mass] : masses.back()) nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  light.body = with_nodes(whole, nodes);
  for (std::size_t g = 0; g < masses.size(); ++g)
    for (const auto& [node, mass] : masses[g])
      light.body.groups[g].masses[std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin()] = mass;
  light.body.linear = true;
  light.body.coupling = light_settings(light, whole, step).coupling;
  return light;
}

double coupling_damping(const SteppedBody& settings, double step) {
  const double tau = 2.0 / 3 * step, damping = settings.stiffness_damping / tau;
  return damping / (1 + damping);
}

void damp_coupling(SteppedBody& settings, double step) {
  if (dampens_coupling(settings)) settings.coupling /= 1 - coupling_damping(settings, step);
}

/// Elasticity and damping by stiffness in one quadratic, with k the keyed controls and d where they would drift:
///   1/2 (q - k)^T K (q - k) + b/(2 tau) (q - d)^T K (q - d) = 1/2 (1 + b/tau) (q - c)^T K (q - c) + constant,
///   c = k + share (d - k),  share = (b/tau) / (1 + b/tau)  (coupling_damping).
SteppedBody light_settings(const LightBody& light, const SteppedBody& settings, double step) {
  SteppedBody result = settings;
  if (light.stiffness.size() == 0) return result;  // no elements, or a black box's own, with their factors
  result.factors.clear();
  result.coupling = settings.stiffness / (1 - coupling_damping(settings, step)) * light.stiffness;
  return result;
}

}  // namespace rigspace
