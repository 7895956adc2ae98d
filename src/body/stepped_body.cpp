#include "rigspace/body/stepped_body.h"

namespace rigspace {

RigSpaceDescription description_of(const SteppedBody& body) {
  RigSpaceDescription d{.rig = body.rig, .free = body.free, .node_count = body.node_count(), .bind_start = {0}};
  for (int i = 0; i < body.node_count(); ++i) {
    if (body.roles[i] == NodeRole::interior) d.interior.push_back(i);
    if (body.roles[i] != NodeRole::bound) continue;
    d.bound.push_back(i);
    const bool moved = !body.moves.point.empty();
    const auto& start = moved ? body.moves.start : body.start;
    for (int e = start[i]; e < start[i + 1]; ++e) {
      d.bind_point.push_back(moved ? body.moves.point[e] : body.point[e]);
      d.bind_weight.push_back(moved ? body.moves.weight[e] : body.weight[e]);
    }
    d.bind_start.push_back(static_cast<int>(d.bind_point.size()));
  }
  d.relative = !body.moves.point.empty();
  return d;
}

}  // namespace rigspace
