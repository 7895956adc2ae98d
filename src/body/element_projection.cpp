#include "rigspace/body/element_projection.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rigspace {

void ElementProjection::set_rows(const BlockJacobian& J, long pattern, long shape) {
  J_ = &J;
  if (pattern != pattern_) plans_.clear(), first_over_.clear();
  pattern_ = pattern, shape_ = shape;
}

void ElementProjection::begin(Mat& K, std::span<const int> roles) {
  K_ = &K;
  roles_ = roles;
  next_ = 0, batch_ = 0;
  waiting_.clear();
  for (Plan& each : plans_) each.pending = false;
}

ElementProjection::Plan& ElementProjection::plan(std::span<const int> points) {
  const std::size_t at = next_++;
  if (at < plans_.size() &&
      std::equal(points.begin(), points.end(), plans_[at].points.begin(), plans_[at].points.end()))
    // If blocks came in another order since, plan `first`, into which this one sums, may be over other points by now.
    if (const int first = plans_[at].same_as; first < 0 || plans_[first].points == plans_[at].points) return plans_[at];
  if (at >= plans_.size()) plans_.resize(at + 1);
  Plan& plan = plans_[at];
  plan = {};
  plan.points.assign(points.begin(), points.end());
  for (const int i : points) {
    plan.rows.push_back(roles_[i] <= -2 ? -2 - roles_[i] : -1);
    if (plan.rows.back() < 0) continue;
    for (int e = J_->start[plan.rows.back()]; e < J_->start[plan.rows.back() + 1]; ++e)
      plan.columns.push_back(J_->column[e]);
  }
  std::sort(plan.columns.begin(), plan.columns.end());
  plan.columns.erase(std::unique(plan.columns.begin(), plan.columns.end()), plan.columns.end());
  const auto [known, fresh] = first_over_.emplace(plan.points, static_cast<int>(at));
  if (!fresh && known->second < static_cast<int>(at) && plans_[known->second].points == plan.points)
    plan.same_as = known->second;
  else
    known->second = static_cast<int>(at);
  plan.columns.shrink_to_fit(), plan.rows.shrink_to_fit();  // saves memory where a crowd has one projection per body
  if (plan.same_as >= 0) return plan;
  for (const int row : plan.rows) {
    if (row < 0) continue;
    for (int e = J_->start[row]; e < J_->start[row + 1]; ++e)
      plan.places.push_back(static_cast<int>(std::lower_bound(plan.columns.begin(), plan.columns.end(), J_->column[e]) -
                                             plan.columns.begin()));
  }
  plan.places.shrink_to_fit();
  return plan;
}

namespace {

constexpr int kLanes = 4;
using Lanes = double __attribute__((vector_size(32), aligned(8)));

Lanes& lanes(double* at) { return *reinterpret_cast<Lanes*>(at); }
const Lanes& lanes(const double* at) { return *reinterpret_cast<const Lanes*>(at); }

/// K(columns, columns) += J^T (H J) in the lower triangle. J and HJ are Rows x stride, row-major, where stride is a
/// multiple of kLanes. First H J by strips of kLanes columns, each kept in registers, then J^T (H J) by tiles of 4 x 4
/// controls.
template <int Rows>
void project(const double* H, const double* J, double* HJ, std::span<const int> columns, int stride, Mat& K) {
  const int count = static_cast<int>(columns.size());
  for (int c = 0; c < stride; c += kLanes) {
    Lanes strip[Rows];
    for (int s = 0; s < Rows; ++s) strip[s] = lanes(J + s * stride + c);
    for (int r = 0; r < Rows; ++r) {
      Lanes sum = H[r] * strip[0];
      for (int s = 1; s < Rows; ++s) sum += H[r + s * Rows] * strip[s];
      lanes(HJ + r * stride + c) = sum;
    }
  }
  for (int b = 0; b < count; b += kLanes) {
    for (int c = b; c < stride; c += kLanes) {
      Lanes tile[kLanes] = {};
      for (int r = 0; r < Rows; ++r) {
        const Lanes j = lanes(J + r * stride + c);
        const double* h = HJ + r * stride + b;
        for (int k = 0; k < kLanes; ++k) tile[k] += h[k] * j;
      }
      for (int k = 0; k < kLanes && b + k < count; ++k) {
        double* column = K.data() + K.rows() * columns[b + k];
        for (int l = std::max(0, b + k - c); l < kLanes && c + l < count; ++l) column[columns[c + l]] += tile[k][l];
      }
    }
  }
}

}  // namespace

void ElementProjection::add(std::span<const int> points, const double* H) {
  Plan& p = plan(points);
  if (p.columns.empty()) return;
  Plan& first = p.same_as < 0 ? p : plans_[p.same_as];
  const std::size_t size = 9 * points.size() * points.size();
  if (!first.pending) {
    first.H.assign(H, H + size);
    first.pending = true;
    return waiting_.push_back(static_cast<int>(&first - plans_.data()));
  }
  for (std::size_t k = 0; k < size; ++k) first.H[k] += H[k];
}

