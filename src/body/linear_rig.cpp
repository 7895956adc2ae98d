#include "rigspace/body/linear_rig.h"

#include "rig_predictor.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/region_frames.h"
#include "rigspace/rig/block_rows.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
void LinearRigOptions::validate() const {
  require_option(tolerance > 0, "tolerance of the rig's Jacobian", tolerance, "expected a number above 0");
  require_option(floor >= 0, "floor of the rig's Jacobian", floor, "expected at least 0");
  require_option(frames >= 0, "number of frames", frames, "expected at least 0");
  require_option(most_steps >= 1, "steps that a Jacobian serves", most_steps, "expected at least 1");
  require_option(most_unevaluated_steps >= 0, "steps that end without an evaluation", most_unevaluated_steps,
                 "expected at least 0");
}

LinearRigOptions black_box_jacobian() {
  return {.broyden = true, .tolerance = 0.02, .most_steps = 1200, .few_evaluations = true, .remember_jacobians = true};
}

LinearRig::LinearRig(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options, BlockJacobian response)
    : rig_(map.rig),
      workspace_(map.rig->make_workspace()),
      free_(map.free),
      bound_(map.bound),
      ties_(map.ties),
      options_(options),
      response_(std::move(response)) {
  options_.validate();
  const auto n = static_cast<Eigen::Index>(bound_.size());
  key_.resize(3 * n);
  for (Eigen::Index k = 0; k < n; ++k) key_.segment<3>(3 * k) = point(x_rest, bound_[k]);
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  if (n > 0) {
    const Eigen::Map<const Eigen::Matrix3Xd> points(key_.data(), 3, n);
    low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
  }
  size_ = std::max((high - low).norm(), 1e-12);
  if (options_.most_unevaluated_steps > 0)  // noise is not what was missed
    options_.floor = std::max(options_.floor, 4 * rig_->traits().noise / (options_.tolerance * size_));
  frames_ = std::make_unique<RegionFrames>(key_, options_.frames);
  masses_ = Vec::Ones(n);
  typical_.resize(static_cast<Eigen::Index>(free_.size()));
  for (std::size_t c = 0; c < free_.size(); ++c)
    typical_[static_cast<Eigen::Index>(c)] = std::max(1e-12, rig_->controls()[free_[c]].typical);
  mark_.assign(free_.size(), -1);
  row_.resize(3 * typical_.size());
  if (rig_->traits().exact_jacobian) {  // places of its entries are the same everywhere: found now, not in a first step
    rig_->jacobian(*workspace_, rig_->rest(), free_, point_J_);
    find_places();
  }
  if (!options_.few_evaluations) return;
  predictor_ = std::make_unique<RigPredictor>(key_);
  if (options_.remember_jacobians) predictor_->known.emplace(key_);
}

LinearRig::~LinearRig() = default;

void LinearRig::restart() {
  has_last_ = false;
  if (predictor_) predictor_->forget();
}

void LinearRig::set_masses(In masses) {
  for (std::size_t k = 0; k < bound_.size(); ++k) masses_[static_cast<Eigen::Index>(k)] = masses[bound_[k]];
}

/// B s(p), and beside it the response to how far the free controls are from the keyed pose, in the frames of now.
void LinearRig::nodes_at(In p, Vec& y) {
  rig_->evaluate(*workspace_, p, s_);
  ++counts_.evaluations;
  carry_points(s_, p, y);
}

/// The same of points that are known.
void LinearRig::carry_points(In s, In p, Vec& y) const {
  y.resize(3 * static_cast<Eigen::Index>(bound_.size()));
  repeated_way(p, p_key_);
  for (std::size_t k = 0; k < bound_.size(); ++k) {
    Vec3 node = ties_.row(static_cast<int>(k), s);
    if (!response_.start.empty()) {
      Vec3 moved = row_times(response_, static_cast<int>(k), way_.data());
      if (offset_.size() > 0) moved += point(offset_, static_cast<int>(k));
      node += frames_->of(static_cast<Eigen::Index>(k)) * moved;
    }
    y.segment<3>(3 * static_cast<Eigen::Index>(k)) = node;
  }
}

