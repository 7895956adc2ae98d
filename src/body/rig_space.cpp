#include "rigspace/body/rig_space.h"

#include "rig_space_memory.h"
#include "rigspace/base/error.h"
#include "rigspace/body/linear_rig.h"

#include <algorithm>

namespace rigspace {

void RigSpaceDescription::validate() const {
  const auto require = [](bool ok, const char* element, const char* problem, const char* remedy) {
    if (!ok) throw Error({.code = ErrorCode::usage, .element = element, .problem = problem, .remedy = remedy});
  };
  const auto ascending = [](const std::vector<int>& list, int end) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i] < 0 || list[i] >= end || (i > 0 && list[i] <= list[i - 1])) return false;
    return true;
  };
  require(rig != nullptr, "rig-space map", "has no rig", "give one");
  require(ascending(free, static_cast<int>(rig->controls().size())), "free controls",
          "are out of range or out of order", "give indices of the rig's controls, ascending");
  require(ascending(interior, node_count), "interior nodes", "are out of range or out of order", "give them ascending");
  require(ascending(bound, node_count), "bound nodes", "are out of range or out of order", "give them ascending");
  std::vector<int> both;
  std::set_intersection(interior.begin(), interior.end(), bound.begin(), bound.end(), std::back_inserter(both));
  require(both.empty(), "a node", "is both interior and bound", "give each node one role");
  require(ties.count() == static_cast<int>(bound.size()) && ties.point.size() == ties.weight.size() &&
              ties.start.back() == static_cast<int>(ties.point.size()),
          "binding", "does not fit the bound nodes", "give one row of ties per bound node");
  for (const int point : ties.point)
    require(point >= 0 && point < rig->point_count(), "binding", "names a point that the rig lacks",
            "count points from 0");
}

RigSpaceMapping::RigSpaceMapping(RigSpaceDescription description) : d_(std::move(description)) {
  d_.validate();
  role_.assign(d_.node_count, kHeldRole);
  for (std::size_t k = 0; k < d_.interior.size(); ++k) role_[d_.interior[k]] = static_cast<int>(k);
  for (std::size_t k = 0; k < d_.bound.size(); ++k) role_[d_.bound[k]] = -2 - static_cast<int>(k);
  p_key_ = d_.rig->rest();
  x_key_ = moved_ = Vec::Zero(size_x());
  shift_ = Vec::Zero(3 * static_cast<Eigen::Index>(d_.bound.size()));
  key_workspace_ = d_.rig->make_workspace();
}

RigSpaceMapping::~RigSpaceMapping() = default;

void RigSpaceMapping::set_key(In p_key, In x_key) {
  if (d_.relative) {
    d_.rig->evaluate(*key_workspace_, p_key, key_points_);
    ++rig_evaluations_;
  }
  set_key(p_key, x_key, key_points_);
}

void RigSpaceMapping::set_key(In p_key, In x_key, In s_key) {
  assert(p_key.size() == p_key_.size() && x_key.size() == x_key_.size());
  p_key_ = p_key;
  x_key_ = x_key;
  if (!d_.relative) return;
  bind(s_key, moved_);
  for (std::size_t k = 0; k < d_.bound.size(); ++k)
    point(shift_, static_cast<int>(k)) = point(x_key, d_.bound[k]) - point(moved_, d_.bound[k]);
}

void RigSpaceMapping::place(In y, Vec& x) const {
  for (std::size_t k = 0; k < d_.bound.size(); ++k)
    point(x, d_.bound[k]) = point(y, static_cast<int>(k)) + point(shift_, static_cast<int>(k));
}

Vec RigSpaceMapping::coordinates(In x, In p) const {
  Vec q(size_q());
  for (std::size_t k = 0; k < d_.interior.size(); ++k)
    q.segment<3>(3 * static_cast<Eigen::Index>(k)) = x.segment<3>(3 * d_.interior[k]);
  for (std::size_t k = 0; k < d_.free.size(); ++k) q[interior_size() + static_cast<Eigen::Index>(k)] = p[d_.free[k]];
  return q;
}

void RigSpaceMapping::controls_at(In q, Vec& p) const {
  p = p_key_;
  for (std::size_t k = 0; k < d_.free.size(); ++k) p[d_.free[k]] = q[interior_size() + static_cast<Eigen::Index>(k)];
}

