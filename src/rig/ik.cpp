#include "rigspace/rig/ik.h"

#include "ik_solver.h"
#include "quaternion.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/skeleton.h"
#include "rotation_formulas.h"

namespace rigspace {

std::vector<IkReport> ik_reports(const ControlGraph& graph, In p, In u) {
  std::vector<IkReport> reports;
  std::vector<const double*> inputs;
  for (int slot = 0; slot < static_cast<int>(graph.slots().size()); ++slot) {
    const auto* solver = dynamic_cast<const IkSolver*>(&graph.op(slot));
    if (solver == nullptr) continue;
    inputs.clear();
    for (const int input : graph.op(slot).input_slots()) inputs.push_back(u.data() + graph.slots()[input].offset);
    reports.push_back(solver->report(p, inputs));
  }
  return reports;
}

Vec fk_matching_ik(const ControlGraph& graph, In p, std::span<const int> fk_slots, std::span<const int> ik_slots) {
  const auto rotation = [&](const Vec& u, int slot) {
    return Mat3(rotation_of<double>(linear(transform_at(u, graph.slots()[slot]))));
  };
  ControlGraph::Memory memory;
  Vec wanted, u, matched = p;
  graph.evaluate(p, wanted, memory);
  for (std::size_t j = 0; j < fk_slots.size() && j < ik_slots.size(); ++j) {
    const NodeDescription* node = node_description(graph, fk_slots[j]);
    if (node == nullptr)
      throw Error({.element = "joint " + std::to_string(j), .problem = "is no node", .remedy = "match nodes only"});
    // world = parent R(q) exp(r) S K: after its parents are matched, r is what is missing from r = 0.
    const int first = first_control(graph, fk_slots[j]);
    for (int k = 7; k < 10; ++k) matched[first + k] = 0;
    graph.evaluate(matched, u, memory);
    const Vec4 q = matched.segment<4>(first + 3);
    const Mat3 keyed = quaternion_matrix(q) / q.squaredNorm();
    const Mat3 before = node->parent_slot >= 0 ? Mat3(rotation(u, node->parent_slot) * keyed) : keyed;
    // exp(r) = before^T wanted (S K)^-1, and at r = 0 before^T world = the rotation of S K.
    const Mat3 own = before.transpose() * rotation(u, fk_slots[j]);
    const Vec3 r = rotation_log(before.transpose() * rotation(wanted, ik_slots[j]) * own.transpose());
    for (int k = 0; k < 3; ++k) matched[first + 7 + k] += r[k];
  }
  return matched;
}

}  // namespace rigspace