/// What bound node k is away from B s(p) by its response; there must be one.
Vec3 LinearRig::beside(In p, std::size_t k) const {
  Vec3 sum = offset_.size() > 0 ? Vec3(point(offset_, static_cast<int>(k))) : Vec3::Zero();
  for (int e = response_.start[k]; e < response_.start[k + 1]; ++e) {
    const int control = free_[response_.column[e]];
    sum += (p[control] - p_key_[control]) * response_.value.col(e);
  }
  return frames_->of(static_cast<Eigen::Index>(k)) * sum;
}

void LinearRig::turn(In x_key) {
  const auto n = static_cast<Eigen::Index>(bound_.size());
  for (Eigen::Index k = 0; k < n; ++k) key_.segment<3>(3 * k) = point(x_key, bound_[k]);
  frames_->turn(key_);
  if (has_J_) turn_rows();
}

void LinearRig::turn_rows() {
  turned_ = false;
  ++version_;
}

const BlockJacobian& LinearRig::J() const {
  if (turned_) return J_;
  turned_ = true;
  if (J_.start != reference_.start || J_.column != reference_.column) J_ = reference_;
  for (std::size_t k = 0; k < bound_.size() && has_J_; ++k)
    for (int e = J_.start[k]; e < J_.start[k + 1]; ++e)
      J_.value.col(e).noalias() = frame_of_row(static_cast<Eigen::Index>(k)) * reference_.value.col(e);
  return J_;
}

void LinearRig::place(In p, In p_key, In x_key, Vec& y) {
  p_key_ = p_key;
  turn(x_key);
  nodes_at(p, y);
}

void LinearRig::begin(In p, In p_key, In x_key) {
  if (predictor_) return begin(p, p_key, x_key, x_key);
  p_ = p, p_key_ = p_key;
  turn(x_key);
  nodes_at(p, y0_);
  if (!has_J_ || !options_.deferred || age_ >= options_.most_steps) return evaluate_jacobian();
  if (!has_last_) return;
  // Where the free controls of the last state would be among the keyed ones of now: what is left is their own way.
  p_stay_ = p;
  for (const int c : free_) p_stay_[c] = p_last_[c];
  if (!options_.predict) return at(p_stay_, y_stay_);
  nodes_at(p_stay_, y_stay_);
  at(p_stay_, y_linear_);
  if (missed(y_linear_, y_stay_, y0_) <= options_.tolerance) {
    if (options_.broyden) learn(p_, y0_, p_stay_, y_stay_);
    return;
  }
  ++counts_.predicted;
  evaluate_jacobian();
}

void LinearRig::renew() {
  if (predictor_) return renew_frugal();
  ++counts_.rollbacks;
  evaluate_jacobian();
}

void LinearRig::evaluate_jacobian() {
  rig_->jacobian(*workspace_, p_, free_, point_J_);
  ++counts_.jacobians;
  if (const Traits traits = rig_->traits(); !traits.exact_jacobian)
    counts_.evaluations += 2 * static_cast<long>(free_.size()) + (traits.noise > 0 ? 1 : 0);
  place_rows();
  if (predictor_ && predictor_->known) predictor_->known->add(shape_at(y0_), reference_);
}

/// Rows of J for the bound nodes of that of the rig's points.
void LinearRig::place_rows() {
  BlockJacobian& J = reference_;
  start_before_ = J.start, column_before_ = J.column;
  J.columns = static_cast<int>(free_.size());
  if (point_J_.start != asked_start_ || point_J_.column != asked_column_) find_places();
  J.start = found_start_, J.column = found_column_;
  J.value.resize(3, std::ssize(J.column));
  for (std::size_t k = 0; k < bound_.size(); ++k) {
    if (predictor_ && predictor_->taught) row_.setZero();
    for (int e = J.start[k]; e < J.start[k + 1]; ++e) row_.segment<3>(3 * J.column[e]).setZero();
    ties_.for_each(static_cast<int>(k), [&](int point, double weight) { add_scaled(point_J_, point, weight, row_); });
    const Mat3 back = frame_of_row(static_cast<Eigen::Index>(k)).transpose();
    for (int e = J.start[k]; e < J.start[k + 1]; ++e)
      row_.segment<3>(3 * J.column[e]) = (back * row_.segment<3>(3 * J.column[e])).eval();
    if (!response_.start.empty())
      for (int e = response_.start[k]; e < response_.start[k + 1]; ++e)
        row_.segment<3>(3 * response_.column[e]) +=
            predictor_ ? Vec3(back * frames_->of(static_cast<Eigen::Index>(k)) * response_.value.col(e))
                       : Vec3(response_.value.col(e));
    for (int e = J.start[k]; e < J.start[k + 1]; ++e) J.value.col(e) = row_.segment<3>(3 * J.column[e]);
  }
  if (J.start != start_before_ || J.column != column_before_) ++pattern_;
  turn_rows();
  ++shape_;
  has_J_ = true;
  age_ = 0;
}

