#include "rigspace/body/element_projection.h"

#include "rigspace/base/wide.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace rigspace {

void ElementProjection::set_rows(const BlockJacobian& J, long pattern, long shape) {
  J_ = &J;
  if (pattern != pattern_) plans_.clear(), first_over_.clear(), ++version_;
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
  ++version_;
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

/// K(columns, columns) += J^T (H J) for controls b .. b + 3 against c .. c + 4 Strips - 1, in the lower triangle. One
/// product alone would wait for the one before it: Strips chains of them run side by side, each summed in the order of
/// r.
template <int Rows, int Strips>
void project_tiles(const double* J, const double* HJ, std::span<const int> columns, int stride, int b, int c, Mat& K) {
  Lanes tile[kLanes][Strips];
  for (int k = 0; k < kLanes; ++k)
    for (int s = 0; s < Strips; ++s) tile[k][s] = HJ[b + k] * lanes(J + c + kLanes * s);
  for (int r = 1; r < Rows; ++r) {
    const double* j = J + r * stride + c;
    const double* h = HJ + r * stride + b;
    for (int k = 0; k < kLanes; ++k)
      for (int s = 0; s < Strips; ++s) tile[k][s] += h[k] * lanes(j + kLanes * s);
  }
  const int count = static_cast<int>(columns.size());
  for (int s = 0; s < Strips; ++s) {
    const int from = c + kLanes * s;
    const int* at = columns.data() + from;
    const bool whole = from > b && from + kLanes <= count;  // below the diagonal, without padding
    const bool adjacent = whole && at[kLanes - 1] - at[0] == kLanes - 1;
    for (int k = 0; k < kLanes && b + k < count; ++k) {
      double* column = K.data() + K.rows() * columns[b + k];
      if (adjacent)
        lanes(column + at[0]) += tile[k][s];
      else if (whole)
        for (int l = 0; l < kLanes; ++l) column[at[l]] += tile[k][s][l];
      else
        for (int l = std::max(0, b + k - from); l < kLanes && from + l < count; ++l) column[at[l]] += tile[k][s][l];
    }
  }
}

/// K(columns, columns) += J^T (H J) in the lower triangle. J and HJ are Rows x stride, row-major, where stride is a
/// multiple of kLanes. First H J by strips of kLanes columns, each kept in registers, then J^T (H J) by tiles of 4 x 4
/// controls, up to three at a time.
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
    int c = b;
    for (; c + 3 * kLanes <= stride; c += 3 * kLanes) project_tiles<Rows, 3>(J, HJ, columns, stride, b, c, K);
    if (c + 2 * kLanes <= stride) project_tiles<Rows, 2>(J, HJ, columns, stride, b, c, K), c += 2 * kLanes;
    if (c < stride) project_tiles<Rows, 1>(J, HJ, columns, stride, b, c, K);
  }
}

template <int Rows>
void project_element(const double* H, const double* J, double* HJ, std::span<const int> columns, int stride, Mat& K) {
  widest([&] { project<Rows>(H, J, HJ, columns, stride, K); });
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
  if (waiting_.empty()) return;
  // Where inertia is kept, the list of blocks varies from call to call, and real time, which keeps it, may not
  // allocate.
  const NodePairs* pairs = keep_inertia_ ? nullptr : &node_pairs();
  if (pairs && pairs->cheaper)
    project_now(*pairs);
  else
    for (const int k : waiting_) project_now(plans_[k]);
  waiting_.clear();
}

ElementProjection::NodePairs& ElementProjection::node_pairs() {
  for (NodePairs& known : pairs_)
    if (known.version == version_ && known.plans == waiting_) return known;
  NodePairs& pairs = pairs_[oldest_pairs_++ % pairs_.size()];
  pairs = {};
  pairs.plans = waiting_;
  pairs.version = version_;
  find_node_pairs(pairs);
  return pairs;
}

