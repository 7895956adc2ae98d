#pragma once
// What the parts of a character run into: obstacles, its own limbs, its own flesh, each other.

#include "rigspace/energy/obstacle.h"

#include <vector>

namespace rigspace {

/// Contact of the simulated parts. Amounts from 1 to 1.5, which otherwise scale the deviation of a finished run, are
/// part of the load here, since a scaled deviation would not know of contact; smaller ones scale what contact does too.
struct Collisions {
  std::vector<Obstacle> obstacles;
  bool limbs = false;  ///< the character's own skin that belongs to other bones than a part's, as it is animated
  bool self = false;   ///< the surface of flesh with itself
  /// Parts that were simulated before, as they then move: chains come first, together, then flesh and controls in the
  /// order of the parts. The later one gives way; chains do not feel each other.
  bool parts = false;
  double friction = 0.3;  ///< Coulomb's mu
  double thickness = 0;   ///< m: contact begins this far from a surface; 0: 1 % of a part's size

  bool any() const { return limbs || self || parts || !obstacles.empty(); }
  void validate() const;
};

}  // namespace rigspace
