#include "rigspace/energy/integrator.h"

#include <cassert>

namespace rigspace {

void Integrator::restart(In x, In v) {
  assert(x.size() == v.size());
  x_ = x, v_ = v;
  forget();
}

const TimeStep& Integrator::begin(double h) {
  assert(h > 0 && x_.size() > 0);
  step_.h = h;
  if (kind_ == IntegratorKind::euler || !has_before_) {
    step_.tau = h;
    step_.x_hat = x_;
    step_.v_hat = v_;
    return step_;
  }
  const double w = h / h_before_;
  const double past = w * w / (1 + 2 * w);
  step_.tau = h * (1 + w) / (1 + 2 * w);
  step_.x_hat = x_ + past * (x_ - x_before_);
  step_.v_hat = v_ + past * (v_ - v_before_);
  return step_;
}

void Integrator::accept(In x_next) {
  assert(step_.tau > 0 && x_next.size() == x_.size());
  x_before_ = x_;
  v_before_ = v_;
  h_before_ = step_.h;
  has_before_ = true;
  x_ = x_next;
  v_ = (x_ - step_.x_hat) / step_.tau;
}

Vec Integrator::saved_state() const {
  const Eigen::Index n = x_.size();
  Vec memory = Vec::Zero(2 + 4 * n);
  memory[0] = has_before_ ? 1 : 0, memory[1] = h_before_;
  memory.segment(2, n) = x_, memory.segment(2 + n, n) = v_;
  if (has_before_) memory.segment(2 + 2 * n, n) = x_before_, memory.tail(n) = v_before_;
  return memory;
}

void Integrator::restore(In state) {
  const Eigen::Index n = (state.size() - 2) / 4;
  has_before_ = state[0] != 0, h_before_ = state[1];
  x_ = state.segment(2, n), v_ = state.segment(2 + n, n);
  x_before_ = state.segment(2 + 2 * n, n), v_before_ = state.tail(n);
}

double Integrator::momentum_scale(double mass_damping) const { return (1 / step_.tau + mass_damping) / step_.tau; }

void Integrator::momentum_target(Vec& x_tilde) const { x_tilde = step_.x_hat + step_.tau * step_.v_hat; }

void Integrator::momentum_target(double mass_damping, In v_key, Vec& x_tilde) const {
  // Both targets start from x_hat, so only the velocities mix.
  const double share = mass_damping * step_.tau / (1 + mass_damping * step_.tau);
  x_tilde = step_.x_hat + step_.tau * ((1 - share) * step_.v_hat + share * v_key);
}

void Integrator::drift(In v_key, Vec& x_drift) const { x_drift = step_.x_hat + step_.tau * v_key; }

}  // namespace rigspace
