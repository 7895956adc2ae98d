#include "rigspace/body/step_terms.h"

#include <numeric>

namespace rigspace {
namespace {

std::vector<int> counted_from(int first, std::size_t count) {
  std::vector<int> list(count);
  std::iota(list.begin(), list.end(), first);
  return list;
}

std::vector<RodJoint> shifted(std::vector<RodJoint> joints, int by) {
  for (RodJoint& joint : joints) joint.first += by;
  return joints;
}

std::vector<int> moving_nodes(const SteppedBody& body) {
  std::vector<int> nodes;
  for (int i = 0; i < body.node_count(); ++i)
    if (body.roles[i] != NodeRole::held) nodes.push_back(i);
  return nodes;
}

}  // namespace

StepTerms::StepTerms(const SteppedBody& body, In x_rest, MaterialKind material, int first_control)
    : load(Vec::Zero(3 * static_cast<Eigen::Index>(body.node_count()))), first_control_(first_control) {
  momenta.reserve(body.groups.size());
  for (const MassGroup& group : body.groups) momenta.emplace_back(group.masses);
  if (!body.tets.empty()) {
    solid.emplace(x_rest, body.tets, Material{.kind = material, .young = body.stiffness, .poisson = body.poisson},
                  body.factors);
    if (body.stiffness_damping > 0) damping.emplace(*solid);
  }
  if (!body.rods.empty()) rods.emplace(shifted(body.rods, first_control));
  if (body.springs.size() > 0)
    springs.emplace(counted_from(first_control, static_cast<std::size_t>(body.springs.size())), body.springs,
                    Vec::Zero(body.springs.size()));
  if (body.coupling.size() > 0)
    coupling.emplace(counted_from(first_control, static_cast<std::size_t>(body.coupling.rows())), body.coupling,
                     Vec::Zero(body.coupling.rows()));
  if (!body.limits.empty())
    limit.emplace(counted_from(first_control / 3, body.limits.size()), body.limits,
                  LimitOptions{.stiffness = body.limit_stiffness, .weights = body.limit_weights});
  if (body.reach_limit > 0) {
    std::vector<int> nodes = moving_nodes(body);
    reach_limits_.assign(nodes.size(), body.reach_limit);
    reach_limit.emplace(std::move(nodes), reach_limits_, LimitOptions{.stiffness = body.reach_stiffness});
  }
  names_.reserve(body.groups.size());
  for (const MassGroup& group : body.groups) names_.push_back(group.name);
}

void StepTerms::add_to(Objective& objective) const {
  for (std::size_t g = 0; g < momenta.size(); ++g) objective.add(names_[g], momenta[g]);
  if (solid) objective.add("flesh", *solid);
  if (damping) objective.add("damping", *damping);
  if (rods) objective.add("springs", *rods, 1, Space::coordinates);
  if (springs) objective.add("control springs", *springs, 1, Space::coordinates);
  if (coupling) objective.add("coupling", *coupling, 1, Space::coordinates);
  if (limit) objective.add("limit", *limit, 1, Space::coordinates);
  if (reach_limit) objective.add("reach", *reach_limit);
  objective.add("load", load);
}

void StepTerms::add_elastic_to(Objective& objective) const {
  if (solid) objective.add("flesh", *solid);
  if (solid && coupling) objective.add("coupling", *coupling, 1, Space::coordinates);
  if (rods) objective.add("springs", *rods, 1, Space::coordinates);
}

void StepTerms::set_stiffness(const SteppedBody& from, const SteppedBody& to) {
  if (solid && to.stiffness != from.stiffness) {
    Material material = solid->material();
    material.young = to.stiffness;
    solid->set_material(material);
  }
  if (solid && to.factors != from.factors) solid->set_stiffness(to.factors);
  if (rods)
    for (std::size_t k = 0; k < to.rods.size(); ++k)
      rods->set_stiffness(static_cast<int>(k), to.rods[k].bend, to.rods[k].twist);
  set_springs(to.springs);
  if (to.coupling != from.coupling) set_coupling(to.coupling);
}

void StepTerms::set_springs(const Vec& stiffness) {
  if (!springs) return;
  const auto count = static_cast<std::size_t>(stiffness.size());
  *springs = {counted_from(first_control_, count), stiffness, Vec::Zero(stiffness.size())};
}

void StepTerms::set_coupling(const Mat& stiffness) {
  if (!coupling) return;
  *coupling = {counted_from(first_control_, static_cast<std::size_t>(stiffness.rows())), stiffness,
               Vec::Zero(stiffness.rows())};
}

void StepTerms::set_limits(std::span<const double> limits, double stiffness) {
  if (limit) limit->set_limits(limits, stiffness);
}

void StepTerms::set_reach_limit(double farthest, double stiffness) {
  if (!reach_limit) return;
  reach_limits_.assign(static_cast<std::size_t>(reach_limit->element_count()), farthest);
  reach_limit->set_limits(reach_limits_, stiffness);
}

}  // namespace rigspace
