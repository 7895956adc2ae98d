#include "rigspace/body/deferred_jacobian.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

JacobianEveryStep::JacobianEveryStep(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options,
                                     BlockJacobian response)
    : RigLineariser(map, x_rest, options, {.regions = options.frames}, std::move(response)) {}

void JacobianEveryStep::begin(In p, In p_key, In x_key) {
  linear_.set_key(p_key);
  linear_.turn(x_key);
  linear_.evaluate(p, y_);
  linear_.set_point(p, y_);
  linear_.evaluate_jacobian();
}

bool JacobianEveryStep::check_linearisation(In p, Vec& y) {
  linear_.evaluate(p, y);
  return true;
}

void JacobianEveryStep::renew() {
  ++counts_.rollbacks;
  linear_.evaluate_jacobian();
}

std::vector<Vec> JacobianEveryStep::saved_state() const {
  std::vector<Vec> all = linear_.saved_state();
  all.emplace_back();
  return all;
}

void JacobianEveryStep::restore(std::span<const Vec> state) { linear_.restore(state); }

DeferredJacobian::DeferredJacobian(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options,
                                   BlockJacobian response)
    : RigLineariser(map, x_rest, options, {.regions = options.frames}, std::move(response)) {}

void DeferredJacobian::begin(In p, In p_key, In x_key) {
  linear_.set_key(p_key);
  linear_.turn(x_key);
  linear_.evaluate(p, y_begin_);
  linear_.set_point(p, y_begin_);
  if (!linear_.has_rows() || age_ >= options_.most_steps) return evaluate_jacobian();
  if (!has_last_) return;
  // p_stay: the free controls of the last state with the keyed controls of this step. From y_stay to the end, nodes
  // move by the free controls alone.
  p_stay_ = p;
  for (const int c : linear_.free()) p_stay_[c] = p_last_[c];
  if (!options_.predict) return linear_.at(p_stay_, y_stay_);
  linear_.evaluate(p_stay_, y_stay_);
  linear_.at(p_stay_, y_linear_);
  if (missed(y_linear_, y_stay_, y_begin_) <= options_.tolerance) {
    if (options_.broyden) linear_.learn(p, y_begin_, p_stay_, y_stay_);
    return;
  }
  ++counts_.predicted;
  evaluate_jacobian();
}

bool DeferredJacobian::check_linearisation(In p, Vec& y) {
  linear_.evaluate(p, y_end_);
  y = y_end_;
  if (age_ == 0 || !has_last_) return true;  // J was evaluated in this step: evaluating it again would change nothing
  linear_.at(p, y_linear_);
  return missed(y_linear_, y_end_, y_stay_) <= options_.tolerance;
}

void DeferredJacobian::renew() {
  ++counts_.rollbacks;
  evaluate_jacobian();
}

void DeferredJacobian::accept(In p) {
  if (options_.broyden && age_ > 0) linear_.learn(linear_.point_controls(), linear_.point_nodes(), p, y_end_);
  p_last_ = p;
  has_last_ = true;
  ++age_;
}

void DeferredJacobian::evaluate_jacobian() {
  linear_.evaluate_jacobian();
  age_ = 0;
}

/// sqrt(miss / way): the error energy of (4.13), relative to the kinetic energy of the motion from y_from to y_true in
/// this step. Both have the factor 1/(2 h^2) (so should (4.13)), which cancels. The caller gives a y_from that already
/// has the keyed controls of this step, so that only motion by the free controls counts, not a walk of the character.
double DeferredJacobian::missed(In y_linear, In y_true, In y_from) const {
  double miss = 0, way = 0, mass = 0;
  for (Eigen::Index k = 0; k < masses_.size(); ++k) {
    miss += masses_[k] * (y_linear.segment<3>(3 * k) - y_true.segment<3>(3 * k)).squaredNorm();
    way += masses_[k] * (y_true.segment<3>(3 * k) - y_from.segment<3>(3 * k)).squaredNorm();
    mass += masses_[k];
  }
  const double floor = std::pow(options_.floor * linear_.size(), 2) * mass;
  return mass > 0 ? std::sqrt(miss / std::max(way, std::max(floor, 1e-300))) : 0;
}

std::vector<Vec> DeferredJacobian::saved_state() const {
  std::vector<Vec> all = linear_.saved_state();
  all[0][1] = has_last_ ? 1 : 0, all[0][2] = age_;
  all.push_back(p_last_);
  return all;
}

void DeferredJacobian::restore(std::span<const Vec> state) {
  linear_.restore(state);
  has_last_ = state[0][1] != 0, age_ = static_cast<int>(state[0][2]);
  p_last_ = state[4];
}

}  // namespace rigspace
