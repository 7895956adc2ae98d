#include "rigspace/body/stepped_body.h"

namespace rigspace {

RigSpaceDescription description_of(const SteppedBody& body) {
  RigSpaceDescription d{.rig = body.rig, .free = body.free, .node_count = body.node_count()};
  d.relative = !body.moves.empty();
  for (int i = 0; i < body.node_count(); ++i) {
    if (body.roles[i] == NodeRole::interior) d.interior.push_back(i);
    if (body.roles[i] != NodeRole::bound) continue;
    d.bound.push_back(i);
    d.ties.append(d.relative ? body.moves : body.ties, i);
  }
  return d;
}

}  // namespace rigspace
