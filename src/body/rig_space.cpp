#include "rigspace/body/rig_space.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/body/element_projection.h"
#include "rigspace/body/linear_rig.h"
#include "rigspace/optimize/bfgs.h"
#include "rigspace/optimize/bordered_system.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kHeld = -1;
bool is_interior(int role) { return role >= 0; }
bool is_bound(int role) { return role <= -2; }
int bound_index(int role) { return -2 - role; }

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

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

/// The Jacobian of the bound nodes, dense over the free controls, and the Hessian blocks that touch bound nodes.
class RigSpaceMapping::Memory final : public State, public BlockSink {
 public:
  explicit Memory(const RigSpaceMapping& owner)
      : mapping(owner),
        workspace(owner.d_.rig->make_workspace()),
        J(3 * static_cast<Eigen::Index>(owner.d_.bound.size()), owner.control_size()),
        T(J.rows(), J.cols()),
        mixed(owner.size_x(), 3) {}

  // The part of a block among interior nodes goes to the sparse system. A block that touches a bound node is summed
  // over x first (`mixed`). Parts of held nodes are dropped.
  void add(std::span<const int> points, const double* H) override {
    const int k = static_cast<int>(points.size()), rows = 3 * k;
    inside.clear(), inside_places.clear(), moving.clear(), moving_places.clear();
    bool touches_bound = false;
    for (int a = 0; a < k; ++a) {
      const int role = mapping.role_[points[a]];
      if (role == kHeld) continue;
      moving.push_back(points[a]), moving_places.push_back(a);
      if (is_interior(role)) inside.push_back(role), inside_places.push_back(a);
      touches_bound = touches_bound || is_bound(role);
    }
    if (!inside.empty()) {
      if (static_cast<int>(inside.size()) == k) return system->interior().add(inside, H);
      gather(inside_places, H, rows);
      system->interior().add(inside, gathered.data());
    }
    if (!touches_bound) return;
    gather(moving_places, H, rows);
    const int size = 3 * static_cast<int>(moving.size());
    for (std::size_t b = 0; b < moving.size(); ++b)
      for (std::size_t a = 0; a < moving.size(); ++a)
        if (is_interior(mapping.role_[moving[a]]) && is_interior(mapping.role_[moving[b]]))
          for (int c = 0; c < 3; ++c) std::fill_n(&gathered[3 * a + (3 * b + c) * size], 3, 0.0);
    mixed.add(moving, gathered.data());
  }

  // Blocks over single coordinates are spread to blocks over the points that the coordinates belong to.
  void add_coordinates(std::span<const int> coordinates, const double* H) override {
    touched.clear();
    for (const int c : coordinates)
      if (std::find(touched.begin(), touched.end(), c / 3) == touched.end()) touched.push_back(c / 3);
    const int size = 3 * static_cast<int>(touched.size()), k = static_cast<int>(coordinates.size());
    spread.assign(static_cast<std::size_t>(size) * size, 0.0);
    const auto place = [&](int c) {
      return 3 * static_cast<int>(std::find(touched.begin(), touched.end(), c / 3) - touched.begin()) + c % 3;
    };
    for (int b = 0; b < k; ++b)
      for (int a = 0; a < k; ++a) spread[place(coordinates[a]) + size * place(coordinates[b])] += H[a + k * b];
    add(touched, spread.data());
  }

  void gather(const std::vector<int>& places, const double* H, int rows) {
    const int size = 3 * static_cast<int>(places.size());
    gathered.resize(static_cast<std::size_t>(size) * size);
    for (std::size_t b = 0; b < places.size(); ++b)
      for (int c = 0; c < 3; ++c)
        for (std::size_t a = 0; a < places.size(); ++a) {
          const double* from = H + 3 * places[a] + static_cast<std::ptrdiff_t>(3 * places[b] + c) * rows;
          double* to = &gathered[3 * a + (3 * b + c) * size];
          to[0] = from[0], to[1] = from[1], to[2] = from[2];  // std::copy would become a function call each time
        }
  }

  const RigSpaceMapping& mapping;
  std::unique_ptr<Workspace> workspace;
  Vec p, s, y;
  long linear_version = -1;      // LinearRig::version() of the J below
  ElementProjection projection;  // in place of J and `mixed` for linear rigs without interior unknowns
  BlockJacobian ds_dp;
  RowMajor J, T;         // d bound nodes / d free controls; T = (U^T + D / 2) J, see finish
  SparseAssembly mixed;  // Hessian over x, of blocks that touch a bound node
  BorderedSystem* system = nullptr;
  std::vector<int> inside, inside_places, moving, moving_places, touched;
  std::vector<double> gathered, spread;

  // For the curvature of the rig by BFGS: the last iterate, this one, and the matrix learned so far.
  struct Iterate {
    Vec q, g_p, g_b;
    RowMajor J;
  };
  Iterate before, here;
  bool has_before = false;
  Mat gauss_newton;  // J^T H_bb J of this iterate
  Mat learned;       // S of structured BFGS, or B of the plain one
  Vec q;
};

