#include "rigspace/rig/graph.h"

#include <algorithm>
#include <cassert>
#include <set>

namespace rigspace {

int ControlGraph::find(const std::string& control) const {
  const auto found = by_name_.find(control);
  return found == by_name_.end() ? -1 : found->second;
}

void ControlGraph::promise_control(const std::string& name) {
  assert(find(name) < 0);
  const int index = add_control({.name = name});
  promised_[index] = 1;
}

int ControlGraph::add_control(Control control) {
  if (const int index = find(control.name); index >= 0 && promised_[index]) {
    promised_[index] = 0;
    controls_[index] = std::move(control);
    return index;
  }
  if (find(control.name) >= 0) {
    int number = 2;
    while (find(control.name + "#" + std::to_string(number)) >= 0) ++number;
    control.name += '#';
    control.name += std::to_string(number);
  }
  const int index = static_cast<int>(controls_.size());
  by_name_[control.name] = index;
  controls_.push_back(std::move(control));
  promised_.push_back(0);
  return index;
}

int ControlGraph::add(std::unique_ptr<GraphOperator> op) {
  std::set<int> reached(op->input_controls().begin(), op->input_controls().end());
  for (const int slot : op->input_slots()) {
    assert(slot >= 0 && slot < static_cast<int>(slots_.size()));
    reached.insert(slot_controls_[slot].begin(), slot_controls_[slot].end());
  }
  slots_.push_back({size_, op->output_size()});
  size_ += op->output_size();
  slot_controls_.emplace_back(reached.begin(), reached.end());
  ops_.push_back(std::move(op));
  return static_cast<int>(slots_.size()) - 1;
}

void ControlGraph::prepare(Memory& memory) const {
  if (memory.local.size() == slots_.size()) return;
  memory.local.resize(slots_.size());
  std::size_t most = 0;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    LocalJacobian& local = memory.local[s];
    local.by_slot.clear();
    for (const int input : ops_[s]->input_slots()) local.by_slot.emplace_back(slots_[s].size, slots_[input].size);
    local.by_control.resize(slots_[s].size, static_cast<Eigen::Index>(ops_[s]->input_controls().size()));
    most = std::max(most, ops_[s]->input_slots().size());
  }
  memory.inputs.resize(most);
  memory.g_u.resize(size_);
}

void ControlGraph::gather_inputs(int slot, In u, Memory& memory) const {
  const auto inputs = ops_[slot]->input_slots();
  for (std::size_t k = 0; k < inputs.size(); ++k) memory.inputs[k] = u.data() + slots_[inputs[k]].offset;
}

void ControlGraph::evaluate(In p, Vec& u, Memory& memory) const {
  assert(p.size() == static_cast<Eigen::Index>(controls_.size()));
  prepare(memory);
  u.resize(size_);
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    gather_inputs(static_cast<int>(s), u, memory);
    ops_[s]->evaluate(p, {memory.inputs.data(), ops_[s]->input_slots().size()}, u.data() + slots_[s].offset);
  }
}

void ControlGraph::jacobian(In p, In u, std::span<const int> free, GraphJacobian& J, Memory& memory) const {
  prepare(memory);
  const bool same =
      std::equal(free.begin(), free.end(), memory.free.begin(), memory.free.end()) && J.slots.size() == slots_.size();
  if (!same) {
    memory.free.assign(free.begin(), free.end());
    memory.position.assign(controls_.size(), -1);
    for (std::size_t k = 0; k < free.size(); ++k) memory.position[free[k]] = static_cast<int>(k);
    J.slots.assign(slots_.size(), {});
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      for (const int control : slot_controls_[s])
        if (memory.position[control] >= 0) J.slots[s].columns.push_back(memory.position[control]);
      J.slots[s].value.resize(slots_[s].size, static_cast<Eigen::Index>(J.slots[s].columns.size()));
    }
  }

  // Forward: d out = sum over inputs (d out / d in) d in + sum over controls (d out / d control).
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    GraphJacobian::Block& out = J.slots[s];
    if (out.columns.empty()) continue;
    gather_inputs(static_cast<int>(s), u, memory);
    LocalJacobian& local = memory.local[s];
    const auto inputs = ops_[s]->input_slots();
    const auto direct = ops_[s]->input_controls();
    ops_[s]->linearize(p, {memory.inputs.data(), inputs.size()}, local);
    out.value.setZero();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const GraphJacobian::Block& in = J.slots[inputs[k]];
      std::size_t at = 0;  // both column lists ascend
      for (std::size_t c = 0; c < in.columns.size(); ++c) {
        while (out.columns[at] != in.columns[c]) ++at;
        out.value.col(static_cast<Eigen::Index>(at)).noalias() +=
            local.by_slot[k].lazyProduct(in.value.col(static_cast<Eigen::Index>(c)));
      }
    }
    for (std::size_t c = 0; c < direct.size(); ++c) {
      const int column = memory.position[direct[c]];
      if (column < 0) continue;
      const auto at = std::lower_bound(out.columns.begin(), out.columns.end(), column) - out.columns.begin();
      out.value.col(at) += local.by_control.col(static_cast<Eigen::Index>(c));
    }
  }
}

void ControlGraph::pull(In p, In u, In g_u, Vec& g_p, Memory& memory) const {
  prepare(memory);
  g_p.setZero(static_cast<Eigen::Index>(controls_.size()));
  memory.g_u = g_u;
  for (int s = static_cast<int>(slots_.size()) - 1; s >= 0; --s) {
    const auto g_out = memory.g_u.segment(slots_[s].offset, slots_[s].size);
    if (g_out.isZero(0)) continue;
    gather_inputs(s, u, memory);
    LocalJacobian& local = memory.local[s];
    const auto inputs = ops_[s]->input_slots();
    const auto direct = ops_[s]->input_controls();
    ops_[s]->linearize(p, {memory.inputs.data(), inputs.size()}, local);
    for (std::size_t k = 0; k < inputs.size(); ++k)
      memory.g_u.segment(slots_[inputs[k]].offset, slots_[inputs[k]].size).noalias() +=
          local.by_slot[k].transpose().lazyProduct(g_out);
    for (std::size_t c = 0; c < direct.size(); ++c)
      g_p[direct[c]] += local.by_control.col(static_cast<Eigen::Index>(c)).dot(g_out);
  }
}

}  // namespace rigspace
