#pragma once
// Private to physics: nodes of a body by points of its rig alone, those inside through what carries them, and their
// derivatives by the free controls.

#include "rigspace/body/rig_body.h"
#include "rigspace/geometry/harmonic.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// Node i is the sum of weight[e] s[point[e]], e in start[i] .. start[i + 1], where nodes inside are the sums of their
/// carriers.
struct CarriedRows {
  std::shared_ptr<const Rig> rig;
  std::vector<int> start{0}, point;
  std::vector<double> weight;

  int node_count() const { return static_cast<int>(start.size()) - 1; }
  /// These nodes alone, ascending, and the rig for the points that they need. It must not outlive this one.
  CarriedRows restricted(std::span<const int> nodes) const;
  /// dx/dp over the controls `free`, ascending, from that of the rig's points.
  void jacobian(const BlockJacobian& of_points, BlockJacobian& of_nodes) const;
};

/// Throws Error if a carrier is no node of the skin, or there is not one list a node.
CarriedRows carried_rows(const RigBody& body, const CarrierWeights& interior);

/// x inside from x on the skin: x_i = sum_j w_ij x_j.
void carry_inside(const RigBody& body, const CarrierWeights& interior, Vec& x);

}  // namespace rigspace
