#pragma once
// Cages among the built-in rigs.

#include "bench.h"

namespace rigspace::bench {

/// Binding and evaluating a limb of 10 000 points in a cage of its own, for each family of coordinates.
void add_cage_rows(const BenchOptions&, std::vector<Row>&);

}  // namespace rigspace::bench
