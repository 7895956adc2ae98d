#pragma once
// Joints that share the turn of another: the cure for wrists that collapse like candy wrappers, and for elbows that
// lose volume.

#include "rigspace/rig/graph.h"
#include "rigspace/rig/source.h"

#include <string>

namespace rigspace {

/// The child's rotation relative to its parent, counted from rest, is split into a twist about `axis` and a swing
/// (child = parent * rest * swing * twist); the helper takes a share of each. At rest it has the child's rotation.
struct HelperJoint {
  std::string name;
  int parent_slot = -1;                  ///< a transform: forearm
  int child_slot = -1;                   ///< a transform that moves with the parent: hand
  Vec3 axis = Vec3::UnitX();             ///< of the twist, in the child's axes
  Source twist = Source::constant(0.5);  ///< share of the twist
  Source swing = Source::constant(0);    ///< share of the swing
  double along = 0.5;                    ///< where it sits: 0 at the parent's origin, 1 at the child's
};

/// Returns a transform slot. Angles are those nearest to rest, within half a turn.
int add_helper_joint(ControlGraph&, const HelperJoint&);

}  // namespace rigspace
