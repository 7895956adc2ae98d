#include "rigspace/apps/forces/adaptive_simulation.h"

#include "rigspace/base/require.h"

#include <cmath>

namespace rigspace {
namespace {

/// Values on one lattice as values on another: coefficients of functions that both have stay, others are zero. `moved`:
/// how far that takes a vertex, at most.
Vec on_lattice(In values, const LatticeLevels& from, const LatticeLevels& to, const std::vector<int>& numbers,
               int vertices, double& moved) {
  Vec q = values, made = Vec::Zero(3 * static_cast<Eigen::Index>(vertices));
  from.to_coefficients(q);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] >= 0) point(made, numbers[i]) = point(q, static_cast<int>(i));
  to.to_values(made);
  moved = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int k = static_cast<int>(i);
    moved = std::max(moved, numbers[i] < 0 ? point(q, k).norm() : (point(made, numbers[i]) - point(values, k)).norm());
  }
  return made;
}

}  // namespace

AdaptiveSimulation::AdaptiveSimulation(std::shared_ptr<const AdaptiveBody> bodies, std::vector<ForceRigPart> parts,
                                       ForceSimulationOptions options, double release)
    : bodies_(std::move(bodies)), parts_(std::move(parts)), options_(options), release_(release) {
  options_.validate();
  require_option(release >= 0, "release of functions", release, "expected edges of a cell, 0 or more");
  rig_ = adaptive_rig(*bodies_, parts_, lattice_of(*bodies_, parts_));
  for (const ForceRigPart& part : parts_) controls_.push_back(rig_->find(part.control));
}

AdaptiveSimulation::Stage& AdaptiveSimulation::stage(const std::vector<char>& active) {
  const auto [found, is_new] = stages_.try_emplace(active);
  Stage& made = found->second;
  if (is_new) {
    made.lattice = lattice_of(*bodies_, parts_, active);
    made.rig = adaptive_rig(*bodies_, parts_, made.lattice);
    made.simulation = std::make_unique<ForceSimulation>(made.rig, options_);
  }
  return made;
}

std::vector<char> AdaptiveSimulation::wanted(In p) const {
  std::vector<char> active(parts_.size(), 0);
  Vec value, slope;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (parts_[k].splits.empty()) continue;
    parts_[k].sample(p[controls_[k]], value, slope);
    active[k] = value.isZero(0) ? 0 : 1;
  }
  return active;
}

void AdaptiveSimulation::restart(In p) {
  active_ = wanted(p);
  stage_ = &stage(active_);
  stage_->simulation->restart(p);
  last_ = p;
}

void AdaptiveSimulation::change_to(const std::vector<char>& active, In p) {
  Stage& next = stage(active);
  const LatticeLevels &from = body().levels, &to = next.rig->body().levels;
  const std::vector<int> numbers = next.lattice.vertices_of(stage_->lattice);
  const int vertices = next.lattice.vertex_count();
  double moved = 0, ignored = 0;
  Vec y = on_lattice(stage_->simulation->shape(), from, to, numbers, vertices, moved);
  bool grows = true;
  for (std::size_t k = 0; k < active.size(); ++k) grows = grows && active[k] >= active_[k];
  if (!grows && moved > release_ * body().cell) return;
  Vec v = on_lattice(stage_->simulation->velocity(), from, to, numbers, vertices, ignored);
  next.simulation->restart_from(p, std::move(y));
  next.simulation->set_velocity(std::move(v));
  stage_ = &next, active_ = active, ++switches_;
}

// Parts that start are taken in at once; those that stop are left out as soon as change_to allows it.
void AdaptiveSimulation::step(In p) {
  const std::vector<char> needed = wanted(p);
  std::vector<char> with_old = needed;
  for (std::size_t k = 0; k < needed.size(); ++k) with_old[k] = needed[k] != 0 || active_[k] != 0 ? 1 : 0;
  if (with_old != active_) change_to(with_old, last_);
  if (needed != active_) change_to(needed, last_);
  stage_->simulation->step(p);
  last_ = p;
}

}  // namespace rigspace
