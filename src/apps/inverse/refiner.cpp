#include "refiner.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kSlow = 0.5;               // share of the cost that a step may leave before the Jacobian is made anew
constexpr double kEase = 0.1, kRaise = 10;  // of the damping: with a new Jacobian; when a step goes up
constexpr double kLeastDamping = 1e-8, kMostDamping = 1;
constexpr double kStuck = 0.9;   // the same, of a Jacobian that each step mends
constexpr int kTries = 2;        // steps of it that may go up
constexpr double kNoise = 1e-5;  // share of the size: steps of measured rigs below this end the search
constexpr double kFar = 5e-4;    // share of the size: joints farther off than this get a new Jacobian whatever it costs

/// Steps s with an old Jacobian, mended by what the last steps did to them (Anderson 1965), in the norm of H.
class Secants {
 public:
  Vec step(const Vec& y, const Vec& s, const Vec& Hs) {
    if (y_.size() > 0) {
      dy_.push_back(y - y_), ds_.push_back(s - s_), dHs_.push_back(Hs - Hs_);
      if (dy_.size() > kMost) dy_.erase(dy_.begin()), ds_.erase(ds_.begin()), dHs_.erase(dHs_.begin());
    }
    y_ = y, s_ = s, Hs_ = Hs;
    if (dy_.empty()) return s;
    const auto n = static_cast<Eigen::Index>(dy_.size());
    Mat A(n, n);
    Vec b(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      b[i] = ds_[static_cast<std::size_t>(i)].dot(Hs);
      for (Eigen::Index j = 0; j < n; ++j)
        A(i, j) = ds_[static_cast<std::size_t>(i)].dot(dHs_[static_cast<std::size_t>(j)]);
    }
    A.diagonal() *= 1 + 1e-10;
    const Vec share = solve_ldlt(A, b);
    if (!share.allFinite()) return s;
    Vec mended = s;
    for (Eigen::Index i = 0; i < n; ++i)
      mended -= share[i] * (dy_[static_cast<std::size_t>(i)] + ds_[static_cast<std::size_t>(i)]);
    return mended;
  }
  bool used() const { return !dy_.empty(); }

 private:
  static constexpr std::size_t kMost = 4;
  Vec y_, s_, Hs_;
  std::vector<Vec> dy_, ds_, dHs_;
};

}  // namespace

Refiner::Refiner(const InverseModel::Parts& parts, const RefineOptions& options)
    : parts_(parts),
      options_(options),
      measured_(options.jacobian == JacobianSource::rig && !parts.features.rig().traits().exact_jacobian),
      scale_(1 / (parts.features.count() * parts.size * parts.size)) {
  if (options.jacobian == JacobianSource::learned && !parts.learned)
    throw Error({.code = ErrorCode::usage,
                 .element = "model",
                 .problem = "was trained without a Jacobian",
                 .remedy = "train it with learn_jacobian, or use the rig's own"});
}

double Refiner::missed(In y, In target, Vec& x, InversePose& result) const {
  parts_.features.evaluate(parts_.coordinates.pose(y), x);
  ++result.evaluations;
  return (x - target).squaredNorm() * scale_;
}

void Refiner::make_jacobian(In y, In f) {
  const PoseCoordinates& coordinates = parts_.coordinates;
  switch (options_.jacobian) {
    case JacobianSource::rig:
      parts_.features.jacobian(coordinates.pose(y), coordinates.chosen(), blocks_);
      for (std::size_t e = 0; e < blocks_.column.size(); ++e)
        blocks_.value.col(static_cast<Eigen::Index>(e)) *= coordinates.typical()[blocks_.column[e]];
      return add_products();
    case JacobianSource::differences:
      J_ = parts_.features.jacobian_by_differences(coordinates.pose(y), coordinates.chosen());
      break;
    case JacobianSource::learned: J_ = parts_.learned->predict(parts_.regression.basis(f)); break;
  }
  if (options_.jacobian != JacobianSource::learned) J_ *= coordinates.typical().asDiagonal();
  JtJ_.setZero(J_.cols(), J_.cols());
  JtJ_.selfadjointView<Eigen::Lower>().rankUpdate(J_.transpose(), scale_);
}

