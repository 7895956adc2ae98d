#pragma once
// Some slots of a control graph: of a rig restricted to a few points, or a few joints, often few of many.

#include "rigspace/base/types.h"
#include "rigspace/rig/graph.h"

#include <span>
#include <vector>

namespace rigspace {

/// The wanted slots and those that they are computed from, ascending. Negative ones are none.
std::vector<int> slots_with_inputs(const ControlGraph& graph, std::span<const int> wanted);

/// These slots of u at p; each is listed after those that it is computed from. `inputs`: scratch.
void evaluate_slots(const ControlGraph& graph, std::span<const int> needed, In p, std::vector<const double*>& inputs,
                    Vec& u);

}  // namespace rigspace
