#pragma once
// Private to physics: nodes of a body by points of its rig alone, those inside through what carries them, and their
// derivatives by the free controls.

#include "rigspace/body/rig_body.h"
#include "rigspace/geometry/harmonic.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// Row i of `ties` is node i, where nodes inside are the sums of their carriers. Rows of held nodes are empty: no free
/// control moves them.
struct CarriedRows {
  std::shared_ptr<const Rig> rig;
  PointTies ties;

  int node_count() const { return ties.count(); }
  /// These nodes alone, ascending, and the rig for the points that they need. It must not outlive this one.
  CarriedRows restricted(std::span<const int> nodes) const;
};

/// Throws Error if a carrier is no node of the skin, or there is not one list a node.
CarriedRows carried_rows(const RigBody& body, const CarrierWeights& interior);

/// x inside from x on the skin: x_i = sum_j w_ij x_j.
void carry_inside(const RigBody& body, const CarrierWeights& interior, Vec& x);

}  // namespace rigspace