RigSpaceMapping::RigSpaceMapping(RigSpaceDescription description) : d_(std::move(description)) {
  d_.validate();
  role_.assign(d_.node_count, kHeld);
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

// Structured BFGS: B = J^T H J + S. With d the step of the controls and g the forces of now,
//     y = J^T H J d + (J - J_before)^T g,      B+ = BFGS(J^T H J + S, d, y),      S+ = B+ - J^T H J.
// Plain, for all of H_pp:  y = change of J^T g - H_pn dn,  B+ = BFGS(B, d, y)  (the printed update does not
// converge: docs/corrections.md, "BFGS update").
void RigSpaceMapping::learn(Memory& memory, In g, const Mat& border) const {
  const bool structured = curvature_ == RigCurvature::learned;
  const Eigen::Index controls = control_size(), inside = interior_size();
  const Mat GN = memory.gauss_newton.selfadjointView<Eigen::Lower>();
  Memory::Iterate& here = memory.here;
  here.q = memory.q;
  here.J = memory.J;
  here.g_b.resize(memory.J.rows());
  for (std::size_t k = 0; k < d_.bound.size(); ++k)
    here.g_b.segment<3>(3 * static_cast<Eigen::Index>(k)) = g.segment<3>(3 * d_.bound[k]);
  here.g_p.noalias() = here.J.transpose() * here.g_b;
  if (memory.learned.rows() != controls) memory.learned = structured ? Mat(Mat::Zero(controls, controls)) : GN;
  if (!memory.has_before && !structured) memory.learned = GN;  // at no cost, and a better start than the last step's B
  if (memory.has_before) {
    const Memory::Iterate& before = memory.before;
    const Vec d = here.q.tail(controls) - before.q.tail(controls);
    Vec y = structured ? Vec(GN * d + (here.J - before.J).transpose() * here.g_b) : Vec(here.g_p - before.g_p);
    if (!structured && inside > 0) y.noalias() -= border.transpose() * (here.q.head(inside) - before.q.head(inside));
    BfgsBlock block(structured ? Mat(GN + memory.learned) : memory.learned);
    block.update(d, y);
    memory.learned = structured ? Mat(block.matrix() - GN) : block.matrix();
  } else if (structured && memory.learned.norm() > 0) {
    // S of the last step is kept if B = J^T H J + S is positive definite. Otherwise it is halved up to three times,
    // then dropped.
    for (int tries = 0; tries < 4 && Eigen::LLT<Mat>(GN + memory.learned).info() != Eigen::Success; ++tries)
      memory.learned *= tries < 3 ? 0.5 : 0.0;
  }
  std::swap(memory.before, memory.here);
  memory.has_before = true;
}

// (T : g)_jk = d/dp_k (J_j . g), by differences of exact Jacobians. For a black box by second differences of
// phi(p) = g . s(p),
//   [phi(p + h_j + h_k) - phi(p + h_j) - phi(p + h_k) + phi(p)] / (h_j h_k).
// The steps are proportional to each control's typical change and grow with the rig's noise. One step for all controls
// (Thesis 3.51: 0.001) would give only noise on single-precision rigs.
void RigSpaceMapping::second_derivatives(Memory& memory, In g, Mat& T) const {
  Vec g_s = Vec::Zero(3 * static_cast<Eigen::Index>(d_.rig->point_count()));
  for (std::size_t k = 0; k < d_.bound.size(); ++k)
    d_.ties.pull_row(static_cast<int>(k), g.segment<3>(3 * d_.bound[k]), g_s);
  const int n = control_size();
  const Traits traits = d_.rig->traits();
  T.setZero(n, n);
  const auto typical = [&](int k) { return d_.rig->controls()[d_.free[k]].typical; };
  if (traits.exact_jacobian) {
    Vec here, there;
    memory.ds_dp.pull(g_s, here);
    BlockJacobian J;
    for (int k = 0; k < n; ++k) {
      const double h = 1e-5 * typical(k);
      Vec p = memory.p;
      p[d_.free[k]] += h;
      d_.rig->jacobian(*memory.workspace, p, d_.free, J);
      ++rig_jacobians_;
      J.pull(g_s, there);
      T.col(k) = (there - here) / h;
    }
  } else {
    const double relative =
        std::max(1e-3, std::pow(traits.noise / std::max(1e-12, memory.s.cwiseAbs().maxCoeff()), 0.25));
    Mat P = memory.p.replicate(1, 1 + n + n * (n + 1) / 2), S;
    int column = 1 + n;
    for (int k = 0; k < n; ++k) {
      P(d_.free[k], 1 + k) += relative * typical(k);
      for (int j = 0; j <= k; ++j, ++column) {
        P(d_.free[k], column) += relative * typical(k);
        P(d_.free[j], column) += relative * typical(j);
      }
    }
    d_.rig->evaluate_batch(*memory.workspace, P, S);
    rig_evaluations_ += P.cols();
    const Vec phi = S.transpose() * g_s;
    column = 1 + n;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j <= k; ++j, ++column)
        T(j, k) = T(k, j) =
            (phi[column] - phi[1 + k] - phi[1 + j] + phi[0]) / (relative * relative * typical(k) * typical(j));
  }
  T = 0.5 * (T + T.transpose()).eval();
}

bool RigSpaceMapping::add_curvature(State& state, In g, System& system) const {
  auto& memory = state_as<Memory>(state);
  auto& bordered = dynamic_cast<BorderedSystem&>(system);
  if (curvature_ == RigCurvature::none || linear_ != nullptr) return false;
  if (curvature_ == RigCurvature::exact) {
    Mat T;
    second_derivatives(memory, g, T);
    bordered.corner() += T;
    return true;
  }
  learn(memory, g, bordered.border());
  bordered.corner() += memory.learned;
  if (curvature_ == RigCurvature::bfgs) bordered.corner() -= Mat(memory.gauss_newton.selfadjointView<Eigen::Lower>());
  return true;
}

}  // namespace rigspace
