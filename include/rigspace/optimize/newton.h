#pragma once
// Newton's method on an Objective (Thesis 3.2): regularised, with line search, barriers and bounds.

#include "rigspace/base/progress.h"
#include "rigspace/optimize/line_search.h"
#include "rigspace/optimize/objective.h"
#include "rigspace/optimize/summary.h"

#include <memory>
#include <vector>

namespace rigspace {

enum class LineSearchKind { armijo, strong_wolfe };

struct NewtonOptions {
  HessianMode hessian = HessianMode::projected;
  /// Adds the mapping's second derivatives; with HessianMode::exact only, since they are indefinite.
  bool curvature = true;
  /// Adds them to projected Hessians too; an indefinite sum is then shifted.
  bool projected_curvature = false;
  /// Along bounds the path has corners, so there it is Armijo in either case.
  LineSearchKind line_search = LineSearchKind::armijo;
  LineSearchOptions search = {};
  double gradient_tolerance = 1e-6;  ///< converged when |sum_i g_i| <= this * sum_i |g_i| + gradient_floor, in q
  double gradient_floor = 1e-12;     ///< absolute, units of f per unit of q; the only test for a single term
  double step_tolerance = 0;         ///< converged when a full step moves no coordinate of x by more; 0: never
  double decrease_tolerance = 0;     ///< converged when a full step promised to lower f by no more (-g.dq); 0: never
  int max_iterations = 100;
  /// Unless 0: a factor of the Hessian serves further iterations while the gradient falls to this share or less each
  /// time. Gradients are cheap where the unknowns are few.
  double keep_factor = 0;
  bool keep_over_solves = false;  ///< the factor serves the next solve in the same workspace too
  double first_shift = 1e-6;      ///< relative to the diagonal, when H is not positive definite (Thesis 3.2.4)
  double shift_growth = 10;       ///< factor between tries
  double max_shift = 1e10;        ///< failed beyond
  double bound_margin = 1e-3;     ///< of the range of a coordinate: nearer to a bound counts as at it (Bertsekas)

  void validate() const;
};

/// All memory of a solve, made once and reused over steps: after the first iteration Newton allocates nothing (the
/// sparse factorisation inside CHOLMOD or Eigen excepted, and changes of pattern or size). It also keeps the shift. One
/// workspace serves one solve at a time; it adapts itself to another objective.
class NewtonWorkspace {
 public:
  NewtonWorkspace();
  ~NewtonWorkspace();
  NewtonWorkspace(NewtonWorkspace&&) noexcept;
  NewtonWorkspace& operator=(NewtonWorkspace&&) noexcept;

  /// Drops the kept factor and the shift, so that the next solve depends on its start alone. Keeps the memory.
  void forget();

  /// x(q) of the result of the last solve.
  const Vec& x() const;
  /// The states of mapping and terms, for applications that read lagged quantities.
  ObjectiveState& state();
  /// The Hessian of the last iteration; null before the first.
  System* system();

 private:
  friend class Newton;
  struct Data;
  std::unique_ptr<Data> data_;
};

class Newton {
 public:
  explicit Newton(NewtonOptions options = {});

  /// Minimises from q, which is moved into the bounds first; the result is in q, always the best state accepted.
  /// The value never rises between refreshes, and q never leaves the bounds.
  Summary solve(const Objective&, Vec& q, NewtonWorkspace&, const ProgressCallback& = {}) const;

  const NewtonOptions& options() const { return options_; }

 private:
  NewtonOptions options_;
};

/// The short door: one solve with memory of its own.
Summary minimize(const Objective&, Vec& q, const NewtonOptions& = {}, const ProgressCallback& = {});

}  // namespace rigspace
