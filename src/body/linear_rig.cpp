#include "rigspace/body/linear_rig.h"

#include "rigspace/rig/block_rows.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

Vec nodes_of(const std::vector<int>& nodes, In x) {
  Vec y(3 * std::ssize(nodes));
  for (std::size_t k = 0; k < nodes.size(); ++k) y.segment<3>(3 * static_cast<Eigen::Index>(k)) = point(x, nodes[k]);
  return y;
}

}  // namespace

LinearRig::LinearRig(const RigSpaceDescription& map, In x_rest, const LinearRigFrames& frames, BlockJacobian response)
    : rig_(map.rig),
      workspace_(map.rig->make_workspace()),
      free_(map.free),
      bound_(map.bound),
      ties_(map.ties),
      rest_nodes_(nodes_of(map.bound, x_rest)),
      frames_(rest_nodes_, frames.regions),
      response_(std::move(response)),
      key_(rest_nodes_) {
  const auto n = static_cast<Eigen::Index>(bound_.size());
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  if (n > 0) {
    const Eigen::Map<const Eigen::Matrix3Xd> points(rest_nodes_.data(), 3, n);
    low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
  }
  size_ = std::max((high - low).norm(), 1e-12);
  if (frames.row_regions) row_frames_.emplace(rest_nodes_, *frames.row_regions);
  typical_.resize(static_cast<Eigen::Index>(free_.size()));
  for (std::size_t c = 0; c < free_.size(); ++c)
    typical_[static_cast<Eigen::Index>(c)] = std::max(1e-12, rig_->controls()[free_[c]].typical);
  mark_.assign(free_.size(), -1);
  row_.resize(3 * typical_.size());
  if (rig_->traits().exact_jacobian) {  // the sparsity of J is the same in every pose: found now, not in the first step
    rig_->jacobian(*workspace_, rig_->rest(), free_, point_J_);
    find_places();
  }
}

void LinearRig::turn(In x) {
  const auto n = static_cast<Eigen::Index>(bound_.size());
  for (Eigen::Index k = 0; k < n; ++k) key_.segment<3>(3 * k) = point(x, bound_[k]);
  frames_.turn(key_);
  if (has_rows_) rows_changed();
}

void LinearRig::turn_rows(In y) {
  row_frames_->turn(y);
  if (has_rows_) rows_changed();
}

void LinearRig::rows_changed() {
  turned_ = false;
  ++version_;
}

Vec3 LinearRig::beside(In p, std::size_t k) const {
  Vec3 sum = offset_.size() > 0 ? Vec3(point(offset_, static_cast<int>(k))) : Vec3::Zero();
  for (int e = response_.start[k]; e < response_.start[k + 1]; ++e) {
    const int control = free_[response_.column[e]];
    sum += (p[control] - p_key_[control]) * response_.value.col(e);
  }
  return frames_.of(static_cast<Eigen::Index>(k)) * sum;
}

void LinearRig::evaluate(In p, Vec& y) {
  rig_->evaluate(*workspace_, p, s_);
  ++evaluations_;
  y.resize(3 * static_cast<Eigen::Index>(bound_.size()));
  repeated_way(p, p_key_);
  for (std::size_t k = 0; k < bound_.size(); ++k) {
    Vec3 node = ties_.row(static_cast<int>(k), s_);
    if (!response_.start.empty()) {
      Vec3 moved = row_times(response_, static_cast<int>(k), way_.data());
      if (offset_.size() > 0) moved += point(offset_, static_cast<int>(k));
      node += frames_.of(static_cast<Eigen::Index>(k)) * moved;
    }
    y.segment<3>(3 * static_cast<Eigen::Index>(k)) = node;
  }
}

const BlockJacobian& LinearRig::J() const {
  if (turned_) return J_;
  turned_ = true;
  if (J_.start != rows_.start || J_.column != rows_.column) J_ = rows_;
  for (std::size_t k = 0; k < bound_.size() && has_rows_; ++k)
    for (int e = J_.start[k]; e < J_.start[k + 1]; ++e)
      J_.value.col(e).noalias() = row_frame(static_cast<Eigen::Index>(k)) * rows_.value.col(e);
  return J_;
}

void LinearRig::at(In p, Vec& y) const {
  y = y0_;
  const Vec& d = repeated_way(p, p_);
  for (int k = 0; k + 1 < static_cast<int>(rows_.start.size()); ++k)
    y.segment<3>(3 * static_cast<Eigen::Index>(k)) += row_frame(k) * row_times(rows_, k, d.data());
}

