#include "rigspace/body/linear_rig_mapping.h"

#include "rigspace/base/error.h"
#include "rigspace/optimize/dense_system.h"

namespace rigspace {

LinearRigMapping::LinearRigMapping(const LinearRig& linear, const SteppedBody& body) : linear_(linear), body_(body) {
  role_.assign(body.roles.size(), -1);
  for (int i = 0; i < body.node_count(); ++i) {
    if (body.roles[i] == NodeRole::interior)
      throw Error({.code = ErrorCode::usage,
                   .element = "node " + std::to_string(i),
                   .problem = "is an unknown of its own",
                   .remedy = "reduce the body first"});
    if (body.roles[i] != NodeRole::bound) continue;
    role_[i] = -2 - static_cast<int>(bound_.size());
    bound_.push_back(i);
  }
  shift_ = Vec::Zero(3 * std::ssize(bound_));
}

/// For nodes in keyed form (RigBody::moves), x = x_key + B (s - s_key): stores  shift = x_key - B s_key.
void LinearRigMapping::set_key(In p_key, In x_key, In s_key) {
  p_key_ = p_key;
  x_key_ = x_key;
  if (body_.moves.empty()) return;
  for (std::size_t k = 0; k < bound_.size(); ++k)
    point(shift_, static_cast<int>(k)) = point(x_key, bound_[k]) - body_.moves.row(bound_[k], s_key);
}

void LinearRigMapping::controls_at(In q, Vec& p) const {
  p = p_key_;
  for (std::size_t k = 0; k < body_.free.size(); ++k) p[body_.free[k]] = q[static_cast<Eigen::Index>(k)];
}

void LinearRigMapping::place(In y, Vec& x) const {
  for (std::size_t k = 0; k < bound_.size(); ++k)
    point(x, bound_[k]) = point(y, static_cast<int>(k)) + point(shift_, static_cast<int>(k));
}

std::unique_ptr<System> LinearRigMapping::make_system(const State&) const {
  return std::make_unique<DenseSystem>(size_q());
}

void LinearRigMapping::evaluate(State&, In q, Vec& x) const {
  controls_at(q, p_);
  x = x_key_;
  linear_.at(p_, y_);
  place(y_, x);
}

void LinearRigMapping::linearize(State&, In) const {
  projection_.set_rows(linear_.J(), linear_.pattern(), linear_.shape());
}

void LinearRigMapping::push(const State&, In dq, Vec& dx) const {
  const BlockJacobian& J = linear_.J();
  dx.setZero(size_x());
  for (int k = 0; k < J.points(); ++k)
    for (int e = J.start[k]; e < J.start[k + 1]; ++e) point(dx, bound_[k]) += dq[J.column[e]] * J.value.col(e);
}

void LinearRigMapping::pull(const State& state, In g, Vec& g_q) const {
  const Vec all = g;
  pull_each(state, {&all, 1}, {&g_q, 1});
}

void LinearRigMapping::pull_each(const State&, std::span<const Vec> g, std::span<Vec> g_q) const {
  for (Vec& each : g_q) each.setZero(size_q());
  linear_.pull_each(g, g_q);
}

BlockSink& LinearRigMapping::sink(State&, System& system) const {
  projection_.keep_inertia(true);
  projection_.begin(dynamic_cast<DenseSystem&>(system).matrix(), role_);
  return projection_;
}

}  // namespace rigspace
