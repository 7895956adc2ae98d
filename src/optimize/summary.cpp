#include "rigspace/optimize/summary.h"

#include <cstdio>

namespace rigspace {

std::string_view name(Termination termination) {
  switch (termination) {
    case Termination::converged: return "converged";
    case Termination::stalled: return "stalled";
    case Termination::out_of_iterations: return "out of iterations";
    case Termination::cancelled: return "cancelled";
    case Termination::failed: return "failed";
  }
  return "unknown";
}

std::string describe(const Summary& s) {
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, " (|g| %.3g, f %.6g)", s.gradient_norm, s.value);
  return std::string(name(s.termination)) + " after " + std::to_string(s.iterations) +
         (s.iterations == 1 ? " iteration: " : " iterations: ") + s.reason + numbers;
}

}  // namespace rigspace
