#include "match_solver.h"

#include "rigspace/base/error.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kMostRows = 64;  // of a group of places
constexpr double kFirstDamping = 1e-4, kLeastDamping = 1e-9, kMostDamping = 1e6;
constexpr int kBoundPasses = 3;

}  // namespace

MatchSolver::MatchSolver(std::shared_ptr<const Rig> rig, std::vector<int> free)
    : rig_(std::move(rig)), free_(std::move(free)), workspace_(rig_->make_workspace()), p_key_(rig_->rest()) {
  spread_ = Mat::Zero(2, size());
  H_.resize(size(), size());
  g_.resize(size()), d_.resize(size());
}

void MatchSolver::set_key(In p) {
  p_key_ = p;
  q_known_.resize(0);
}

Vec MatchSolver::coordinates(In p) const {
  Vec q(size());
  for (int k = 0; k < size(); ++k) q[k] = p[free_[static_cast<std::size_t>(k)]];
  return q;
}

Vec MatchSolver::controls_at(In q) const {
  Vec p = p_key_;
  for (int k = 0; k < size(); ++k) p[free_[static_cast<std::size_t>(k)]] = q[k];
  return p;
}

const Vec& MatchSolver::points_at(In q) {
  if (q_known_.size() == q.size() && q_known_ == q) return x_known_;
  rig_->evaluate(*workspace_, controls_at(q), x_known_);
  ++evaluations_;
  q_known_ = q;
  return x_known_;
}

const BlockJacobian& MatchSolver::jacobian_at(In q) {
  rig_->jacobian(*workspace_, controls_at(q), free_, J_);
  ++evaluations_;
  return J_;
}

void MatchSolver::add_group(int rows) {
  if (rows == 0) return;
  const auto c = static_cast<Eigen::Index>(group_columns_.size());
  block_.noalias() = Z_.topLeftCorner(rows, c).transpose() * AZ_.topLeftCorner(rows, c);
  for (Eigen::Index b = 0; b < c; ++b) {
    const int column = group_columns_[static_cast<std::size_t>(b)];
    g_[column] += Z_.col(b).head(rows).dot(pull_.head(rows));
    for (Eigen::Index a = b; a < c; ++a) H_(group_columns_[static_cast<std::size_t>(a)], column) += block_(a, b);
  }
}

// H = sum_i (dz_i/dq)^T A_i dz_i/dq,  g = sum_i (dz_i/dq)^T (A_i z_i - b_i), lower triangle. Places that follow each
// other on one bone feel the same controls: their rows are stacked and multiplied together.
void MatchSolver::assemble(const StrokeMatch& match, const State& state, In x, const BlockJacobian& J) {
  H_.setZero(), g_.setZero();
  Z_.resize(kMostRows, size()), AZ_.resize(kMostRows, size()), pull_.resize(kMostRows);
  group_columns_.clear();
  int rows = 0;
  const double scale = 1 / (match.unit() * match.unit());
  for (const int i : match.used_places()) {
    const Anchor& anchor = match.place(i);
    const Vec3 at = anchored(x, anchor);
    const Eigen::Matrix<double, 2, 3> V = match.view().jacobian(at);
    columns_.clear();
    for (int a = 0; a < 4; ++a) {
      if (anchor.weights[a] == 0) continue;
      const bool first = columns_.empty();
      for (int e = J.start[anchor.points[a]]; e < J.start[anchor.points[a] + 1]; ++e) {
        const int column = J.column[e];
        if (first || std::find(columns_.begin(), columns_.end(), column) == columns_.end()) {
          columns_.push_back(column);
          spread_.col(column).noalias() = V * (anchor.weights[a] * J.value.col(e));
        } else {
          spread_.col(column).noalias() += V * (anchor.weights[a] * J.value.col(e));
        }
      }
    }
    if (columns_ != group_columns_ || rows + 2 > kMostRows) {
      add_group(rows);
      group_columns_ = columns_, rows = 0;
    }
    const auto [A, b] = match.pull_of(state, i);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto c = static_cast<Eigen::Index>(k);
      Z_.block<2, 1>(rows, c) = spread_.col(columns_[k]);
      AZ_.block<2, 1>(rows, c) = scale * (A * spread_.col(columns_[k]));
    }
    pull_.segment<2>(rows) = scale * (A * match.view().project(at) - b);
    rows += 2;
  }
  add_group(rows);
}

