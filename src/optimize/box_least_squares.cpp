#include "rigspace/optimize/box_least_squares.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"

#include <cmath>
#include <vector>

namespace rigspace {
namespace {

enum class At : char { lower, free, upper };

class BoxActiveSet {
 public:
  BoxActiveSet(const Mat& A, In b, In lower, In upper, const BoxLeastSquaresOptions& options)
      : A_(A), b_(b), lower_(lower), upper_(upper), options_(options) {
    const int n = static_cast<int>(A.cols());
    result_.x.resize(n);
    at_.assign(static_cast<std::size_t>(n), At::lower);
    for (int i = 0; i < n; ++i) {
      if (std::isfinite(lower(i)))
        result_.x(i) = lower(i);
      else if (std::isfinite(upper(i)))
        at_[i] = At::upper, result_.x(i) = upper(i);
      else
        at_[i] = At::free, result_.x(i) = 0;
    }
  }

  BoxLeastSquaresResult run() {
    const int n = static_cast<int>(A_.cols()), limit = options_.max_iterations ? options_.max_iterations : 30 * n;
    Summary& summary = result_.summary;
    std::vector<char> refused(at_.size(), 0);
    settle();
    for (;;) {
      result_.multipliers = A_.transpose() * (b_ - A_ * result_.x);
      const int entering = most_wrong(refused);
      if (entering < 0) break;
      if (summary.iterations++ >= limit) {
        summary.termination = Termination::out_of_iterations;
        summary.reason = "the limit of iterations is reached";
        break;
      }
      const double before = value();
      const Vec x_before = result_.x;
      const std::vector<At> at_before = at_;
      at_[entering] = At::free;
      settle();
      if (value() < before) {
        refused.assign(refused.size(), 0);
      } else {  // rounding alone made it look worth while
        result_.x = x_before;
        at_ = at_before;
        refused[entering] = 1;
      }
    }
    conclude();
    return std::move(result_);
  }

 private:
  double value() const { return 0.5 * (A_ * result_.x - b_).squaredNorm(); }

  double allowed() const {
    const double norm = A_.norm();
    return options_.tolerance * norm * (b_.norm() + norm * result_.x.norm());
  }

  // How far coordinate i is from its condition of optimality.
  double wrong(int i) const {
    const double w = result_.multipliers(i);
    if (lower_(i) == upper_(i)) return 0;
    return at_[i] == At::lower ? w : at_[i] == At::upper ? -w : std::abs(w);
  }

  int most_wrong(const std::vector<char>& refused) const {
    int worst = -1;
    double most = allowed();
    for (int i = 0; i < A_.cols(); ++i)
      if (at_[i] != At::free && !refused[i] && wrong(i) > most) {
        most = wrong(i);
        worst = i;
      }
    return worst;
  }

  // The minimum over the free coordinates, backed off to the first bound in the way, until none is.
  void settle() {
    for (;;) {
      std::vector<int> set;
      for (int i = 0; i < A_.cols(); ++i)
        if (at_[i] == At::free) set.push_back(i);
      if (set.empty()) return;
      const Vec residual = b_ - A_ * result_.x;
      const Vec move = solve_least_squares(A_(Eigen::all, set), residual);
      double step = 1;
      int blocking = -1;
      for (std::size_t k = 0; k < set.size(); ++k) {
        const int i = set[k];
        const double d = move(static_cast<int>(k)), target = result_.x(i) + d;
        if (target >= lower_(i) && target <= upper_(i)) continue;
        const double fraction = ((d > 0 ? upper_(i) : lower_(i)) - result_.x(i)) / d;
        if (blocking < 0 || fraction < step) {
          step = std::max(0.0, fraction);
          blocking = static_cast<int>(k);
        }
      }
      for (std::size_t k = 0; k < set.size(); ++k) {
        double& x = result_.x(set[k]);
        x = std::clamp(x + step * move(static_cast<int>(k)), lower_(set[k]), upper_(set[k]));
      }
      if (blocking < 0) return;
      const int i = set[static_cast<std::size_t>(blocking)];
      at_[i] = move(blocking) > 0 ? At::upper : At::lower;
      result_.x(i) = move(blocking) > 0 ? upper_(i) : lower_(i);
    }
  }

  void conclude() {
    Summary& summary = result_.summary;
    result_.multipliers = A_.transpose() * (b_ - A_ * result_.x);
    summary.value = value();
    summary.gradient_norm = 0;
    for (int i = 0; i < A_.cols(); ++i) summary.gradient_norm = std::max(summary.gradient_norm, wrong(i));
    if (summary.termination == Termination::out_of_iterations) return;
    // Solving and multiplying back lose a few digits more than the test that let a coordinate in.
    const bool optimal = summary.gradient_norm <= 1e3 * allowed();
    summary.termination = optimal ? Termination::converged : Termination::stalled;
    summary.reason = optimal ? "the conditions of optimality hold" : "rounding hides further progress";
  }

  const Mat& A_;
  const Vec b_, lower_, upper_;
  const BoxLeastSquaresOptions& options_;
  BoxLeastSquaresResult result_;
  std::vector<At> at_;
};

}  // namespace

BoxLeastSquaresResult box_least_squares(const Mat& A, In b, In lower, In upper, const BoxLeastSquaresOptions& options) {
  const auto complain = [](std::string problem, std::string remedy) {
    throw Error({.code = ErrorCode::usage,
                 .element = "box least squares",
                 .problem = std::move(problem),
                 .remedy = std::move(remedy)});
  };
  if (A.rows() != b.size() || A.cols() != lower.size() || A.cols() != upper.size())
    complain("got sizes that do not fit", "A is rows(b) x size(lower), and the bounds are of one size");
  for (int i = 0; i < lower.size(); ++i)
    if (!(lower(i) <= upper(i)))
      complain("got bounds " + std::to_string(lower(i)) + " and " + std::to_string(upper(i)) + " for unknown " +
                   std::to_string(i),
               "the lower must not exceed the upper");
  if (!A.allFinite() || !b.allFinite()) {
    BoxLeastSquaresResult result;
    result.x = Vec::Zero(A.cols()).cwiseMax(lower).cwiseMin(upper);
    result.multipliers = Vec::Zero(A.cols());
    result.summary.reason = "the input is not finite";
    return result;
  }
  return BoxActiveSet(A, b, lower, upper, options).run();
}

}  // namespace rigspace
