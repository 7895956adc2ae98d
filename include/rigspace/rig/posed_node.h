#pragma once
// A node of a hierarchy whose channels come from anywhere: controls that are there already, slots, constants. What
// other programs' bones and objects are translated to, one by one, with their own controls in their own order.

#include "rigspace/rig/graph.h"
#include "rigspace/rig/skeleton.h"
#include "rigspace/rig/source.h"

#include <array>
#include <string>

namespace rigspace {

/// world = parent * ( before R S after | origin + axes t ),  R = the Euler angles in their order, or Q exp(r).
/// A Blender bone has its rest orientation against its parent's as `before`, and as `axes` too unless its location is
/// in the parent's; `origin` is its rest position there.
struct PosedNode {
  std::string name;      ///< for errors
  int parent_slot = -1;  ///< a transform; -1: the scene
  Mat3 before = Mat3::Identity(), after = Mat3::Identity(), axes = Mat3::Identity();
  Vec3 origin = Vec3::Zero();  ///< in the parent's space
  std::array<Source, 3> place = {};
  bool euler = false;  ///< else Q exp(r)
  RotateOrder order = RotateOrder::xyz;
  std::array<Source, 3> angles = {};                                                ///< radians; without `euler` r
  std::array<Source, 4> key = {Source{}, Source{}, Source{}, Source::constant(1)};  ///< Q: x y z w, of any length but 0
  std::array<Source, 3> scale = {Source::constant(1), Source::constant(1), Source::constant(1)};
};

/// Adds the node; no controls. Returns its slot. Throws Error if it reads what the graph does not have.
int add_posed_node(ControlGraph&, const PosedNode&);

}  // namespace rigspace
