#include "rigspace/optimize/lbfgsb.h"

#include "rigspace/base/error.h"

#include <LBFGSB.h>

#include <cmath>
#include <limits>

namespace rigspace {

void LbfgsbOptions::validate(int size) const {
  const auto complain = [](std::string problem, std::string remedy) {
    throw Error({.code = ErrorCode::usage,
                 .element = "L-BFGS-B options",
                 .problem = std::move(problem),
                 .remedy = std::move(remedy)});
  };
  if (gradient_tolerance < 0 || relative_tolerance < 0 || value_tolerance < 0 || memory < 1 || max_iterations < 1 ||
      max_line_search < 1)
    complain("are out of range", "tolerances must not be negative, counts must be positive");
  if ((lower.size() != 0 && lower.size() != size) || (upper.size() != 0 && upper.size() != size))
    complain("have bounds of another size than x", "expected " + std::to_string(size) + " or none");
  for (int i = 0; i < std::min(lower.size(), upper.size()); ++i)
    if (!(lower(i) <= upper(i)))
      complain("have bounds " + std::to_string(lower(i)) + " and " + std::to_string(upper(i)) + " at coordinate " +
                   std::to_string(i),
               "the lower must not exceed the upper");
}

namespace {

struct Stop {};  // thrown through LBFGSpp, which has no way to be stopped

// The function as LBFGSpp sees it: finite values; keeps the best state.
struct Watched {
  const DifferentiableFunction& f;
  const ProgressCallback& callback;
  const LbfgsbOptions& options;
  Summary& summary;
  Vec best, best_gradient;
  double best_value = std::numeric_limits<double>::infinity();

  double operator()(const Vec& x, Vec& g) {
    const double fraction = static_cast<double>(summary.evaluations) / (2.0 * options.max_iterations);
    if (wants_cancel(callback, "solving", std::min(fraction, 1.0))) throw Stop{};
    double value = f(x, g);
    ++summary.evaluations;
    ++summary.gradients;
    if (std::isfinite(value) && g.allFinite()) {
      if (value < best_value || best.size() == 0) {
        best = x;
        best_gradient = g;
        best_value = value;
      }
      return value;
    }
    // Its line search interpolates, so infinity is replaced by a slope: rising away from the best state as steeply as
    // the function falls there.
    const double distance = (x - best).norm(), steepness = best_gradient.norm();
    g = (steepness / std::max(distance, std::numeric_limits<double>::min())) * (x - best);
    return best_value + steepness * distance;
  }
};

double projected_gradient(const Vec& x, const Vec& g, const Vec& lower, const Vec& upper) {
  return x.size() == 0 ? 0 : ((x - g).cwiseMax(lower).cwiseMin(upper) - x).cwiseAbs().maxCoeff();
}

}  // namespace

Summary minimize_lbfgsb(const DifferentiableFunction& f, Vec& x, const LbfgsbOptions& options,
                        const ProgressCallback& callback) {
  const int n = static_cast<int>(x.size());
  options.validate(n);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Vec lower = options.lower.size() ? options.lower : Vec::Constant(n, -kInfinity);
  const Vec upper = options.upper.size() ? options.upper : Vec::Constant(n, kInfinity);
  x = x.cwiseMax(lower).cwiseMin(upper);

  LBFGSpp::LBFGSBParam<double> parameters;
  parameters.m = options.memory;
  parameters.epsilon = options.gradient_tolerance;
  parameters.epsilon_rel = options.relative_tolerance;
  parameters.past = options.value_tolerance > 0 ? 10 : 0;
  parameters.delta = options.value_tolerance;
  parameters.max_iterations = options.max_iterations;
  parameters.max_linesearch = options.max_line_search;

  Summary summary;
  Vec g = Vec::Zero(n);
  summary.initial_value = summary.value = f(x, g);
  if (!std::isfinite(summary.value) || !g.allFinite()) {
    summary.reason = "the value or gradient at the start is not finite";
    return summary;
  }
  Watched watched{f, callback, options, summary, x, g, summary.value};
  const double tolerance_before = projected_gradient(x, g, lower, upper);
  summary.termination = Termination::stalled;
  summary.reason = "the line search found no decrease";
  int left = options.max_iterations;
  // LBFGSpp throws when a line search fails; a fresh start from the best state often finds a way on.
  for (double before = kInfinity;
       summary.termination == Termination::stalled && watched.best_value < before && left > 0;) {
    before = watched.best_value;
    parameters.max_iterations = left;
    try {
      LBFGSpp::LBFGSBSolver<double> solver(parameters);
      Vec moving = watched.best;
      double value = before;
      const int used = solver.minimize(watched, moving, value, lower, upper);
      summary.iterations += used;
      summary.termination = used >= left ? Termination::out_of_iterations : Termination::converged;
      summary.reason = used >= left ? "the limit of iterations is reached" : "change of value below tolerance";
    } catch (const Stop&) {
      summary.termination = Termination::cancelled;
      summary.reason = "the caller asked to stop";
    } catch (const std::runtime_error&) {
      --left, ++summary.iterations;
    } catch (const std::logic_error&) {
      --left, ++summary.iterations;
    }
  }
  x = watched.best;
  summary.value = watched.best_value;
  summary.gradient_norm = projected_gradient(x, watched.best_gradient, lower, upper);
  summary.term_norms = tolerance_before;
  if (summary.gradient_norm <= std::max(options.gradient_tolerance, options.relative_tolerance * x.norm()) &&
      summary.termination != Termination::cancelled) {
    summary.termination = Termination::converged;
    summary.reason = "gradient below tolerance";
  }
  return summary;
}

}  // namespace rigspace