void ElementProjection::find_node_pairs(NodePairs& pairs) const {
  const auto sort_unique = [](std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  double by_element = 0;  // products of two numbers
  for (const int k : pairs.plans) {
    const Plan& plan = plans_[k];
    pairs.columns.insert(pairs.columns.end(), plan.columns.begin(), plan.columns.end());
    for (const int row : plan.rows)
      if (row >= 0) pairs.rows.push_back(row);
    const double n = 3.0 * static_cast<double>(plan.points.size()), c = static_cast<double>(plan.columns.size());
    by_element += n * n * c + 0.5 * n * c * c;
  }
  sort_unique(pairs.columns), sort_unique(pairs.rows);
  const auto columns = static_cast<double>(pairs.columns.size()), rows = static_cast<double>(pairs.rows.size());
  const auto by_node = [&](double count) { return 9 * count * columns + 3 * rows * columns * columns; };
  if (by_node(rows) >= by_element) return;

  std::map<std::pair<int, int>, int> found;  // the later row and the other one: the number of the pair
  const auto place_of = [&](int row) {
    return static_cast<int>(std::lower_bound(pairs.rows.begin(), pairs.rows.end(), row) - pairs.rows.begin());
  };
  const auto each_two = [&](const auto& visit) {
    for (const int k : pairs.plans)
      for (const int b : plans_[k].rows)
        for (const int a : plans_[k].rows) visit(a, b);
  };
  each_two([&](int a, int b) {
    if (b >= 0 && a >= b) found.emplace(std::pair(place_of(a), place_of(b)), 0);
  });
  pairs.cheaper = by_node(static_cast<double>(found.size())) < by_element;
  if (!pairs.cheaper) return;
  for (const int row : pairs.rows)
    for (int e = J_->start[row]; e < J_->start[row + 1]; ++e)
      pairs.entries.push_back(static_cast<int>(
          std::lower_bound(pairs.columns.begin(), pairs.columns.end(), J_->column[e]) - pairs.columns.begin()));
  for (auto& [two, number] : found) {
    number = static_cast<int>(pairs.partner.size());
    while (static_cast<int>(pairs.start.size()) <= two.first) pairs.start.push_back(number);
    pairs.partner.push_back(two.second);
  }
  while (pairs.start.size() <= pairs.rows.size()) pairs.start.push_back(static_cast<int>(pairs.partner.size()));
  each_two([&](int a, int b) {
    pairs.place.push_back(b >= 0 && a >= b ? found.at(std::pair(place_of(a), place_of(b))) : -1);
  });
}

namespace {

/// Of one thread: a crowd has one projection per body, and none needs them for long.
struct PairScratch {
  std::vector<double> H, J, HJ, K;
};

/// HJ = (sum of the pairs of a row) H_pair J_partner, for kLanes * Strips columns from c on; three rows of numbers
/// each.
template <int Strips>
void multiply_pairs(std::span<const int> partners, const double* H, const double* J, double* HJ, int stride, int c) {
  Lanes sum[3][Strips];
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < Strips; ++s) sum[r][s] = Lanes{};
  for (const int partner : partners) {
    const double* from = J + static_cast<std::ptrdiff_t>(3 * partner) * stride + c;
    for (int k = 0; k < 3; ++k, from += stride)
      for (int s = 0; s < Strips; ++s)
        for (int r = 0; r < 3; ++r) sum[r][s] += H[r + 3 * k] * lanes(from + kLanes * s);
    H += 9;
  }
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < Strips; ++s) lanes(HJ + r * stride + c + kLanes * s) = sum[r][s];
}

/// K(b .. b + 3, c .. c + 4 Strips - 1) = J^T HJ over all rows of numbers; K is row-major.
template <int Strips>
void multiply_columns(const double* J, const double* HJ, int rows, int stride, int b, int c, double* K) {
  Lanes tile[kLanes][Strips];
  for (int k = 0; k < kLanes; ++k)
    for (int s = 0; s < Strips; ++s) tile[k][s] = Lanes{};
  for (int r = 0; r < rows; ++r, J += stride, HJ += stride)
    for (int k = 0; k < kLanes; ++k)
      for (int s = 0; s < Strips; ++s) tile[k][s] += J[b + k] * lanes(HJ + c + kLanes * s);
  for (int k = 0; k < kLanes; ++k)
    for (int s = 0; s < Strips; ++s) lanes(K + (b + k) * stride + c + kLanes * s) = tile[k][s];
}