template <int N>
void LinearRig::pull_some(const Vec* g, Vec* g_q) const {
  const Eigen::Index m = std::ssize(free_);
  gathered_.setZero(9 * m);
  double* to[N];
  for (int j = 0; j < N; ++j) to[j] = gathered_.data() + 3 * j * m;
  for (int k = 0; k + 1 < static_cast<int>(rows_.start.size()); ++k) {
    const Mat3 back = row_frame(k).transpose();
    Vec3 turned[N];
    for (int j = 0; j < N; ++j) turned[j] = back * point(g[j], bound_[k]);
    add_transposed<N>(rows_, k, turned, to);
  }
  for (int j = 0; j < N; ++j)
    for (Eigen::Index c = 0; c < m; ++c) g_q[j].tail(m)[c] += gathered_.segment<3>(3 * (j * m + c)).sum();
}

void LinearRig::pull_each(std::span<const Vec> g, std::span<Vec> g_q) const {
  std::size_t k = 0;
  for (; k + 3 <= g.size(); k += 3) pull_some<3>(&g[k], &g_q[k]);
  if (k + 2 == g.size()) return pull_some<2>(&g[k], &g_q[k]);
  if (k + 1 == g.size()) pull_some<1>(&g[k], &g_q[k]);
}

/// p - from for the free controls, each number repeated three times, once per coordinate (block_rows.h).
const Vec& LinearRig::repeated_way(In p, In from) const {
  way_.resize(3 * static_cast<Eigen::Index>(free_.size()));
  for (std::size_t c = 0; c < free_.size(); ++c)
    way_.segment<3>(3 * static_cast<Eigen::Index>(c)).setConstant(p[free_[c]] - from[free_[c]]);
  return way_;
}

void LinearRig::evaluate_jacobian() {
  rig_->jacobian(*workspace_, p_, free_, point_J_);
  ++jacobians_;
  if (const Traits traits = rig_->traits(); !traits.exact_jacobian)
    evaluations_ += 2 * static_cast<long>(free_.size()) + (traits.noise > 0 ? 1 : 0);
  place_rows();
}

void LinearRig::set_point_jacobian(const BlockJacobian& of_points) {
  point_J_ = of_points;
  place_rows();
}

/// Sets rows_ to B ds/dp plus the response, in the frames of the rest pose. The response is stored in these frames
/// already, unless the rows have frames of their own.
void LinearRig::place_rows() {
  BlockJacobian& J = rows_;
  start_before_ = J.start, column_before_ = J.column;
  J.columns = static_cast<int>(free_.size());
  if (point_J_.start != asked_start_ || point_J_.column != asked_column_) find_places();
  J.start = found_start_, J.column = found_column_;
  J.value.resize(3, std::ssize(J.column));
  for (std::size_t k = 0; k < bound_.size(); ++k) {
    for (int e = J.start[k]; e < J.start[k + 1]; ++e) row_.segment<3>(3 * J.column[e]).setZero();
    ties_.for_each(static_cast<int>(k), [&](int point, double weight) { add_scaled(point_J_, point, weight, row_); });
    const Mat3 back = row_frame(static_cast<Eigen::Index>(k)).transpose();
    for (int e = J.start[k]; e < J.start[k + 1]; ++e)
      row_.segment<3>(3 * J.column[e]) = (back * row_.segment<3>(3 * J.column[e])).eval();
    if (!response_.start.empty())
      for (int e = response_.start[k]; e < response_.start[k + 1]; ++e)
        row_.segment<3>(3 * response_.column[e]) +=
            row_frames_ ? Vec3(back * frames_.of(static_cast<Eigen::Index>(k)) * response_.value.col(e))
                        : Vec3(response_.value.col(e));
    for (int e = J.start[k]; e < J.start[k + 1]; ++e) J.value.col(e) = row_.segment<3>(3 * J.column[e]);
  }
  if (J.start != start_before_ || J.column != column_before_) ++pattern_;
  rows_changed();
  ++shape_;
  has_rows_ = true;
}

