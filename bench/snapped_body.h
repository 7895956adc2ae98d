#pragma once
// Bodies whose skin nodes are moved onto points of the rig, so that they need one point each, however fine the surface.

#include "rigspace/body/rig_body.h"

namespace rigspace::bench {

struct SnapOptions {
  double within = 0.2;        ///< how far a node may be moved, as a share of the mean edge at the skin
  double least_volume = 0.3;  ///< of a tetrahedron, as a share of its own before

  void validate() const;
};

/// The same body with nodes of the skin moved, at rest, onto the nearest point that they are tied to: each then needs
/// that one point, not the three corners of a triangle or the sixteen around a place beside the surface, and the cost
/// of a step does not grow with the surface. No two nodes share a point. Nodes that are too far from theirs, or would
/// flatten a tetrahedron, keep their place and ties. Nodes inside get new harmonic weights of the skin. Nodes without
/// tetrahedra (RigBodyOptions::points) keep their place and ties.
RigBody snapped_to_points(const RigBody& body, const SnapOptions& options = {});

}  // namespace rigspace::bench
