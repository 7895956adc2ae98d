// Steps that are solved with a constant matrix in place of the Hessian of the elements.

#include "light_body.h"
#include "quick_hessian.h"

#include <cmath>

namespace rigspace {
namespace {

constexpr int kMostQuick = 12;  // iterations, after which the elements' own Hessian is used

}  // namespace

/// All terms of the objective, with the elements' Hessian and that of their damping in one matrix.
void RealtimeBody::solve_quickly(const Mat& elastic) {
  NewtonOptions options = newton_.options();
  options.max_iterations = std::min(options.max_iterations, kMostQuick);
  quick_ = std::make_unique<Quick>(lineariser_->linear(), body_, elastic, options);
  Objective& objective = quick_->objective;
  for (const Momentum& momentum : terms_->momenta) objective.add("inertia", momentum);
  quick_->forces.reserve(3);
  objective.add("flesh", quick_->forces.emplace_back(*terms_->solid));
  if (terms_->damping) objective.add("damping", quick_->forces.emplace_back(*terms_->damping));
  objective.add("matrix of flesh", quick_->matrix, 1, Space::coordinates);
  if (terms_->rods) objective.add("springs", *terms_->rods, 1, Space::coordinates);
  if (terms_->springs) objective.add("control springs", *terms_->springs, 1, Space::coordinates);
  if (terms_->coupling)  // its Hessian is in the matrix
    objective.add("coupling", quick_->forces.emplace_back(*terms_->coupling), 1, Space::coordinates);
  if (terms_->limit) objective.add("limit", *terms_->limit, 1, Space::coordinates);
  if (terms_->reach_limit) objective.add("reach", *terms_->reach_limit);
  objective.add("load", terms_->load);
  if (contact_) objective.add("contact", contact_->energy());
  set_elastic();
}

/// Elasticity, and damping by stiffness of b / tau times that.
void RealtimeBody::set_elastic() {
  if (!quick_) return;
  quick_->matrix.set(settings_->stiffness / (1 - coupling_damping(*settings_, h_)) * quick_->elastic);
  NewtonOptions options = quick_->newton.options();
  options.gradient_floor = settings_->force_floor;
  quick_->newton = Newton(options);
}

void RealtimeBody::forget_quick() {
  if (quick_) quick_->workspace.forget();
}

/// Minimises from q_: quickly, and where that does not converge, goes on with the elements' own Hessian.
void RealtimeBody::solve() {
  int before = 0;
  if (quick_) {
    quick_->mapping.set_key(p_key_, x_key_, s_key_);
    summary_ = quick_->newton.solve(quick_->objective, q_, quick_->workspace, in_time_);
    if (summary_.converged() || summary_.termination == Termination::cancelled) return;
    if (!std::isfinite(summary_.initial_value)) return;  // another start is tried
    before = summary_.iterations;
  }
  summary_ = newton_.solve(*objective_, q_, newton_workspace_, in_time_);
  summary_.iterations += before;
}

}  // namespace rigspace
