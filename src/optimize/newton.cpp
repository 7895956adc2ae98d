#include "rigspace/optimize/newton.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace rigspace {

struct NewtonWorkspace::Data {
  std::uint64_t identity = 0;  // of the objective that the memory fits
  ObjectiveState state;
  std::unique_ptr<System> system;
  Vec x, x_trial, q_trial;
  Vec g, g_trial, direction, right_side, scaling;
  std::vector<char> fixed;
  double shift = 0;       // the last one that was needed
  bool factored = false;  // the system holds a factor without a shift
};

NewtonWorkspace::NewtonWorkspace() : data_(std::make_unique<Data>()) {}
NewtonWorkspace::~NewtonWorkspace() = default;
NewtonWorkspace::NewtonWorkspace(NewtonWorkspace&&) noexcept = default;
NewtonWorkspace& NewtonWorkspace::operator=(NewtonWorkspace&&) noexcept = default;
void NewtonWorkspace::forget() { data_->shift = 0, data_->factored = false; }
const Vec& NewtonWorkspace::x() const { return data_->x; }
ObjectiveState& NewtonWorkspace::state() { return data_->state; }
System* NewtonWorkspace::system() { return data_->system.get(); }

void NewtonOptions::validate() const {
  search.validate();
  if (gradient_tolerance >= 0 && gradient_floor >= 0 && step_tolerance >= 0 && decrease_tolerance >= 0 &&
      max_iterations >= 0 && keep_factor >= 0 && keep_factor < 1 && first_shift > 0 && shift_growth > 1 &&
      max_shift >= first_shift && bound_margin >= 0)
    return;
  throw Error({.code = ErrorCode::usage,
               .element = "Newton options",
               .problem = "are out of range",
               .remedy = "tolerances and iterations must not be negative, first_shift positive, shift_growth above 1"});
}

namespace {

void check_size(const char* what, Eigen::Index size, Eigen::Index expected) {
  if (size == expected) return;
  throw Error({.code = ErrorCode::usage,
               .element = what,
               .value = std::to_string(size),
               .problem = "has " + std::to_string(size) + " coordinates",
               .remedy = "expected " + std::to_string(expected)});
}

// Rounding of a sum of terms, relative to the sum of their magnitudes.
constexpr double kNoise = 8 * std::numeric_limits<double>::epsilon();

template <class Data>
class Run final : LineFunction {
 public:
  Run(const NewtonOptions& options, const Objective& objective, Vec& q, Data& data, const ProgressCallback& callback)
      : options_(options), objective_(objective), q_(q), data_(data), callback_(callback) {}

  Summary solve() {
    prepare();
    while (renew() && !converged() && may_go_on() && step()) ++summary_.iterations;
    summary_.value = value_.value;
    return summary_;
  }

 private:
  bool stop(Termination termination, const char* reason) {
    summary_.termination = termination;
    summary_.reason = reason;
    return false;
  }

  void prepare() {
    const bool fresh = data_.identity != objective_.identity();
    if (fresh) {
      data_.state = objective_.make_state();
      data_.system.reset();
      data_.shift = 0;
      data_.factored = false;
      data_.identity = objective_.identity();
    }
    if (!options_.keep_over_solves) data_.factored = false;
    // A first solve that ended at its start, where the value is not finite, has left no gradient.
    const bool none = fresh || data_.g.size() == 0;
    check_size("start", q_.size(), none ? objective_.mapping().size_q() : data_.g.size());
    if (objective_.bounded()) {
      check_size("bounds", objective_.lower().size(), q_.size());
      q_ = q_.cwiseMax(objective_.lower()).cwiseMin(objective_.upper());
    }
    objective_.evaluate(data_.state, q_, data_.x);
  }

  // Brings lagged quantities, value and gradient to the present q.
  bool renew() {
    const Phase phase = summary_.iterations == 0 ? Phase::step : Phase::iteration;
    const Change change = objective_.refresh(data_.state, q_, data_.x, phase);
    if (change == Change::size || !data_.system) {
      data_.system = objective_.mapping().make_system(*data_.state.mapping);
      data_.factored = false;
      if (objective_.bounded() && objective_.lower().size() != q_.size())
        return stop(Termination::failed, "the mapping changed its size but the bounds did not");
    }
    if (change != Change::none || phase == Phase::step) {
      value_ = objective_.value(data_.state, q_, data_.x);
      ++summary_.evaluations;
      gradient_known_ = false;
      if (phase == Phase::step) summary_.initial_value = value_.value;
    }
    if (!std::isfinite(value_.value))
      return stop(Termination::failed, phase == Phase::step ? "the value at the start is not finite"
                                                            : "the value after a refresh is not finite");
    if (!gradient_known_) {
      objective_.gradient(data_.state, q_, data_.x, data_.g);
      ++summary_.gradients;
    }
    if (!data_.g.allFinite()) return stop(Termination::failed, "the gradient is not finite");
    const double before = summary_.gradient_norm;
    measure_gradient();
    if (blind_ && change == Change::none && summary_.gradient_norm > 0.5 * before) return end_at_rounding(before);
    return true;
  }

