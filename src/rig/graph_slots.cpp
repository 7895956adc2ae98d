#include "rigspace/rig/graph_slots.h"

#include <algorithm>

namespace rigspace {

std::vector<int> slots_with_inputs(const ControlGraph& graph, std::span<const int> wanted) {
  std::vector<char> read(graph.slots().size(), 0);
  for (const int slot : wanted)
    if (slot >= 0) read[static_cast<std::size_t>(slot)] = 1;
  std::vector<int> needed;
  for (int s = static_cast<int>(read.size()) - 1; s >= 0; --s) {
    if (read[static_cast<std::size_t>(s)] == 0) continue;
    needed.push_back(s);
    for (const int input : graph.op(s).input_slots()) read[static_cast<std::size_t>(input)] = 1;
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

void evaluate_slots(const ControlGraph& graph, std::span<const int> needed, In p, std::vector<const double*>& inputs,
                    Vec& u) {
  const std::span<const Slot> slots = graph.slots();
  for (const int s : needed) {
    const GraphOperator& op = graph.op(s);
    const std::span<const int> from = op.input_slots();
    if (inputs.size() < from.size()) inputs.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) inputs[k] = u.data() + slots[from[k]].offset;
    op.evaluate(p, {inputs.data(), from.size()}, u.data() + slots[s].offset);
  }
}

}  // namespace rigspace
