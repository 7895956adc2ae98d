#include "rigspace/optimize/bfgs.h"

#include "dense_kernels.h"
#include "rigspace/base/error.h"

#include <cmath>
#include <limits>
#include <utility>

namespace rigspace {

BfgsBlock::BfgsBlock(Mat initial) : B_(std::move(initial)), next_(B_), factor_(B_), Bd_(B_.rows()), r_(B_.rows()) {}

BfgsBlock BfgsBlock::identity(int size, double scale) { return BfgsBlock(scale * Mat::Identity(size, size)); }

void BfgsBlock::reset(double scale) {
  B_.setZero();
  B_.diagonal().setConstant(scale);
}

BfgsBlock::Update BfgsBlock::update(In d, In y) {
  constexpr double kSafe = 0.2;  // Powell's damping (Nocedal and Wright 18.15)
  Bd_.noalias() = B_ * d;
  const double dBd = d.dot(Bd_), yd = y.dot(d);
  // RSP prints d^T H d here; it is d^T B d.
  if (!std::isfinite(dBd) || !std::isfinite(yd) || !(dBd > std::numeric_limits<double>::min())) return Update::skipped;
  const bool damped = yd < kSafe * dBd;
  const double theta = damped ? (1 - kSafe) * dBd / (dBd - yd) : 1;
  r_ = theta * y + (1 - theta) * Bd_;
  const double rd = r_.dot(d);
  if (!(rd > 0)) return Update::skipped;
  next_ = B_;
  for (int j = 0; j < B_.cols(); ++j)
    for (int i = 0; i < B_.rows(); ++i) next_(i, j) += r_(i) * r_(j) / rd - Bd_(i) * Bd_(j) / dBd;
  // Positive definite on paper; after many damped updates rounding may say otherwise.
  factor_ = next_;
  if (!cholesky_in_place(factor_)) return Update::skipped;
  B_.swap(next_);
  return damped ? Update::damped : Update::plain;
}

void BfgsOptions::validate() const {
  search.validate();
  if (gradient_tolerance >= 0 && max_iterations >= 0) return;
  throw Error({.code = ErrorCode::usage,
               .element = "BFGS options",
               .problem = "are out of range",
               .remedy = "tolerance and iterations must not be negative"});
}

namespace {

class BfgsLine final : public LineFunction {
 public:
  BfgsLine(const DifferentiableFunction& f, const Vec& from, const Vec& direction)
      : f_(f), from_(from), direction_(direction), x(from), g(Vec::Zero(from.size())) {}

  double value(double step) override {
    x = from_ + step * direction_;
    return f_(x, g);
  }
  double slope(double) override { return g.dot(direction_); }

 private:
  const DifferentiableFunction& f_;
  const Vec& from_;
  const Vec& direction_;

 public:
  Vec x, g;  // of the step last evaluated
};

}  // namespace

Summary minimize_bfgs(const DifferentiableFunction& f, Vec& x, const BfgsOptions& options,
                      const ProgressCallback& callback) {
  options.validate();
  Summary summary;
  Vec g = Vec::Zero(x.size()), direction(x.size());
  BfgsBlock B = BfgsBlock::identity(static_cast<int>(x.size()));
  bool scaled = false;
  const auto end = [&](Termination termination, const char* reason) {
    summary.termination = termination;
    summary.reason = reason;
    return summary;
  };
  summary.value = summary.initial_value = f(x, g);
  summary.evaluations = summary.gradients = 1;
  if (!std::isfinite(summary.value)) return end(Termination::failed, "the value at the start is not finite");
  BfgsLine line(f, x, direction);
  for (;; ++summary.iterations) {
    if (!g.allFinite()) return end(Termination::failed, "the gradient is not finite");
    summary.gradient_norm = summary.term_norms = g.norm();
    if (g.size() == 0 || g.cwiseAbs().maxCoeff() <= options.gradient_tolerance)
      return end(Termination::converged, "gradient below tolerance");
    if (summary.iterations >= options.max_iterations)
      return end(Termination::out_of_iterations, "the limit of iterations is reached");
    if (wants_cancel(callback, "solving", static_cast<double>(summary.iterations) / options.max_iterations))
      return end(Termination::cancelled, "the caller asked to stop");

    Mat L = B.matrix();
    direction = -g;
    ++summary.factorizations;
    if (cholesky_in_place(L)) cholesky_solve_in_place(L, direction);
    LineSearchOptions search = options.search;
    // Nothing is known of the scale yet: let the first step be of length one at most.
    if (!scaled) search.initial_step = std::min(search.initial_step, 1 / g.norm());
    const double noise = 8 * std::numeric_limits<double>::epsilon() * std::abs(summary.value);
    const LineSearchResult found = strong_wolfe_search(line, {summary.value, g.dot(direction), noise}, search);
    summary.evaluations += found.evaluations;
    summary.gradients += found.evaluations;
    if (found.end == LineSearchEnd::failed) {
      if (!scaled) return end(Termination::stalled, "the line search found no decrease");
      B.reset(1);  // once more down the gradient before giving up
      scaled = false;
      continue;
    }
    const Vec d = line.x - x, y = line.g - g;
    if (!scaled && y.dot(d) > 0) B.reset(y.squaredNorm() / y.dot(d));  // Nocedal and Wright 6.20
    scaled = true;
    B.update(d, y);
    summary.last_step = d.lpNorm<Eigen::Infinity>();
    x = line.x;
    g = line.g;
    summary.value = found.value;
  }
}

}  // namespace rigspace
