#pragma once
// All nodes of a body as weighted sums of points of its rig: nodes inside through the skin nodes that carry them. For
// training, where the free controls are the only unknowns.

#include "rigspace/body/rig_body.h"
#include "rigspace/geometry/harmonic.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// Row i of `ties` is node i; of a node inside it is the weighted sum of the rows of its carriers. Rows of held nodes
/// are empty: no free control moves them.
struct CarriedRows {
  std::shared_ptr<const Rig> rig;
  PointTies ties;

  int node_count() const { return ties.count(); }
  /// The rows of `nodes`, ascending, and the rig restricted to the points that those rows need. The result refers to
  /// this rig and must not outlive it.
  CarriedRows restricted(std::span<const int> nodes) const;
};

/// `interior`: for each node inside, the skin nodes that carry it and their weights. Throws Error if a carrier is not a
/// node of the skin, or if there is not one list per node.
CarriedRows carried_rows(const RigBody& body, const CarrierWeights& interior);

/// Sets the nodes inside from those of the skin, x_i = sum_j w_ij x_j. `x`: all nodes.
void carry_inside(const RigBody& body, const CarrierWeights& interior, Vec& x);

}  // namespace rigspace
