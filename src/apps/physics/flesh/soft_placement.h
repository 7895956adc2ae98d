#pragma once
// Private to physics: where soft joints go, and what of the skin they take.

#include "flesh_region.h"

#include <vector>

namespace rigspace {

/// A soft joint to be.
struct Placed {
  Vec3 center;  ///< scene space, at rest
  int parent;   ///< into Character::bones
};

struct Placement {
  std::vector<Placed> joints;
  Vec softness;      ///< per node of the region, 0..1
  double width = 0;  ///< scene units: how far a joint's influence reaches
};

/// From the lowest vibrations of the region with its held nodes held: the places that explain them best.
Placement place_joints(const Region& region, const std::vector<char>& chosen, int most, double poisson);

/// What the joints take of a point at x that these bones hold: pairs of joint and share of its parent's weight. With
/// the bones that keep something they are at most `max_influences`, or as many as the bones were.
std::vector<std::pair<int, double>> shares_at(const Placement& placement, const Vec3& x, double softness,
                                              const std::vector<std::pair<int, double>>& bones, int max_influences);

}  // namespace rigspace