/// The columns of each row: of the points that its node is tied to, and of its response.
void LinearRig::find_places() {
  asked_start_ = point_J_.start, asked_column_ = point_J_.column;
  found_start_.assign(1, 0);
  found_column_.clear();
  for (std::size_t k = 0; k < bound_.size(); ++k) {
    columns_.clear();
    const auto take = [&](const BlockJacobian& J, int row) {
      for (int e = J.start[row]; e < J.start[row + 1]; ++e)
        if (mark_[J.column[e]] != static_cast<int>(k))
          mark_[J.column[e]] = static_cast<int>(k), columns_.push_back(J.column[e]);
    };
    for (const int point : ties_.points_of(static_cast<int>(k))) take(point_J_, point);
    if (!response_.start.empty()) take(response_, static_cast<int>(k));
    if (predictor_ && predictor_->taught) {  // places stay what they are
      const JacobianModel& taught = *predictor_->taught;
      columns_.assign(taught.column().begin() + taught.start()[k], taught.column().begin() + taught.start()[k + 1]);
    }
    std::sort(columns_.begin(), columns_.end());
    found_column_.insert(found_column_.end(), columns_.begin(), columns_.end());
    found_start_.push_back(static_cast<int>(found_column_.size()));
  }
  std::fill(mark_.begin(), mark_.end(), -1);
}

void LinearRig::at(In p, Vec& y) const {
  y = y0_;
  const Vec& d = repeated_way(p, p_);
  for (int k = 0; k + 1 < static_cast<int>(reference_.start.size()); ++k)
    y.segment<3>(3 * static_cast<Eigen::Index>(k)) += frame_of_row(k) * row_times(reference_, k, d.data());
}

