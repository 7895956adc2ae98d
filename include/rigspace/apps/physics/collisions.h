#pragma once
// What the parts of a character run into: the ground, balls and capsules, other characters, its own limbs.

#include "rigspace/anim/character.h"
#include "rigspace/energy/collider.h"

#include <functional>
#include <string>
#include <vector>

namespace rigspace {

/// A shape in the scene, over a clip.
struct Obstacle {
  std::string name;
  Collider shape;  ///< scene units
  /// Points of a mesh at a time of the clip, s, also before and after it; empty: it stands still.
  std::function<void(double time, Vec& points)> points;
  /// The rigid motion of any other shape, from where it was made; empty: it stands still.
  std::function<Affine(double time)> pose;

  /// With SimulationOptions::follow_animation, do not fight the artist: only what goes deeper than the animated pose
  /// does by itself is pushed out. So with the character's own limbs; what somebody puts into its way dents it.
  bool artist_first = false;
};

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

/// The half space below y = 0.
Obstacle ground();

/// A character's surface along one of its clips (none: at rest), for ever: loops go on, others stay at their end.
Obstacle obstacle_of(Character character, const std::string& clip);

/// `ground`, `sphere:x,y,z,r` or `capsule:x,y,z,x,y,z,r`, in scene units. Throws Error for anything else.
Obstacle obstacle_from_words(const std::string& words);
/// Whether the words are those of a shape, as against a file.
bool is_shape(const std::string& words);

}  // namespace rigspace