/// Calls visit with 3, 2 or 1 strips and the first column of each, until all `stride` columns have been visited.
template <class Visit>
void each_strips(int stride, const Visit& visit) {
  int c = 0;
  for (; c + 3 * kLanes <= stride; c += 3 * kLanes) visit(std::integral_constant<int, 3>(), c);
  if (c + 2 * kLanes <= stride) visit(std::integral_constant<int, 2>(), c), c += 2 * kLanes;
  if (c < stride) visit(std::integral_constant<int, 1>(), c);
}

}  // namespace

/// With L the blocks of pairs of different nodes, each once, and D those of the nodes themselves, H = L + L^T + D, and
/// J^T H J = A + A^T with A = J^T (L + D / 2) J.
void ElementProjection::project_now(const NodePairs& pairs) {
  static thread_local PairScratch scratch;
  const int count = static_cast<int>(pairs.columns.size()), stride = (count + kLanes - 1) & ~(kLanes - 1);
  const int rows = 3 * static_cast<int>(pairs.rows.size());
  scratch.H.assign(9 * pairs.partner.size(), 0.0);
  const int* place = pairs.place.data();
  for (const int k : pairs.plans) {
    Plan& plan = plans_[k];
    plan.pending = false;
    const std::size_t points = plan.points.size();
    for (std::size_t b = 0; b < points; ++b)
      for (std::size_t a = 0; a < points; ++a, ++place) {
        if (*place < 0) continue;
        const double *from = &plan.H[3 * a + 9 * points * b], weight = plan.rows[a] == plan.rows[b] ? 0.5 : 1;
        double* to = &scratch.H[9 * static_cast<std::size_t>(*place)];
        for (int s = 0; s < 3; ++s, from += 3 * points, to += 3)
          to[0] += weight * from[0], to[1] += weight * from[1], to[2] += weight * from[2];
      }
  }
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride);
  scratch.J.assign(size, 0.0), scratch.HJ.resize(size);
  scratch.K.resize(static_cast<std::size_t>(stride) * static_cast<std::size_t>(stride));
  const int* entry = pairs.entries.data();
  for (std::size_t i = 0; i < pairs.rows.size(); ++i) {
    double* x = &scratch.J[3 * i * static_cast<std::size_t>(stride)];
    for (int e = J_->start[pairs.rows[i]]; e < J_->start[pairs.rows[i] + 1]; ++e, ++entry) {
      const double* from = J_->value.data() + 3 * static_cast<std::ptrdiff_t>(e);
      double* to = x + *entry;
      to[0] += from[0], to[stride] += from[1], to[2 * stride] += from[2];
    }
  }
  PairScratch& own = scratch;  // thread_local: looked up once
  widest([&] {
    for (std::size_t i = 0; i < pairs.rows.size(); ++i) {
      const int first = pairs.start[i];
      const std::span<const int> partners(&pairs.partner[first], pairs.start[i + 1] - first);
      each_strips(stride, [&](auto strips, int c) {
        multiply_pairs<strips>(partners, &own.H[9 * static_cast<std::size_t>(first)], own.J.data(),
                               &own.HJ[3 * i * static_cast<std::size_t>(stride)], stride, c);
      });
    }
    for (int b = 0; b < count; b += kLanes)
      each_strips(stride, [&](auto strips, int c) {
        multiply_columns<strips>(own.J.data(), own.HJ.data(), rows, stride, b, c, own.K.data());
      });
  });
  const double* A = scratch.K.data();
  for (int b = 0; b < count; ++b)
    for (int a = b; a < count; ++a) (*K_)(pairs.columns[a], pairs.columns[b]) += A[a * stride + b] + A[b * stride + a];
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
    case 3: return project_element<3>(p.H.data(), Je_.data(), HJ_.data(), p.columns, stride, *K_);
    case 6: return project_element<6>(p.H.data(), Je_.data(), HJ_.data(), p.columns, stride, *K_);
    case 9: return project_element<9>(p.H.data(), Je_.data(), HJ_.data(), p.columns, stride, *K_);
    case 12: return project_element<12>(p.H.data(), Je_.data(), HJ_.data(), p.columns, stride, *K_);
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
