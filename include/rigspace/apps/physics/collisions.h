#pragma once
// What the parts of a character collide with: obstacles, its own limbs, its own flesh, other parts.

#include "rigspace/energy/obstacle.h"

#include <vector>

namespace rigspace {

/// Contact of the simulated parts. Without contact, a PartSettings::amount up to 1.5 scales the deviation of the
/// finished run. With contact, amounts above 1 scale the inertial load instead, since a deviation scaled up afterwards
/// would penetrate; amounts below 1 still scale the deviation, so that a part may stop short of a surface that it
/// touched.
struct Collisions {
  std::vector<Obstacle> obstacles;
  bool limbs = false;  ///< parts against the animated skin that is held by other bones than theirs
  bool self = false;   ///< the surface of flesh against itself
  /// Parts against parts that were simulated before them, moving as simulated. All chains are simulated first,
  /// together, then flesh and controls in the order of the parts. Only the later part is pushed; chains pass through
  /// each other.
  bool parts = false;
  double friction = 0.3;  ///< Coulomb's coefficient
  double thickness = 0;   ///< m: contact forces begin at this distance from a surface; 0: 1 % of the part's size

  bool any() const { return limbs || self || parts || !obstacles.empty(); }
  void validate() const;
};

}  // namespace rigspace