template <int N>
void LinearRig::pull_some(const Vec* g, Vec* g_q) const {
  const Eigen::Index m = std::ssize(free_);
  gathered_.setZero(9 * m);
  double* to[N];
  for (int j = 0; j < N; ++j) to[j] = gathered_.data() + 3 * j * m;
  for (int k = 0; k + 1 < static_cast<int>(reference_.start.size()); ++k) {
    const Mat3 back = frame_of_row(k).transpose();
    Vec3 turned[N];
    for (int j = 0; j < N; ++j) turned[j] = back * point(g[j], bound_[k]);
    add_transposed<N>(reference_, k, turned, to);
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

/// p - from of the free controls, each three times.
const Vec& LinearRig::repeated_way(In p, In from) const {
  way_.resize(3 * static_cast<Eigen::Index>(free_.size()));
  for (std::size_t c = 0; c < free_.size(); ++c)
    way_.segment<3>(3 * static_cast<Eigen::Index>(c)).setConstant(p[free_[c]] - from[free_[c]]);
  return way_;
}

/// The square root of (4.13) over the kinetic energy of the same step: with 1/(2 h^2) in both, which is what (4.13)
/// should have, the step cancels. The way is that of the free controls alone: a walk across the room is none.
double LinearRig::missed(In y_linear, In y_true, In y_from) const {
  double miss = 0, way = 0, mass = 0;
  for (Eigen::Index k = 0; k < masses_.size(); ++k) {
    miss += masses_[k] * (y_linear.segment<3>(3 * k) - y_true.segment<3>(3 * k)).squaredNorm();
    way += masses_[k] * (y_true.segment<3>(3 * k) - y_from.segment<3>(3 * k)).squaredNorm();
    mass += masses_[k];
  }
  const double floor = std::pow(options_.floor * size_, 2) * mass;
  return mass > 0 ? std::sqrt(miss / std::max(way, std::max(floor, 1e-300))) : 0;
}

/// The same of sums of squares.
double LinearRig::share_of_way(double miss, double way) const {
  const double mass = masses_.sum(), floor = std::pow(options_.floor * size_, 2) * mass;
  return mass > 0 ? std::sqrt(miss / std::max(way, std::max(floor, 1e-300))) : 0;
}

bool LinearRig::check_linearisation(In p, Vec& y) {
  if (predictor_ && take_unseen(p)) {
    y = y_;
    return true;
  }
  nodes_at(p, y_);
  y = y_;
  if (predictor_) return check_few_evaluations(p);
  if (age_ == 0 || !has_last_) return true;  // J is of this very step: a newer one would be the same
  at(p, y_linear_);
  return missed(y_linear_, y_, y_stay_) <= options_.tolerance;
}

void LinearRig::accept(In p) {
  if (!predictor_ && options_.broyden && age_ > 0) learn(p_, y0_, p, y_);
  if (predictor_) accept_frugal(p);
  p_last_ = p;
  has_last_ = true;
  ++age_;
}

/// Broyden's update, row by row over the controls that the row has (Schubert 1970), in units of each control's typical
/// change, so that J leads from where the rig truly is at p_from to where it is at p:
///   J += (y - y_from - J d) d^T / |d|^2,  d = p - p_from.
void LinearRig::learn(In p_from, In y_from, In p, In y) {
  J();  // in the frames of now
  for (std::size_t k = 0; k + 1 < J_.start.size(); ++k) {
    double norm = 0;
    Vec3 miss = point(y, static_cast<int>(k)) - point(y_from, static_cast<int>(k));
    for (int e = J_.start[k]; e < J_.start[k + 1]; ++e) {
      const int c = J_.column[e];
      const double d = p[free_[c]] - p_from[free_[c]];
      norm += std::pow(d / typical_[c], 2);
      miss -= d * J_.value.col(e);
    }
    if (norm < 1e-10) continue;  // too short a way to learn from
    const Mat3 back = frame_of_row(static_cast<Eigen::Index>(k)).transpose();
    for (int e = J_.start[k]; e < J_.start[k + 1]; ++e) {
      const int c = J_.column[e];
      J_.value.col(e) += miss * ((p[free_[c]] - p_from[free_[c]]) / (typical_[c] * typical_[c] * norm));
      reference_.value.col(e) = back * J_.value.col(e);
    }
  }
  ++version_, ++shape_;
}

std::vector<Vec> LinearRig::saved_state() const {
  Vec flags(3), start(std::ssize(reference_.start)), column(std::ssize(reference_.column));
  flags << (has_J_ ? 1 : 0), (has_last_ ? 1 : 0), age_;
  for (Eigen::Index i = 0; i < start.size(); ++i) start[i] = reference_.start[i];
  for (Eigen::Index i = 0; i < column.size(); ++i) column[i] = reference_.column[i];
  std::vector<Vec> all{flags, start, column,
                       Vec(Eigen::Map<const Vec>(reference_.value.data(), reference_.value.size())), p_last_};
  if (predictor_) all.push_back(predictor_->saved_state());
  if (predictor_ && predictor_->known) all.push_back(predictor_->known->saved_state());
  if (predictor_ && predictor_->taught) all.push_back(predictor_->told.reshaped());
  return all;
}

void LinearRig::restore(std::span<const Vec> state) {
  has_J_ = state[0][0] != 0, has_last_ = state[0][1] != 0, age_ = static_cast<int>(state[0][2]);
  reference_.columns = static_cast<int>(free_.size());
  reference_.start.assign(state[1].begin(), state[1].end());
  reference_.column.assign(state[2].begin(), state[2].end());
  reference_.value = Eigen::Map<const Eigen::Matrix3Xd>(state[3].data(), 3, state[3].size() / 3);
  p_last_ = state[4];
  if (predictor_) predictor_->restore(state[5]);
  if (predictor_ && predictor_->known) predictor_->known->restore(state[6]);
  if (predictor_ && predictor_->taught)
    predictor_->told = Eigen::Map<const Eigen::Matrix3Xd>(state.back().data(), 3, state.back().size() / 3);
  turned_ = false;
  ++version_, ++pattern_, ++shape_;
}

}  // namespace rigspace
