#include "rigspace/optimize/cubature.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rigspace {
namespace {

constexpr double kRidge = 1e-11;  // on A_S^T A_S of unit columns: above its rounding, below any tolerance
constexpr int kPool = 6;          // candidates looked at closely for each that joins

int at_once_of(const ColumnSelectionOptions& options, std::size_t chosen) {
  return options.at_once > 0 ? options.at_once : std::clamp(static_cast<int>(chosen) / 20, 2, 12);
}

}  // namespace

void ColumnSelectionOptions::validate() const {
  require_option(tolerance >= 0 && tolerance < 1, "tolerance of a column selection", tolerance, "in [0, 1)");
  require_option(most > 0, "columns of a selection", most, "at least 1");
  require_option(at_once >= 0, "columns that join at once", at_once, "0 or more");
  require_option(looked_at > 0, "columns looked at", looked_at, "at least 1");
  require_option(least_gain >= 0 && least_gain < 1, "least gain of a column selection", least_gain, "in [0, 1)");
}

ColumnSelector::ColumnSelector(Mat A, Vec b) : b_(std::move(b)) {
  if (A.rows() != b_.size() || !A.allFinite() || !b_.allFinite())
    throw Error({.code = ErrorCode::internal, .element = "column selection", .problem = "has rows that do not fit"});
  is_active_.assign(A.cols(), 0), allowed_.assign(A.cols(), 1);
  norms_ = Vec::Zero(A.cols());
  measure_columns(A);
  parts_.push_back(std::move(A));
  measure();
}

void ColumnSelector::measure_columns(const Mat& rows) {
  parallel_ranges(static_cast<int>(rows.cols()), 64, [&](int begin, int end) {
    for (int c = begin; c < end; ++c) norms_[c] = std::hypot(norms_[c], rows.col(c).norm());
  });
}

Vec ColumnSelector::column(int c) const {
  Vec unit(b_.size());
  Eigen::Index at = 0;
  for (const Mat& part : parts_) {
    unit.segment(at, part.rows()) = part.col(c) / norms_[c];
    at += part.rows();
  }
  return unit;
}

std::vector<int> ColumnSelector::best_candidates(int at_once, int looked_at) const {
  const int count = static_cast<int>(norms_.size()), sets = (count + looked_at - 1) / looked_at;
  const int first = rounds_ % sets, seen = (count - first + sets - 1) / sets;
  std::vector<std::pair<double, int>> scores(seen);
  parallel_ranges(seen, 32, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const int c = first + sets * k;
      scores[k] = {0.0, c};
      if (is_active_[c] || !allowed_[c] || norms_[c] == 0) continue;
      Eigen::Index at = 0;
      for (const Mat& part : parts_) {
        scores[k].first += part.col(c).dot(residual_.segment(at, part.rows())) / norms_[c];
        at += part.rows();
      }
    }
  });
  const auto better = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  const int pool = std::min(seen, kPool * at_once);
  std::partial_sort(scores.begin(), scores.begin() + pool, scores.end(), better);
  std::vector<Vec> near;
  for (int k = 0; k < pool && scores[k].first > 0; ++k) near.push_back(column(scores[k].second));
  // Neighbours are alike: each one chosen takes its share of the residual before the next is.
  std::vector<int> chosen;
  Vec left = residual_;
  while (static_cast<int>(chosen.size()) < at_once) {
    int best = -1;
    double most = 1e-14 * b_.norm();
    for (std::size_t k = 0; k < near.size(); ++k) {
      const double score = near[k].size() > 0 ? near[k].dot(left) : 0;
      if (score > most) most = score, best = static_cast<int>(k);
    }
    if (best < 0) break;
    chosen.push_back(scores[best].second);
    left -= most * near[best];
    near[best].resize(0);
  }
  return chosen;
}

void ColumnSelector::join(const std::vector<int>& columns) {
  const Eigen::Index before = static_cast<Eigen::Index>(active_.size()),
                     more = static_cast<Eigen::Index>(columns.size());
  const Eigen::Index after = before + more;
  if (columns_.cols() < after || columns_.rows() != b_.size()) {
    const Eigen::Index room = std::max<Eigen::Index>(2 * after, 64);
    columns_.conservativeResize(b_.size(), room);
    gram_.conservativeResize(room, room), factor_.conservativeResize(room, room);
    right_.conservativeResize(room), weights_.conservativeResize(room);
  }
  for (Eigen::Index k = 0; k < more; ++k) {
    columns_.col(before + k) = column(columns[k]);
    right_[before + k] = columns_.col(before + k).dot(b_);
    weights_[before + k] = 0;
    active_.push_back(columns[k]);
    is_active_[columns[k]] = 1;
  }
  const Mat products = columns_.leftCols(after).transpose() * columns_.middleCols(before, more);
  gram_.block(0, before, after, more) = products;
  gram_.block(before, 0, more, after) = products.transpose();
  factor_from(static_cast<int>(before));
}

void ColumnSelector::leave(const std::vector<char>& leaving) {
  const int count = static_cast<int>(active_.size());
  int to = 0, first = count;
  std::vector<int> kept;
  for (int k = 0; k < count; ++k) {
    if (leaving[k]) {
      is_active_[active_[k]] = 0;
      first = std::min(first, k);
      continue;
    }
    kept.push_back(k);
    if (to != k) {
      active_[to] = active_[k];
      columns_.col(to) = columns_.col(k);
      right_[to] = right_[k], weights_[to] = weights_[k];
    }
    ++to;
  }
  active_.resize(to);
  // Ascending, so that nothing is read after it is written.
  for (int c = 0; c < to; ++c)
    for (int r = 0; r < to; ++r) gram_(r, c) = gram_(kept[r], kept[c]);
  if (first < to) factor_from(first);
}