/// Finds the sparsity of rows_: the columns of the points that a node is tied to, of its response, and of
/// include_places.
void LinearRig::find_places() {
  asked_start_ = point_J_.start, asked_column_ = point_J_.column;
  found_start_.assign(1, 0);
  found_column_.clear();
  for (std::size_t k = 0; k < bound_.size(); ++k) {
    columns_.clear();
    const auto take = [&](const std::vector<int>& start, const std::vector<int>& column, int row) {
      for (int e = start[row]; e < start[row + 1]; ++e)
        if (mark_[column[e]] != static_cast<int>(k))
          mark_[column[e]] = static_cast<int>(k), columns_.push_back(column[e]);
    };
    for (const int point : ties_.points_of(static_cast<int>(k))) take(point_J_.start, point_J_.column, point);
    if (!response_.start.empty()) take(response_.start, response_.column, static_cast<int>(k));
    if (!included_start_.empty()) take(included_start_, included_column_, static_cast<int>(k));
    std::sort(columns_.begin(), columns_.end());
    found_column_.insert(found_column_.end(), columns_.begin(), columns_.end());
    found_start_.push_back(static_cast<int>(found_column_.size()));
  }
  std::fill(mark_.begin(), mark_.end(), -1);
}

void LinearRig::include_places(std::vector<int> start, std::vector<int> column) {
  included_start_ = std::move(start), included_column_ = std::move(column);
  asked_start_.clear();
}

void LinearRig::set_rows(BlockJacobian rows) {
  if (rows.start != rows_.start || rows.column != rows_.column) ++pattern_;
  rows_ = std::move(rows);
  rows_changed();
  ++shape_;
  has_rows_ = true;
}

void LinearRig::add_to_rows(const Eigen::Matrix3Xd& change) {
  if (rows_.column.size() == included_column_.size()) {
    rows_.value += change;
  } else {
    for (std::size_t k = 0; k < bound_.size(); ++k)
      for (int e = included_start_[k], at = rows_.start[k]; e < included_start_[k + 1]; ++e) {
        while (rows_.column[at] != included_column_[e]) ++at;
        rows_.value.col(at) += change.col(e);
      }
  }
  rows_changed();
  ++shape_;
}

/// Broyden's update, row by row over the controls that move the node (Schubert 1970), with d measured in units of each
/// control's typical change:
///   J += (y - y_from - J d) d^T / |d|^2,  d = p - p_from.
void LinearRig::learn(In p_from, In y_from, In p, In y) {
  J();  // brings J_ up to date with the present frames
  for (std::size_t k = 0; k + 1 < J_.start.size(); ++k) {
    double norm = 0;
    Vec3 miss = point(y, static_cast<int>(k)) - point(y_from, static_cast<int>(k));
    for (int e = J_.start[k]; e < J_.start[k + 1]; ++e) {
      const int c = J_.column[e];
      const double d = p[free_[c]] - p_from[free_[c]];
      norm += std::pow(d / typical_[c], 2);
      miss -= d * J_.value.col(e);
    }
    if (norm < 1e-10) continue;  // the controls hardly moved: the quotient would be noise
    const Mat3 back = row_frame(static_cast<Eigen::Index>(k)).transpose();
    for (int e = J_.start[k]; e < J_.start[k + 1]; ++e) {
      const int c = J_.column[e];
      J_.value.col(e) += miss * ((p[free_[c]] - p_from[free_[c]]) / (typical_[c] * typical_[c] * norm));
      rows_.value.col(e) = back * J_.value.col(e);
    }
  }
  ++version_, ++shape_;
}

std::vector<Vec> LinearRig::saved_state() const {
  Vec flags = Vec::Zero(3), start(std::ssize(rows_.start)), column(std::ssize(rows_.column));
  flags[0] = has_rows_ ? 1 : 0;
  for (Eigen::Index i = 0; i < start.size(); ++i) start[i] = rows_.start[i];
  for (Eigen::Index i = 0; i < column.size(); ++i) column[i] = rows_.column[i];
  return {flags, start, column, Vec(Eigen::Map<const Vec>(rows_.value.data(), rows_.value.size()))};
}

void LinearRig::restore(std::span<const Vec> state) {
  has_rows_ = state[0][0] != 0;
  rows_.columns = static_cast<int>(free_.size());
  rows_.start.assign(state[1].begin(), state[1].end());
  rows_.column.assign(state[2].begin(), state[2].end());
  rows_.value = Eigen::Map<const Eigen::Matrix3Xd>(state[3].data(), 3, state[3].size() / 3);
  turned_ = false;
  ++version_, ++pattern_, ++shape_;
}

}  // namespace rigspace