void Refiner::add_products() {
  JtJ_.setZero(blocks_.columns, blocks_.columns);
  for (int i = 0; i < blocks_.points(); ++i)
    for (int b = blocks_.start[i]; b < blocks_.start[i + 1]; ++b) {
      const Vec3 v = scale_ * blocks_.value.col(b);
      double* into = JtJ_.col(blocks_.column[b]).data();
      for (int a = b; a < blocks_.start[i + 1]; ++a) into[blocks_.column[a]] += v.dot(blocks_.value.col(a));
    }
}

void Refiner::mend(const Vec& dy, const Vec& dx) {
  const double most = dy.squaredNorm();
  // Below this the noise of the rig would be learned.
  if (dx.norm() < 20 * parts_.features.rig().traits().noise * std::sqrt(static_cast<double>(dx.size()))) return;
  for (int i = 0; i < blocks_.points(); ++i) {
    Vec3 left = dx.segment<3>(3 * i);
    double along = 0;
    for (int e = blocks_.start[i]; e < blocks_.start[i + 1]; ++e) {
      const double d = dy[blocks_.column[e]];
      left -= d * blocks_.value.col(e), along += d * d;
    }
    if (along < 1e-6 * most) continue;
    for (int e = blocks_.start[i]; e < blocks_.start[i + 1]; ++e)
      blocks_.value.col(e) += dy[blocks_.column[e]] / along * left;
  }
  add_products();
  make_factor();
}

void Refiner::make_factor() {
  factor_.compute(JtJ_ + (weight_ + damping_) * parts_.precision);
  columns_.assign(static_cast<std::size_t>(JtJ_.cols()), Vec());
}

const Vec& Refiner::column(int k) const {
  Vec& kept = columns_[static_cast<std::size_t>(k)];
  if (kept.size() == 0) kept = factor_.solve(Vec::Unit(JtJ_.cols(), k));
  return kept;
}

Vec Refiner::pulled(In r) const {
  if (options_.jacobian != JacobianSource::rig) return J_.transpose() * r;
  Vec g;
  blocks_.pull(r, g);
  return g;
}

Vec Refiner::bounded_step(const Vec& y, const Vec& g, Vec& Hs) const {
  constexpr int kRounds = 6;
  const Vec free = -factor_.solve(g), &low = parts_.coordinates.lower(), &high = parts_.coordinates.upper();
  Vec step = free;
  Hs = -g;
  if (!options_.keep_limits) return step;
  // Coordinates that would pass a limit stop there, and the others make up for it:  step = free + H^-1 E l, E^T step =
  // b.
  std::vector<int> stopped;
  Mat columns;  // of H^-1
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t known = stopped.size();
    for (int k = 0; k < static_cast<int>(y.size()); ++k)
      if (y[k] + step[k] < low[k] - 1e-9 || y[k] + step[k] > high[k] + 1e-9)
        if (std::ranges::find(stopped, k) == stopped.end()) stopped.push_back(k);
    if (stopped.size() == known) break;
    const auto n = static_cast<Eigen::Index>(stopped.size());
    columns.conservativeResize(y.size(), n);
    for (auto j = static_cast<Eigen::Index>(known); j < n; ++j)
      columns.col(j) = column(stopped[static_cast<std::size_t>(j)]);
    Mat A(n, n);
    Vec b(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const int k = stopped[static_cast<std::size_t>(i)];
      A.row(i) = columns.row(k);
      b[i] = std::clamp(y[k] + free[k], low[k], high[k]) - y[k] - free[k];
    }
    const Vec l = solve_ldlt(A, b);
    step = free + columns * l;
    Hs = -g;
    for (Eigen::Index i = 0; i < n; ++i) Hs[stopped[static_cast<std::size_t>(i)]] += l[i];
  }
  return step;
}