// (H + damping diag H) d = -g. Controls at a bound that the gradient pushes against stay; those that the step would
// carry beyond one go to it, and the others are solved for again.
bool MatchSolver::find_step(const MatchPrior& prior, In q, double damping) {
  const int n = size();
  fixed_.assign(static_cast<std::size_t>(n), 0);
  d_.setZero();
  for (int i = 0; i < n; ++i)
    fixed_[static_cast<std::size_t>(i)] = prior.lower[i] == prior.upper[i] || (q[i] <= prior.lower[i] && g_[i] > 0) ||
                                          (q[i] >= prior.upper[i] && g_[i] < 0);
  for (int pass = 0;; ++pass) {
    std::vector<int> open;
    for (int i = 0; i < n; ++i)
      if (!fixed_[static_cast<std::size_t>(i)]) open.push_back(i);
    if (open.empty()) return d_.squaredNorm() > 0;
    const auto m = static_cast<Eigen::Index>(open.size());
    damped_.resize(m, m), right_.resize(m);
    for (Eigen::Index b = 0; b < m; ++b) {
      const int column = open[static_cast<std::size_t>(b)];
      for (Eigen::Index a = b; a < m; ++a) damped_(a, b) = H_(open[static_cast<std::size_t>(a)], column);
      damped_(b, b) += damping * H_(column, column);
      right_[b] = -g_[column];
      for (int i = 0; i < n; ++i)
        if (fixed_[static_cast<std::size_t>(i)] && d_[i] != 0)
          right_[b] -= d_[i] * (i > column ? H_(i, column) : H_(column, i));
    }
    const Eigen::LLT<Eigen::Ref<Mat>, Eigen::Lower> factor(damped_);
    if (factor.info() != Eigen::Success) return false;
    factor.solveInPlace(right_);
    if (!right_.allFinite()) return false;
    bool beyond = false;
    for (Eigen::Index k = 0; k < m; ++k) {
      const int i = open[static_cast<std::size_t>(k)];
      d_[i] = right_[k];
      if (q[i] + d_[i] < prior.lower[i] || q[i] + d_[i] > prior.upper[i]) {
        d_[i] = std::clamp(q[i] + d_[i], prior.lower[i], prior.upper[i]) - q[i];
        fixed_[static_cast<std::size_t>(i)] = beyond = true;
      }
    }
    if (!beyond || pass + 1 >= kBoundPasses) return true;
  }
}

MatchSummary MatchSolver::solve(const StrokeMatch& match, const MatchPrior& prior, const MatchStop& stop, Vec& q,
                                const ProgressCallback& progress) {
  MatchSummary summary;
  const long before = evaluations_;
  q = q.cwiseMax(prior.lower).cwiseMin(prior.upper);
  const std::unique_ptr<State> state = match.make_state();
  const auto prior_value = [&](In at) { return 0.5 * (at - prior.q_start).dot(prior.A * (at - prior.q_start)); };
  Vec x = points_at(q), q_trial, x_trial;
  double damping = kFirstDamping, value_before = 0, value_before_that = 0;
  bool small_step = false;
  for (;;) {
    match.refresh(*state, x, Phase::iteration);
    double value = match.value(*state, x) + prior_value(q);
    if (!std::isfinite(value)) break;
    const bool settled = summary.iterations >= 2 && value > (1 - stop.decrease) * value_before_that;
    if (small_step || settled) summary.converged = true;
    if (summary.converged || summary.iterations >= stop.iterations) break;
    if (wants_cancel(progress, "solving", static_cast<double>(summary.iterations) / stop.iterations)) throw Cancelled();
    assemble(match, *state, x, jacobian_at(q));
    H_.triangularView<Eigen::Lower>() += prior.A;
    g_ += prior.A * (q - prior.q_start);
    for (Eigen::Index i = 0; i < H_.rows(); ++i) H_(i, i) = std::max(H_(i, i), 1e-300);
    bool accepted = false;
    while (!accepted && damping <= kMostDamping) {
      if (!find_step(prior, q, damping)) {
        damping *= 10;
        continue;
      }
      const double predicted = -(g_.dot(d_) + 0.5 * d_.dot(H_.selfadjointView<Eigen::Lower>() * d_));
      if (!(predicted > 1e-12 * value)) break;
      q_trial = (q + d_).cwiseMax(prior.lower).cwiseMin(prior.upper);
      x_trial = points_at(q_trial);
      const double gained = value - match.value(*state, x_trial) - prior_value(q_trial);
      accepted = gained > 0;
      if (gained < 0.25 * predicted)
        damping = std::max(1e-3, 8 * damping);
      else if (gained > 0.6 * predicted)
        damping = std::max(kLeastDamping, damping / 10);
      // A Jacobian that was corrected by the trial is another one.
      if (!accepted && !rig_->traits().exact_jacobian) {
        assemble(match, *state, x, jacobian_at(q));
        H_.triangularView<Eigen::Lower>() += prior.A;
        g_ += prior.A * (q - prior.q_start);
      }
      if (!accepted && (x_trial - x).lpNorm<Eigen::Infinity>() < stop.step) break;
    }
    if (!accepted) {
      summary.converged = true;
      break;
    }
    small_step = (x_trial - x).lpNorm<Eigen::Infinity>() <= stop.step;
    q.swap(q_trial), x.swap(x_trial);
    value_before_that = summary.iterations > 0 ? value_before : value;
    value_before = value;
    ++summary.iterations;
  }
  q_known_ = q, x_known_ = x;
  summary.evaluations = evaluations_ - before;
  return summary;
}

}  // namespace rigspace
