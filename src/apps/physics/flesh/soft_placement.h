#pragma once
// Private to physics: where soft joints are placed, and which share of the skin weights they get.

#include "flesh_region.h"

#include <vector>

namespace rigspace {

/// A soft joint that is to be added.
struct Placed {
  Vec3 center;  ///< scene space, at rest
  int parent;   ///< into Character::bones
};

struct Placement {
  std::vector<Placed> joints;
  Vec softness;  ///< per node of the region, 0..1: amplitude in the lowest modes, relative to the largest of the skin
  double width = 0;  ///< scene units: radius of a joint's influence
};

/// Places at most `most` joints where they reproduce the lowest vibration modes of the region best; its held nodes are
/// fixed. `chosen`: flags of the bones that may be parents.
Placement place_joints(const Region& region, const std::vector<char>& chosen, int most, double poisson);

/// For a point at x with these bone weights: pairs of soft joint and the share of its parent's weight that it takes.
/// Joints and bones with weight left are together at most `max_influences`, or as many as the bones, if these are more.
std::vector<std::pair<int, double>> shares_at(const Placement& placement, const Vec3& x, double softness,
                                              const std::vector<std::pair<int, double>>& bones, int max_influences);

}  // namespace rigspace
