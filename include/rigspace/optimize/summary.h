#pragma once
// How a solve ended, and why. Not converging is a result, never an exception, never silent.

#include <string>
#include <string_view>

namespace rigspace {

enum class Termination {
  converged,
  stalled,            ///< no further progress is possible from here; the result is the best state seen
  out_of_iterations,  ///< the result is the best state seen
  cancelled,          ///< the callback returned false; the result is the last accepted state
  failed,             ///< numerical trouble: not a number, no factorisation
};

std::string_view name(Termination);

struct Summary {
  Termination termination = Termination::failed;
  const char* reason = "";  ///< one clause for people, a literal
  int iterations = 0;       ///< accepted steps
  int evaluations = 0;      ///< of the value
  int gradients = 0;
  int factorizations = 0;
  double initial_value = 0;
  double value = 0;
  double gradient_norm = 0;  ///< in q, without coordinates held at a bound
  double term_norms = 0;     ///< sum over the terms of the norms of their gradients in q
  double last_step = 0;      ///< largest |dx| of the last accepted step, units of x
  double shift = 0;          ///< last Hessian shift, relative to the diagonal

  bool converged() const { return termination == Termination::converged; }
};

/// "converged after 7 iterations: gradient below tolerance (|g| 3.1e-09, f 0.25)".
std::string describe(const Summary&);

}  // namespace rigspace