// Rows from `first` on of L, A_S^T A_S + ridge = L L^T.
void ColumnSelector::factor_from(int first) {
  const Eigen::Index more = static_cast<Eigen::Index>(active_.size()) - first;
  if (more <= 0) return;
  Mat corner = gram_.block(first, first, more, more);
  corner.diagonal().array() += kRidge;
  if (first > 0) {
    const Mat side =
        factor_.topLeftCorner(first, first).triangularView<Eigen::Lower>().solve(gram_.block(0, first, first, more));
    factor_.block(first, 0, more, first) = side.transpose();
    corner.noalias() -= side.transpose() * side;
  }
  factor_.block(first, first, more, more) = Mat(Eigen::LLT<Mat>(corner).matrixL());
}

// Lawson and Hanson's inner loop: toward the least squares of the chosen columns, until a weight would be negative.
void ColumnSelector::solve_weights() {
  while (!active_.empty()) {
    const Eigen::Index count = static_cast<Eigen::Index>(active_.size());
    const auto L = factor_.topLeftCorner(count, count).triangularView<Eigen::Lower>();
    Vec z = L.solve(right_.head(count));
    L.transpose().solveInPlace(z);
    if (z.minCoeff() > 0) {
      weights_.head(count) = z;
      return;
    }
    double step = 1;
    for (Eigen::Index k = 0; k < count; ++k)
      if (z[k] <= 0) step = std::min(step, weights_[k] / (weights_[k] - std::min(z[k], -1e-300)));
    const double small = 1e-12 * std::max(weights_.head(count).maxCoeff(), z.maxCoeff());
    weights_.head(count) += step * (z - weights_.head(count));
    std::vector<char> leaving(count);
    for (Eigen::Index k = 0; k < count; ++k) leaving[k] = z[k] <= 0 && weights_[k] <= small;
    leave(leaving);
  }
}

void ColumnSelector::measure() {
  const Eigen::Index count = static_cast<Eigen::Index>(active_.size());
  residual_ = b_;
  if (count > 0) residual_.noalias() -= columns_.leftCols(count) * weights_.head(count);
  const double whole = b_.norm();
  selection_.error = whole > 0 ? residual_.norm() / whole : 0;
}

void ColumnSelector::gather() {
  selection_.columns.clear();
  for (std::size_t k = 0; k < active_.size(); ++k)
    selection_.columns.push_back({active_[k], weights_[static_cast<Eigen::Index>(k)] / norms_[active_[k]]});
  std::sort(selection_.columns.begin(), selection_.columns.end(),
            [](const WeightedElement& a, const WeightedElement& b) { return a.element < b.element; });
  selection_.rounds = rounds_;
}

const ColumnSelection& ColumnSelector::reach(const ColumnSelectionOptions& options) {
  options.validate();
  const int sets = (static_cast<int>(norms_.size()) + options.looked_at - 1) / options.looked_at;
  const int patience = 10 + sets;
  std::vector<double> errors{selection_.error};
  int nothing = 0;
  bool slow = false;  // columns that join together may all have to leave; one alone never has to
  while (selection_.error > options.tolerance && nothing < sets) {
    const int room = options.most - static_cast<int>(active_.size());
    if (room <= 0) break;
    const std::vector<int> joining =
        best_candidates(slow ? 1 : std::min(room, at_once_of(options, active_.size())), options.looked_at);
    ++rounds_;
    nothing = joining.empty() ? nothing + 1 : 0;
    if (joining.empty()) continue;
    join(joining);
    solve_weights();
    measure();
    slow = selection_.error >= errors.back() * (1 - 1e-6);
    errors.push_back(selection_.error);
    const int rounds = static_cast<int>(errors.size());
    if (rounds > patience && selection_.error > (1 - options.least_gain) * errors[rounds - 1 - patience]) break;
  }
  selection_.reached = selection_.error <= options.tolerance;
  gather();
  return selection_;
}

void ColumnSelector::allow(std::vector<char> columns) {
  if (static_cast<Eigen::Index>(columns.size()) != norms_.size())
    throw Error({.code = ErrorCode::internal, .element = "column selection", .problem = "has flags that do not fit"});
  allowed_ = std::move(columns);
}

void ColumnSelector::add_rows(Mat A_rows, In b_rows) {
  if (A_rows.cols() != norms_.size() || A_rows.rows() != b_rows.size() || !A_rows.allFinite())
    throw Error({.code = ErrorCode::internal, .element = "column selection", .problem = "has rows that do not fit"});
  const std::vector<int> chosen = std::exchange(active_, {});
  Vec weights(static_cast<Eigen::Index>(chosen.size()));
  for (Eigen::Index k = 0; k < weights.size(); ++k) weights[k] = weights_[k] / norms_[chosen[k]];
  measure_columns(A_rows);
  b_.conservativeResize(b_.size() + b_rows.size());
  b_.tail(b_rows.size()) = b_rows;
  parts_.push_back(std::move(A_rows));
  if (!chosen.empty()) {
    join(chosen);
    for (Eigen::Index k = 0; k < weights.size(); ++k) weights_[k] = weights[k] * norms_[chosen[k]];
    solve_weights();
  }
  measure();
  gather();
}

ColumnSelection select_columns(Mat A, Vec b, const ColumnSelectionOptions& options) {
  ColumnSelector selector(std::move(A), std::move(b));
  return selector.reach(options);
}

}  // namespace rigspace