void Refiner::run(In f, In target, const InversePose* before, InversePose& result) {
  const PoseCoordinates& coordinates = parts_.coordinates;
  const auto within = [&](const Vec& y) -> Vec {
    return options_.keep_limits ? Vec(y.cwiseMax(coordinates.lower()).cwiseMin(coordinates.upper())) : y;
  };
  const double share = 1 / static_cast<double>(result.predicted.size());
  const double smooth = before != nullptr ? options_.smoothness * share : 0, weight = options_.prior * share + smooth;
  Vec centre = result.predicted;
  if (smooth > 0) centre += smooth / weight * (before->y - result.predicted);
  const auto held = [&](const Vec& y) -> Vec { return weight * (parts_.precision * (y - centre)); };
  Vec y = result.predicted, x, x_next;
  double misses = missed(y, target, x, result);
  // The next frame's prediction is off by about as much as this one's was.
  if (before != nullptr && options_.max_iterations > 0 && before->predicted.size() == y.size()) {
    const Vec carried = within(y + before->y - before->predicted);
    const double misses_carried = missed(carried, target, x_next, result);
    ++result.iterations;
    if (misses_carried < misses) y = carried, misses = misses_carried, x.swap(x_next);
  }
  // Far from all examples the frame before, or the rest pose, may be a better start than a guess.
  if (result.guessed && options_.max_iterations > 0) {
    std::vector<Vec> starts{Vec::Zero(y.size())};
    if (before != nullptr && before->y.size() == y.size()) starts.push_back(before->y);
    for (const Vec& start : starts) {
      const double misses_there = missed(start, target, x_next, result);
      if (misses_there < misses) y = start, misses = misses_there, x.swap(x_next);
    }
  }
  Vec pull = held(y);
  double cost = misses + (y - centre).dot(pull);
  bool fresh = false, anew = !known_ || options_.jacobian == JacobianSource::learned;
  if (weight_ != weight && !anew) weight_ = weight, make_factor();
  weight_ = weight;
  result.converged = options_.max_iterations == 0;
  Secants secants;
  int failed = 0;  // steps that went up, since the Jacobian was made
  Vec Hs;
  const int most_jacobians = before != nullptr ? options_.max_jacobians : options_.max_iterations;
  const double slow = measured_ ? kStuck : kSlow;
  const double tolerance = measured_ ? std::max(options_.tolerance, kNoise) : options_.tolerance;
  while (result.iterations < options_.max_iterations && !result.converged) {
    if (anew) {
      make_jacobian(y, f);
      ++result.jacobians, known_ = true;
      damping_ = std::max(kEase * damping_, kLeastDamping);
      make_factor();
      fresh = true, anew = false;
      secants = {};
    }
    const Vec step = bounded_step(y, scale_ * pulled(x - target) + pull, Hs);
    const Vec next = within(y + secants.step(y, step, Hs));
    const double misses_next = missed(next, target, x_next, result);
    const Vec pull_next = held(next);
    const double cost_next = misses_next + (next - centre).dot(pull_next);
    const double moved = (x_next - x).norm() * std::sqrt(scale_);
    // Where a Jacobian is dear, what is near enough is left to steps with the one that there is.
    const bool may_renew = options_.jacobian != JacobianSource::learned &&
                           (measured_ ? result.jacobians < most_jacobians && misses > kFar * kFar
                                      : result.jacobians < most_jacobians || misses > kFar * kFar);
    ++result.iterations;
    const Vec dy = next - y, dx = x_next - x;
    const double cost_before = cost;
    if (cost_next < cost) {
      result.converged = moved < tolerance && (fresh || cost_next < slow * cost);
      anew = !result.converged && may_renew && cost_next > slow * cost;
      if (moved < tolerance && !anew) result.converged = true;
      fresh = options_.jacobian == JacobianSource::learned;
      y = next, x.swap(x_next), misses = misses_next, pull = pull_next, cost = cost_next;
    } else if (secants.used()) {
      secants = {};
    } else if (!fresh && may_renew && (!measured_ || ++failed > kTries)) {
      anew = true, failed = 0;
    } else if (moved < tolerance || damping_ > kMostDamping) {
      result.converged = true;  // no step goes down from here
    } else {
      damping_ = std::max(kRaise * damping_, kRaise * weight_);
      make_factor();
    }
    if (!measured_ || anew || result.converged) continue;
    if (cost_next < cost_before) damping_ = std::max(kEase * damping_, kLeastDamping);
    mend(dy, dx), secants = {};
  }
  result.y = y;
  result.joint_error = std::sqrt(misses);
}

}  // namespace rigspace