  // f cannot tell the last two states apart, and the gradient no longer falls: the better of the two is the answer.
  bool end_at_rounding(double gradient_before) {
    if (summary_.gradient_norm > gradient_before) {
      q_.swap(data_.q_trial);  // the trial vectors hold the state before
      data_.x.swap(data_.x_trial);
      std::swap(value_, trial_value_);
      summary_.gradient_norm = gradient_before;
    }
    return summary_.shift == 0 ? stop(Termination::converged, "no decrease above rounding is left")
                               : stop(Termination::stalled, "no decrease above rounding was found");
  }

  bool held(int i) const {
    if (!objective_.bounded()) return false;
    const double lower = objective_.lower()(i), upper = objective_.upper()(i);
    return lower == upper || (q_(i) <= lower && data_.g(i) > 0) || (q_(i) >= upper && data_.g(i) < 0);
  }

  void measure_gradient() {
    double squares = 0;
    for (int i = 0; i < data_.g.size(); ++i)
      if (!held(i)) squares += std::pow(objective_.row_scale(i) * data_.g(i), 2);
    summary_.gradient_norm = std::sqrt(squares);
    summary_.term_norms = 0;
    for (const double norm : data_.state.term_norms) summary_.term_norms += norm;
  }

  bool converged() {
    const double allowed = options_.gradient_tolerance * summary_.term_norms + options_.gradient_floor;
    // Of a single term the sum is the gradient itself, and a relative test would say nothing.
    if (summary_.gradient_norm <= allowed) {
      stop(Termination::converged, "gradient below tolerance");
      return true;
    }
    if (full_step_ && summary_.last_step <= options_.step_tolerance) {
      stop(Termination::converged, "step below tolerance");
      return true;
    }
    if (full_step_ && options_.decrease_tolerance > 0 && -slope_ <= options_.decrease_tolerance) {
      stop(Termination::converged, "decrease below tolerance");
      return true;
    }
    return false;
  }

  bool may_go_on() {
    if (summary_.iterations >= options_.max_iterations)
      return stop(Termination::out_of_iterations, "the limit of iterations is reached");
    if (wants_cancel(callback_, "solving", static_cast<double>(summary_.iterations) / options_.max_iterations))
      return stop(Termination::cancelled, "the caller asked to stop");
    return true;
  }

  // One Newton step. Where the direction leads nowhere, H is shifted towards the gradient and tried again.
  bool step() {
    if (kept_factor_serves()) return true;
    const bool exact = options_.hessian == HessianMode::exact;
    const bool curvature = exact ? options_.curvature : options_.projected_curvature;
    objective_.assemble(data_.state, q_, data_.x, options_.hessian, curvature, *data_.system);
    data_.system->diagonal(data_.scaling);
    positive_scaling(data_.scaling, data_.scaling);
    choose_fixed();
    constexpr int kTries = 4;
    double shift = 0;
    for (int i = 0; i < kTries; ++i) {
      if (!find_direction(shift)) return false;
      if (search()) return true;
      shift = std::max(100 * shift, 1e-2);
    }
    if (-slope_ <= noise()) return stop(Termination::converged, "no decrease above rounding is left");
    return stop(Termination::stalled, "the line search found no decrease");
  }

  // A step by the factor of an earlier iteration, while that brings the gradient down fast enough.
  bool kept_factor_serves() {
    const double before = kept_norm_;
    kept_norm_ = summary_.gradient_norm;
    if (options_.keep_factor == 0 || objective_.bounded() || !data_.factored) return false;
    if (before > 0 && summary_.gradient_norm > options_.keep_factor * before) return false;
    data_.right_side = -data_.g;
    data_.system->solve(data_.right_side, data_.direction);
    if (!data_.direction.allFinite()) return false;
    slope_ = data_.g.dot(data_.direction);
    summary_.shift = 0;
    return slope_ < 0 && search();
  }

  // The coordinates to hold at or move to their bounds (Bertsekas 1982): near a bound, with the gradient pushing
  // against it. "Near" shrinks with the distance to stationarity, else a minimum close to a bound could be missed.
  void choose_fixed() {
    data_.fixed.clear();
    if (!objective_.bounded()) return data_.system->set_fixed({});
    const Vec &lower = objective_.lower(), &upper = objective_.upper(), &g = data_.g;
    double distance = 0;
    for (int i = 0; i < q_.size(); ++i)
      distance = std::max(distance, std::abs(q_(i) - std::clamp(q_(i) - g(i) / data_.scaling(i), lower(i), upper(i))));
    for (int i = 0; i < q_.size(); ++i) {
      const double range = upper(i) - lower(i);
      const double near = std::min(options_.bound_margin * (std::isfinite(range) ? range : 1.0), distance);
      data_.fixed.push_back(range == 0 || (g(i) > 0 && q_(i) <= lower(i) + near) ||
                            (g(i) < 0 && q_(i) >= upper(i) - near));
    }
    data_.system->set_fixed(data_.fixed);
  }

