#pragma once
// What simulate and rerun answer.

#include "command.h"

#include "rigspace/apps/physics/simulate.h"

namespace rigspace::tools {

/// As JSON with --json; in words it has been printed already. Throws Error with code not_converged if steps failed: the
/// result is written all the same.
void print_result(const SimulationResult& result, const Context& context);

}  // namespace rigspace::tools
