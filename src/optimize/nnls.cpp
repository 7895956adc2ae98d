#include "rigspace/optimize/nnls.h"

#include "rigspace/base/error.h"

#include <Eigen/Cholesky>

#include <cmath>
#include <limits>
#include <vector>

namespace rigspace {
namespace {

class ActiveSet {
 public:
  ActiveSet(const Mat& AtA, In Atb, const NnlsOptions& options) : G_(AtA), b_(Atb), options_(options) {
    const int n = static_cast<int>(b_.size());
    result_.x = Vec::Zero(n);
    passive_.assign(static_cast<std::size_t>(n), 0);
    scale_ = n ? std::max(G_.cwiseAbs().maxCoeff(), b_.cwiseAbs().maxCoeff()) : 0;
    if (options.sum_to_one && n) start_at_vertex();
  }

  NnlsResult run() {
    const int n = static_cast<int>(b_.size()), limit = options_.max_iterations ? options_.max_iterations : 30 * n;
    Summary& summary = result_.summary;
    std::vector<char> refused(passive_.size(), 0);
    for (;;) {
      measure();
      const int entering = most_positive(refused);
      if (entering < 0) {
        summary.termination = Termination::converged;
        summary.reason = "the conditions of optimality hold";
        break;
      }
      if (summary.iterations++ >= limit) {
        summary.termination = Termination::out_of_iterations;
        summary.reason = "the limit of iterations is reached";
        break;
      }
      passive_[entering] = 1;
      const double before = value();
      const Vec x_before = result_.x;
      settle();
      if (value() < before) {
        refused.assign(refused.size(), 0);
      } else {  // rounding alone made it look worth while
        result_.x = x_before;
        for (int i = 0; i < n; ++i) passive_[i] = result_.x(i) > 0;
        refused[entering] = 1;
      }
    }
    summary.value = value();
    summary.gradient_norm = 0;
    for (int i = 0; i < n; ++i)
      summary.gradient_norm =
          std::max(summary.gradient_norm, result_.x(i) > 0 ? std::abs(result_.multipliers(i)) : result_.multipliers(i));
    return std::move(result_);
  }

 private:
  double value() const { return 0.5 * result_.x.dot(G_ * result_.x) - b_.dot(result_.x); }

  // A feasible start under sum x = 1: the best single column.
  void start_at_vertex() {
    int best = 0;
    for (int i = 1; i < b_.size(); ++i)
      if (0.5 * G_(i, i) - b_(i) < 0.5 * G_(best, best) - b_(best)) best = i;
    result_.x(best) = 1;
    passive_[best] = 1;
  }

  void measure() {
    result_.multipliers = b_ - G_ * result_.x;
    if (options_.sum_to_one) {
      // At the solution of the passive set all its multipliers are equal: that is lambda.
      result_.lambda = result_.x.dot(result_.multipliers);
      result_.multipliers.array() -= result_.lambda;
    }
  }

  int most_positive(const std::vector<char>& refused) const {
    int best = -1;
    double most = options_.tolerance * scale_;
    for (int i = 0; i < b_.size(); ++i)
      if (!passive_[i] && !refused[i] && result_.multipliers(i) > most) {
        most = result_.multipliers(i);
        best = i;
      }
    return best;
  }

  // The inner loop: the minimum over the passive set, backed off to the first coordinate that turns negative.
  void settle() {
    for (;;) {
      const Vec s = solve_passive();
      double step = 1;
      int leaving = -1;
      for (int i = 0; i < s.size(); ++i) {
        if (!passive_[i] || s(i) > 0) continue;
        const double to_zero = result_.x(i) / (result_.x(i) - s(i));
        if (leaving < 0 || to_zero < step) {
          step = result_.x(i) > 0 ? to_zero : 0;
          leaving = i;
        }
      }
      if (leaving < 0) {
        result_.x = s;
        return;
      }
      result_.x += step * (s - result_.x);
      const double smallest = 1e-15 * result_.x.cwiseAbs().maxCoeff();
      for (int i = 0; i < s.size(); ++i)
        if (i == leaving || !passive_[i] || (s(i) <= 0 && result_.x(i) <= smallest)) {
          result_.x(i) = 0;
          passive_[i] = 0;
        }
    }
  }

  Vec solve_passive() const {
    std::vector<int> set;
    for (int i = 0; i < b_.size(); ++i)
      if (passive_[i]) set.push_back(i);
    Mat G = G_(set, set);
    // A singular passive set has many minima; a breath of ridge picks one.
    G.diagonal().array() += 4 * std::numeric_limits<double>::epsilon() * G.diagonal().sum();
    const Eigen::LDLT<Mat> factor(G);
    Vec s = factor.solve(b_(set));
    if (options_.sum_to_one) {
      // G s + lambda 1 = b, 1^T s = 1.
      const Vec ones = factor.solve(Vec::Ones(s.size()));
      s -= ones * ((s.sum() - 1) / ones.sum());
    }
    Vec full = Vec::Zero(b_.size());
    full(set) = s;
    return full;
  }

  const Mat& G_;
  const Vec b_;
  const NnlsOptions& options_;
  NnlsResult result_;
  std::vector<char> passive_;
  double scale_ = 0;
};

}  // namespace

NnlsResult nnls(const Mat& AtA, In Atb, const NnlsOptions& options) {
  if (AtA.rows() != AtA.cols() || AtA.rows() != Atb.size())
    throw Error({.code = ErrorCode::usage,
                 .element = "non-negative least squares",
                 .problem = "got a Gram matrix of " + std::to_string(AtA.rows()) + " x " + std::to_string(AtA.cols()) +
                            " for " + std::to_string(Atb.size()) + " unknowns",
                 .remedy = "it must be square and of the size of Atb"});
  if (!AtA.allFinite() || !Atb.allFinite()) {
    NnlsResult result{.x = Vec::Zero(Atb.size()), .multipliers = Vec::Zero(Atb.size()), .lambda = 0, .summary = {}};
    result.summary.reason = "the input is not finite";
    return result;
  }
  return ActiveSet(AtA, Atb, options).run();
}

}  // namespace rigspace