std::unique_ptr<State> RigSpaceMapping::make_state() const { return std::make_unique<Memory>(*this); }

std::unique_ptr<System> RigSpaceMapping::make_system(const State&) const {
  return std::make_unique<BorderedSystem>(interior_size(), control_size());
}

void RigSpaceMapping::bind(In s, Vec& x) const {
  for (std::size_t k = 0; k < d_.bound.size(); ++k) x.segment<3>(3 * d_.bound[k]) = d_.ties.row(static_cast<int>(k), s);
}

void RigSpaceMapping::evaluate(State& state, In q, Vec& x) const {
  auto& memory = state_as<Memory>(state);
  controls_at(q, memory.p);
  x = x_key_;
  for (std::size_t k = 0; k < d_.interior.size(); ++k)
    x.segment<3>(3 * d_.interior[k]) = q.segment<3>(3 * static_cast<Eigen::Index>(k));
  if (linear_ != nullptr) {
    linear_->at(memory.p, memory.y);
    return place(memory.y, x);
  }
  d_.rig->evaluate(*memory.workspace, memory.p, memory.s);
  ++rig_evaluations_;
  bind(memory.s, x);
  if (!d_.relative) return;
  for (std::size_t k = 0; k < d_.bound.size(); ++k) point(x, d_.bound[k]) += point(shift_, static_cast<int>(k));
}

void RigSpaceMapping::linearize(State& state, In q) const {
  auto& memory = state_as<Memory>(state);
  controls_at(q, memory.p);
  memory.q = q;
  if (linear_ != nullptr) {
    if (memory.linear_version == linear_->version()) return;
    memory.linear_version = linear_->version();
    if (d_.interior.empty()) return;  // `projection` uses the sparse rows instead, see `sink`
    const BlockJacobian& J = linear_->J();
    memory.J.setZero();
    for (int k = 0; k < J.points(); ++k)
      for (int e = J.start[k]; e < J.start[k + 1]; ++e) memory.J.block<3, 1>(3 * k, J.column[e]) = J.value.col(e);
    return;
  }
  memory.linear_version = -1;
  d_.rig->jacobian(*memory.workspace, memory.p, d_.free, memory.ds_dp);
  ++rig_jacobians_;
  if (!d_.rig->traits().exact_jacobian) rig_evaluations_ += 2 * static_cast<long>(d_.free.size());
  memory.J.setZero();
  for (int k = 0; k < d_.ties.count(); ++k)
    d_.ties.add_jacobian_row(k, memory.ds_dp, memory.J.middleRows<3>(3 * static_cast<Eigen::Index>(k)));
}

void RigSpaceMapping::push(const State& state, In dq, Vec& dx) const {
  const auto& memory = state_as<Memory>(state);
  dx.setZero(size_x());
  for (std::size_t k = 0; k < d_.interior.size(); ++k)
    dx.segment<3>(3 * d_.interior[k]) = dq.segment<3>(3 * static_cast<Eigen::Index>(k));
  const auto dp = dq.tail(control_size());
  if (sparse_rows()) {
    const BlockJacobian& J = linear_->J();
    for (int k = 0; k < J.points(); ++k)
      for (int e = J.start[k]; e < J.start[k + 1]; ++e) point(dx, d_.bound[k]) += dp[J.column[e]] * J.value.col(e);
    return;
  }
  for (std::size_t k = 0; k < d_.bound.size(); ++k)
    dx.segment<3>(3 * d_.bound[k]).noalias() = memory.J.middleRows<3>(3 * static_cast<Eigen::Index>(k)).lazyProduct(dp);
}

void RigSpaceMapping::pull(const State& state, In g, Vec& g_q) const {
  if (sparse_rows()) {
    const Vec all = g;
    return pull_each(state, {&all, 1}, {&g_q, 1});
  }
  const auto& memory = state_as<Memory>(state);
  g_q.setZero(size_q());
  for (std::size_t k = 0; k < d_.interior.size(); ++k)
    g_q.segment<3>(3 * static_cast<Eigen::Index>(k)) = g.segment<3>(3 * d_.interior[k]);
  auto g_p = g_q.tail(control_size());
  for (std::size_t k = 0; k < d_.bound.size(); ++k)
    g_p.noalias() +=
        memory.J.middleRows<3>(3 * static_cast<Eigen::Index>(k)).transpose().lazyProduct(g.segment<3>(3 * d_.bound[k]));
}

