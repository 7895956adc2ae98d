#include "rigspace/body/deferred_jacobian.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

JacobianEveryStep::JacobianEveryStep(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options,
                                     BlockJacobian response)
    : RigLineariser(map, x_rest, options, {.regions = options.frames}, std::move(response)) {}

void JacobianEveryStep::begin(In p, In p_key, In x_key) {
  begin_checks();
  p_from_ = p;
  for (const int c : linear_.free())
    if (has_last_) p_from_[c] = p_last_[c];
  linear_.set_key(p_key);
  linear_.turn(x_key);
  linear_.evaluate(p, y_);
  linear_.set_point(p, y_);
  linear_.evaluate_jacobian();
}

bool JacobianEveryStep::check_linearisation(In p, Vec& y) {
  linear_.evaluate(p, y_);
  y = y_, p_end_ = p;
  linear_.at(p, y_linear_);
  linear_.at(p_from_, y_from_);
  return accept_check(missed(y_linear_, y_, y_from_) <= options_.tolerance);
}

void JacobianEveryStep::renew() {
  ++counts_.rollbacks;
  linear_.set_point(p_end_, y_);
  linear_.evaluate_jacobian();
}

std::vector<Vec> JacobianEveryStep::saved_state() const {
  std::vector<Vec> all = linear_.saved_state();
  all[0][1] = has_last_ ? 1 : 0;
  all.push_back(p_last_);
  return all;
}

void JacobianEveryStep::restore(std::span<const Vec> state) {
  linear_.restore(state);
  has_last_ = state[0][1] != 0, p_last_ = state[4];
}

DeferredJacobian::DeferredJacobian(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options,
                                   BlockJacobian response)
    : RigLineariser(map, x_rest, options, {.regions = options.frames}, std::move(response)) {}

void DeferredJacobian::begin(In p, In p_key, In x_key) {
  begin_checks();
  linear_.set_key(p_key);
  linear_.turn(x_key);
  linear_.evaluate(p, y_begin_);
  linear_.set_point(p, y_begin_);
  // p_stay: the free controls of the last state with the keyed controls of this step. From y_stay to the end, nodes
  // move by the free controls alone.
  p_stay_ = p, y_stay_ = y_begin_;
  for (const int c : linear_.free())
    if (has_last_) p_stay_[c] = p_last_[c];
  if (!linear_.has_rows() || age_ >= options_.most_steps) {
    evaluate_jacobian();
    return linear_.at(p_stay_, y_stay_);
  }
  if (!has_last_) return;
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
  y = y_end_, p_end_ = p;
  linear_.at(p, y_linear_);
  return accept_check(missed(y_linear_, y_end_, y_stay_) <= options_.tolerance);
}

/// A J of an earlier step is evaluated anew at p~; one of this step where the last solve ended.
void DeferredJacobian::renew() {
  ++counts_.rollbacks;
  if (age_ == 0) linear_.set_point(p_end_, y_end_);
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