  // (H + shift D) d = -g on the free coordinates (Thesis 3.2.4), the shift grown until d is a way down.
  bool find_direction(double shift) {
    for (;; shift = shift == 0 ? std::max(options_.first_shift, data_.shift / options_.shift_growth)
                               : shift * options_.shift_growth) {
      if (shift > options_.max_shift)
        return stop(Termination::failed, "the Hessian could not be made positive definite");
      ++summary_.factorizations;
      data_.factored = false;
      if (!data_.system->factor(shift)) continue;
      data_.factored = shift == 0;
      data_.right_side = -data_.g;
      data_.system->solve(data_.right_side, data_.direction);
      if (!data_.direction.allFinite()) continue;
      if (objective_.bounded()) bend_at_bounds();
      slope_ = data_.g.dot(data_.direction);
      if (slope_ < 0) break;
    }
    summary_.shift = shift;
    if (shift > 0) data_.shift = shift;
    return true;
  }

  // Fixed coordinates go to their bound; free ones that stand at a bound do not leave the box. Both only help: in the
  // first case g_i d_i <= 0, in the second g_i d_i >= 0 is dropped.
  void bend_at_bounds() {
    const Vec &lower = objective_.lower(), &upper = objective_.upper();
    for (int i = 0; i < q_.size(); ++i) {
      double& d = data_.direction(i);
      if (data_.fixed[static_cast<std::size_t>(i)])
        d = (data_.g(i) > 0 ? lower(i) : upper(i)) - q_(i);
      else if ((q_(i) <= lower(i) && d < 0) || (q_(i) >= upper(i) && d > 0))
        d = 0;
      if (lower(i) == upper(i)) d = 0;
    }
  }

  double noise() const { return kNoise * value_.magnitude; }

  bool search() {
    trial_step_ = gradient_step_ = -1;
    const LineStart start{value_.value, slope_, noise()};
    const bool wolfe = options_.line_search == LineSearchKind::strong_wolfe && !objective_.bounded();
    const LineSearchResult result =
        wolfe ? strong_wolfe_search(*this, start, options_.search) : armijo_search(*this, start, options_.search);
    if (result.end == LineSearchEnd::failed) return false;
    blind_ = -slope_ <= noise();
    full_step_ = result.step >= 1 && summary_.shift == 0;
    summary_.last_step = (data_.x_trial - data_.x).template lpNorm<Eigen::Infinity>();
    gradient_known_ = gradient_step_ == result.step;
    if (gradient_known_) data_.g.swap(data_.g_trial);
    q_.swap(data_.q_trial);
    data_.x.swap(data_.x_trial);
    std::swap(value_, trial_value_);
    return true;
  }

  void move_trial(double step) {
    if (trial_step_ == step) return;
    data_.q_trial = q_ + step * data_.direction;
    if (objective_.bounded()) data_.q_trial = data_.q_trial.cwiseMax(objective_.lower()).cwiseMin(objective_.upper());
    objective_.evaluate(data_.state, data_.q_trial, data_.x_trial);
    trial_step_ = step;
    // x(q) is curved, so every trial state is tested, on the straight path from the accepted one.
    trial_fraction_ = objective_.max_step(data_.state, q_, data_.x, data_.q_trial, data_.x_trial);
  }

  double feasible(double step) override {
    move_trial(step);
    if (trial_fraction_ >= 1) return step;
    return trial_fraction_ > 0 ? step * std::min(trial_fraction_, 0.95) : step / 2;
  }

  double value(double step) override {
    move_trial(step);
    if (trial_fraction_ < 1) return std::numeric_limits<double>::infinity();
    ++summary_.evaluations;
    trial_value_ = objective_.value(data_.state, data_.q_trial, data_.x_trial);
    return trial_value_.value;
  }

  double slope(double step) override {
    objective_.gradient(data_.state, data_.q_trial, data_.x_trial, data_.g_trial);
    ++summary_.gradients;
    gradient_step_ = step;
    return data_.g_trial.dot(data_.direction);
  }

  const NewtonOptions& options_;
  const Objective& objective_;
  Vec& q_;
  Data& data_;
  const ProgressCallback& callback_;
  Summary summary_;
  ObjectiveValue value_, trial_value_;
  double slope_ = 0;
  double trial_step_ = -1, trial_fraction_ = 1, gradient_step_ = -1;
  double kept_norm_ = 0;  // of the gradient, an iteration ago
  bool gradient_known_ = false;
  bool blind_ = false;      // the last step was too small for f to judge it
  bool full_step_ = false;  // the last step was Newton's own
};

}  // namespace

Newton::Newton(NewtonOptions options) : options_(options) { options_.validate(); }

Summary Newton::solve(const Objective& objective, Vec& q, NewtonWorkspace& workspace,
                      const ProgressCallback& callback) const {
  return Run<NewtonWorkspace::Data>(options_, objective, q, *workspace.data_, callback).solve();
}

Summary minimize(const Objective& objective, Vec& q, const NewtonOptions& options, const ProgressCallback& callback) {
  NewtonWorkspace workspace;
  return Newton(options).solve(objective, q, workspace, callback);
}

}  // namespace rigspace