void RigSpaceMapping::pull_each(const State& state, std::span<const Vec> g, std::span<Vec> g_q) const {
  if (!sparse_rows()) return Mapping::pull_each(state, g, g_q);
  for (Vec& each : g_q) each.setZero(size_q());
  linear_->pull_each(g, g_q);
}

BlockSink& RigSpaceMapping::sink(State& state, System& system) const {
  auto& memory = state_as<Memory>(state);
  memory.system = &dynamic_cast<BorderedSystem&>(system);
  if (sparse_rows()) {
    memory.projection.set_rows(linear_->J(), linear_->pattern(), linear_->shape());
    memory.projection.keep_inertia(keep_inertia_);
    memory.projection.begin(memory.system->corner(), role_);
    return memory.projection;
  }
  memory.mixed.clear();
  return memory;
}

// H_np = H_nb J and H_pp = J^T H_bb J (RSP 5, without the second derivatives of the rig). With U the strict upper
// blocks and D the diagonal ones of H_bb, and T = (U^T + D / 2) J row by row:  J^T H_bb J = J^T T + T^T J.
void RigSpaceMapping::finish(State& state, System& system) const {
  auto& memory = state_as<Memory>(state);
  auto& bordered = dynamic_cast<BorderedSystem&>(system);
  if (sparse_rows()) return memory.projection.finish();
  memory.mixed.finish();
  memory.T.setZero();
  Mat& border = bordered.border();
  const SparseAssembly& H = memory.mixed;
  for (int j = 0; j < d_.node_count; ++j) {
    for (int e = H.block_start()[j]; e < H.block_start()[j + 1]; ++e) {
      const int i = H.block_rows()[e];  // block (i, j), i <= j
      const bool i_bound = is_bound(role_[i]), j_bound = is_bound(role_[j]);
      if (!i_bound && !j_bound) continue;
      Mat3 block;
      const int place = e - H.block_start()[j];
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
          // Column 3j + c holds, above the diagonal, three rows per block, and c + 1 of the diagonal block.
          const bool upper = i < j || r <= c;
          const int column = upper ? 3 * j + c : 3 * j + r, row = upper ? r : c;
          block(r, c) = H.values()[H.column_start()[column] + 3 * place + row];
        }
      const auto rows_of = [](int role) { return 3 * static_cast<Eigen::Index>(bound_index(role)); };
      if (i_bound && j_bound) {
        if (i == j)
          memory.T.middleRows<3>(rows_of(role_[j])).noalias() +=
              (0.5 * block).lazyProduct(memory.J.middleRows<3>(rows_of(role_[i])));
        else
          memory.T.middleRows<3>(rows_of(role_[j])).noalias() +=
              block.transpose().lazyProduct(memory.J.middleRows<3>(rows_of(role_[i])));
      } else if (i_bound) {
        border.middleRows<3>(3 * role_[j]).noalias() +=
            block.transpose().lazyProduct(memory.J.middleRows<3>(rows_of(role_[i])));
      } else {
        border.middleRows<3>(3 * role_[i]).noalias() += block.lazyProduct(memory.J.middleRows<3>(rows_of(role_[j])));
      }
    }
  }
  Mat& corner = bordered.corner();
  constexpr int kPanel = 96;  // rows at a time: few enough that Eigen packs its operands on the stack
  for (Eigen::Index k = 0; k < memory.J.rows(); k += kPanel) {
    const Eigen::Index rows = std::min<Eigen::Index>(kPanel, memory.J.rows() - k);
    corner.noalias() += memory.J.middleRows(k, rows).transpose() * memory.T.middleRows(k, rows);
    corner.noalias() += memory.T.middleRows(k, rows).transpose() * memory.J.middleRows(k, rows);
  }
  if (curvature_ == RigCurvature::learned || curvature_ == RigCurvature::bfgs) memory.gauss_newton = corner;
}

Change RigSpaceMapping::refresh(State& state, Vec&, Phase phase) const {
  if (phase == Phase::step)
    state_as<Memory>(state).has_before = false;  // BFGS makes no pair across steps; the learned matrix stays
  return Change::none;
}

}  // namespace rigspace