void ElementProjection::finish() {
  for (const int k : waiting_) project_now(plans_[k]);
  waiting_.clear();
}

void ElementProjection::project_now(Plan& p) {
  const int rows = 3 * static_cast<int>(p.points.size());
  const int stride = (static_cast<int>(p.columns.size()) + kLanes - 1) & ~(kLanes - 1);
  const std::size_t size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride);
  Je_.assign(size, 0.0);
  HJ_.resize(size);
  const int* place = p.places.data();
  for (std::size_t a = 0; a < p.rows.size(); ++a) {
    if (p.rows[a] < 0) continue;
    double* x = &Je_[3 * a * static_cast<std::size_t>(stride)];
    for (int e = J_->start[p.rows[a]]; e < J_->start[p.rows[a] + 1]; ++e, ++place) {
      const double* from = J_->value.data() + 3 * static_cast<std::ptrdiff_t>(e);
      x[*place] += from[0], x[*place + stride] += from[1], x[*place + 2 * stride] += from[2];
    }
  }
  p.pending = false;
  switch (rows) {
    case 3: return project<3>(p.H.data(), Je_.data(), HJ_.data(), p.columns, stride, *K_);
    case 6: return project<6>(p.H.data(), Je_.data(), HJ_.data(), p.columns, stride, *K_);
    case 9: return project<9>(p.H.data(), Je_.data(), HJ_.data(), p.columns, stride, *K_);
    case 12: return project<12>(p.H.data(), Je_.data(), HJ_.data(), p.columns, stride, *K_);
    default: break;
  }
  const auto count = static_cast<Eigen::Index>(p.columns.size());  // blocks of more than four points, which are rare
  const Eigen::Map<const Mat> block(p.H.data(), rows, rows);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>> J(Je_.data(), rows, count, Eigen::OuterStride<>(stride));
  const Mat part = J.transpose() * (block * J);
  for (Eigen::Index b = 0; b < count; ++b)
    for (Eigen::Index a = b; a < count; ++a) (*K_)(p.columns[a], p.columns[b]) += part(a, b);
}

/// Blocks of momentum energies are m_k I on each point. Their sum J^T M J from the last call is reused, scaled, while J
/// changes only by rotations of whole rows and the masses keep their proportions.
void ElementProjection::add_batch(int k, std::span<const int> points, const double* H) {
  if (k != 1 || !keep_inertia_) return BlockSink::add_batch(k, points, H);
  const auto isotropic = [&](std::size_t e) {
    const double* h = H + 9 * e;
    return h[0] == h[4] && h[0] == h[8] && h[1] == 0 && h[2] == 0 && h[3] == 0 && h[5] == 0 && h[6] == 0 && h[7] == 0;
  };
  bool all = true;
  for (std::size_t e = 0; e < points.size() && all; ++e) all = isotropic(e);
  if (!all || points.size() < 16) return BlockSink::add_batch(k, points, H);
  Inertia& known = inertia_[static_cast<std::size_t>(batch_++) % inertia_.size()];
  double ratio = 0;
  bool same = known.shape == shape_ && known.points.size() == points.size();
  for (std::size_t e = 0; e < points.size() && same; ++e) {
    same = known.points[e] == points[e];
    if (same && known.masses[e] != 0 && ratio == 0) ratio = H[9 * e] / known.masses[e];
    same = same && std::abs(H[9 * e] - ratio * known.masses[e]) <= 1e-14 * std::abs(H[9 * e]);
  }
  if (!same) {
    known.shape = shape_, ratio = 1;
    known.points.assign(points.begin(), points.end());
    known.masses.resize(points.size());
    known.K.setZero(K_->rows(), K_->cols());
    finish();  // blocks gathered so far belong to other points
    Mat* whole = std::exchange(K_, &known.K);
    for (std::size_t e = 0; e < points.size(); ++e) known.masses[e] = H[9 * e];
    BlockSink::add_batch(k, points, H);
    finish();
    K_ = whole;
  } else {
    next_ += points.size();  // skips the plans of these points
  }
  *K_ += ratio * known.K;
}

void ElementProjection::add_coordinates(std::span<const int> coordinates, const double* H) {
  touched_.clear();
  for (const int c : coordinates)
    if (std::find(touched_.begin(), touched_.end(), c / 3) == touched_.end()) touched_.push_back(c / 3);
  const int size = 3 * static_cast<int>(touched_.size()), k = static_cast<int>(coordinates.size());
  spread_.assign(static_cast<std::size_t>(size) * size, 0.0);
  const auto place = [&](int c) {
    return 3 * static_cast<int>(std::find(touched_.begin(), touched_.end(), c / 3) - touched_.begin()) + c % 3;
  };
  for (int b = 0; b < k; ++b)
    for (int a = 0; a < k; ++a) spread_[place(coordinates[a]) + size * place(coordinates[b])] += H[a + k * b];
  add(touched_, spread_.data());
}

}  // namespace rigspace
