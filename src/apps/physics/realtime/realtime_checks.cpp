// What a model file must have. Its checksum finds accidents; these find what no program of ours writes.

#include "realtime_fields.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kShortestStep = 1e-4;  // s: of a grid; buffers hold two seconds of steps

bool all_below(std::span<const int> list, int limit) {
  return std::all_of(list.begin(), list.end(), [&](int each) { return each >= 0 && each < limit; });
}

bool ascending(std::span<const int> list) {
  return std::adjacent_find(list.begin(), list.end(), [](int a, int b) { return a >= b; }) == list.end();
}

/// Of row-compressed data: where rows begin.
bool are_starts(std::span<const int> start, std::size_t rows, std::size_t entries) {
  return start.size() == rows + 1 && start.front() == 0 && std::is_sorted(start.begin(), start.end()) &&
         static_cast<std::size_t>(start.back()) == entries;
}

bool is_one_of(NodeRole role) { return role == NodeRole::held || role == NodeRole::bound; }

bool fits(const PointTies& ties, std::size_t nodes, int points) {
  return are_starts(ties.start, nodes, ties.point.size()) && ties.weight.size() == ties.point.size() &&
         all_below(ties.point, points);
}

bool fits(const BlockJacobian& J, std::size_t nodes, std::size_t free) {
  if (J.start.empty()) return J.column.empty();
  if (!are_starts(J.start, nodes, J.column.size()) || J.value.cols() != std::ssize(J.column) ||
      J.columns != static_cast<int>(free) || !all_below(J.column, J.columns))
    return false;
  for (std::size_t k = 0; k < nodes; ++k)
    if (!ascending(std::span(J.column).subspan(static_cast<std::size_t>(J.start[k]),
                                               static_cast<std::size_t>(J.start[k + 1] - J.start[k]))))
      return false;
  return true;
}

bool has_size(const Vec& list, std::size_t size) { return list.size() == static_cast<Eigen::Index>(size); }

}  // namespace

void check_body(const Unpacker& in, const SteppedBody& body) {
  const auto nodes = body.roles.size(), free = body.free.size();
  const int controls = static_cast<int>(body.rig->controls().size());
  in.require(nodes > 0 && std::all_of(body.roles.begin(), body.roles.end(), is_one_of), "the nodes of a body");
  in.require(free > 0 && ascending(body.free) && all_below(body.free, controls), "the controls of a body");
  in.require(fits(body.ties, nodes, body.rig->point_count()), "the ties of a body");
  in.require(body.moves.empty() || fits(body.moves, nodes, body.rig->point_count()), "the ties of a body");
  in.require(fits(body.response, nodes, free), "the response of a body");
  in.require(!body.groups.empty(), "the masses of a body");
  for (const MassGroup& group : body.groups) in.require(has_size(group.masses, nodes), "the masses of a body");
  for (const Tet& tet : body.tets) in.require(all_below(tet, static_cast<int>(nodes)), "an element");
  for (const RodJoint& rod : body.rods) in.require(rod.first >= 0 && rod.first + 3 <= static_cast<int>(free), "a rod");
  in.require(body.limits.empty() || 3 * body.limits.size() == free, "the limits of a body");
  in.require(body.limit_weights.empty() || body.limit_weights.size() == body.limits.size(), "the limits of a body");
  check_settings(in, body, body);
}

void check_settings(const Unpacker& in, const SteppedBody& body, const SteppedBody& settings) {
  const auto free = body.free.size();
  in.require(settings.groups.size() == body.groups.size(), "the groups of a body");
  in.require(settings.factors.empty() || settings.factors.size() == body.tets.size(), "the factors of elements");
  in.require(settings.rods.size() == body.rods.size(), "the rods of a body");
  in.require(settings.springs.size() == 0 || has_size(settings.springs, free), "the springs of a body");
  in.require(settings.springs.size() == body.springs.size() && settings.coupling.size() == body.coupling.size(),
             "the springs of a body");
  in.require(settings.coupling.size() == 0 || (settings.coupling.rows() == settings.coupling.cols() &&
                                               settings.coupling.rows() == static_cast<Eigen::Index>(free)),
             "the springs of a body");
  in.require(settings.limits.size() == body.limits.size(), "the limits of a body");
  in.require((settings.reach_limit > 0) == (body.reach_limit > 0), "the limits of a body");
  in.require(std::isfinite(settings.stiffness) && settings.stiffness > 0, "the stiffness of a body");
}

void check_limbs(const Unpacker& in, const LimbMesh& limbs) {
  in.require(limbs.mesh.points.size() == 3 * static_cast<Eigen::Index>(limbs.rig->point_count()), "the limbs");
  for (const Triangle& triangle : limbs.mesh.triangles)
    in.require(all_below(triangle, limbs.mesh.point_count()), "the limbs");
}

void check_training(const Unpacker& in, const RealtimeTraining& training) {
  training.options.validate();
  in.require(training.options.step >= kShortestStep && training.options.metres_per_unit > 0, "the options");
  in.require(std::ranges::find(kAllMaterialKinds, training.options.material) != std::end(kAllMaterialKinds),
             "the material");
  const int controls = static_cast<int>(training.character.rig->controls().size());
  const std::size_t bodies = training.bodies.size();
  in.require(ascending(training.free) && all_below(training.free, controls), "the simulated controls");
  in.require(training.trained.size() == bodies && training.places.size() == bodies &&
                 training.groups.size() == bodies && training.whole.size() == bodies,
             "the bodies");
  for (std::size_t b = 0; b < bodies; ++b) {
    const SteppedBody& body = training.bodies[b];
    in.require(static_cast<int>(body.rig->controls().size()) == controls, "the rig of a body");
    in.require(training.places[b].size() == body.free.size() &&
                   all_below(training.places[b], static_cast<int>(training.free.size())),
               "the simulated controls");
    in.require(training.groups[b].size() == body.free.size() &&
                   all_below(training.groups[b], static_cast<int>(body.groups.size())),
               "the groups of controls");
  }
  for (const int q : training.quaternions) in.require(q >= 0 && q + 4 <= controls, "an orientation");
}

void check_springs(const Unpacker& in, const SpringStandIn& springs, const RealtimeTraining& training) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*training.character.rig);
  const int slots = static_cast<int>(rig.graph().slots().size()), controls = static_cast<int>(rig.controls().size());
  const int free = static_cast<int>(training.free.size()), joints = static_cast<int>(springs.joints.size());
  in.require(springs.free_count == free && ascending(springs.needed) && all_below(springs.needed, slots),
             "the spring bones");
  const auto is_node = [&](int slot) { return slot >= 0 && slot < slots && node_description(rig.graph(), slot); };
  for (int j = 0; j < joints; ++j) {
    const StandInJoint& joint = springs.joints[static_cast<std::size_t>(j)];
    in.require(is_node(joint.slot) && (joint.parent_slot == -1 || is_node(joint.parent_slot)) && joint.above >= -1 &&
                   joint.above < j && joint.group >= 0 && joint.group < std::ssize(springs.groups) &&
                   all_below(joint.controls, controls) && all_below(joint.places, free),
               "a spring bone");
    for (const int slot : {joint.slot, joint.parent_slot})
      in.require(slot < 0 || std::ranges::binary_search(springs.needed, slot), "a spring bone");
  }
}

}  // namespace rigspace
