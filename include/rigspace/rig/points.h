#pragma once
// Points that controls move: of curves, lattices, aims and poles.

#include "rigspace/rig/graph.h"
#include "rigspace/rig/source.h"

#include <string>
#include <vector>

namespace rigspace {

struct PointDescription {
  std::string name;
  int parent_slot = -1;               ///< a transform; -1: the scene
  Vec3 position = Vec3::Zero();       ///< at rest, in the parent's space
  double typical_length = 1;          ///< an ordinary displacement, units of the parent's space
  std::vector<DrivenChannel> driven;  ///< channels 0..2
};

/// Adds the controls `<name>.tx ty tz`, which rest at 0: offsets from `position`, in the parent's space. Returns a slot
/// of three numbers in scene space:  parent * (position + t).
int add_point(ControlGraph&, const PointDescription&);

/// Where a transform takes a point of its own space; no controls. Returns a point slot.
int add_point_of_transform(ControlGraph&, int transform_slot, const Vec3& local);

/// A transform slot with the scene's axes and its origin at a point: moves, never turns.
int add_transform_of_point(ControlGraph&, int point_slot);

/// The graph's slots with all controls at rest.
Vec rest_slots(const ControlGraph&);

}  // namespace rigspace
