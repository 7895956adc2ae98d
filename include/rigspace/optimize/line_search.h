#pragma once
// Step lengths along a line: Armijo by backtracking (Thesis 3.2.5) and strong Wolfe (Nocedal and Wright,
// alg. 3.5, 3.6).

namespace rigspace {

/// phi(step), step > 0, as a line search sees it.
class LineFunction {
 public:
  virtual ~LineFunction() = default;
  /// May be +infinity or not a number: treated as too far.
  virtual double value(double step) = 0;
  /// phi'(step), called only for the step last given to `value`, and by the strong Wolfe search alone.
  virtual double slope(double step) = 0;
  /// `step` if the whole path to it is allowed, else a smaller step to try.
  virtual double feasible(double step) { return step; }
};

/// A LineFunction from two callables.
template <class Value, class Slope>
class LineFunctionOf final : public LineFunction {
 public:
  LineFunctionOf(Value phi, Slope phi_prime) : value_(phi), slope_(phi_prime) {}
  double value(double step) override { return value_(step); }
  double slope(double step) override { return slope_(step); }

 private:
  Value value_;
  Slope slope_;
};

struct LineSearchOptions {
  double armijo = 1e-4;    ///< c1: phi(a) <= phi(0) + c1 a phi'(0)
  double curvature = 0.9;  ///< c2: |phi'(a)| <= c2 |phi'(0)|; strong Wolfe only
  double initial_step = 1;
  double min_step = 1e-12;  ///< gives up below
  double max_step = 1e10;   ///< strong Wolfe does not look beyond; Armijo never beyond initial_step
  int max_evaluations = 50;

  void validate() const;
};

enum class LineSearchEnd {
  found,    ///< the conditions hold
  limited,  ///< Armijo holds and phi still falls, but no longer step is allowed (feasible, max_step)
  armijo,   ///< strong Wolfe ran out of evaluations; Armijo holds
  failed,   ///< no step found; `step` is 0
};

struct LineSearchResult {
  LineSearchEnd end = LineSearchEnd::failed;
  double step = 0;
  double value = 0;  ///< phi(step); the step last evaluated unless failed
  int evaluations = 0;
};

/// phi(0) and phi'(0) < 0; `noise` is the rounding of phi, allowed on top of the Armijo condition.
struct LineStart {
  double value = 0;
  double slope = 0;
  double noise = 0;
};

/// Quadratic, then cubic interpolation, each cut to [0.1, 0.5] of the step before.
LineSearchResult armijo_search(LineFunction&, const LineStart&, const LineSearchOptions& = {});

/// Bracketing, then cubic interpolation.
LineSearchResult strong_wolfe_search(LineFunction&, const LineStart&, const LineSearchOptions& = {});

}  // namespace rigspace
