#pragma once
// Shapes that bodies run into, over time: the ground, balls and capsules, meshes that move.

#include "rigspace/base/affine.h"
#include "rigspace/energy/collider.h"

#include <functional>
#include <string>

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
  /// does by itself is pushed out. For the character's own limbs; obstacles of the scene dent it.
  bool artist_first = false;
};

/// The half space below y = 0.
Obstacle ground();

/// `ground`, `sphere:x,y,z,r` or `capsule:x,y,z,x,y,z,r`, in scene units. Throws Error for anything else.
Obstacle obstacle_from_words(const std::string& words);
/// Whether the words are those of a shape, as against a file.
bool is_shape(const std::string& words);

}  // namespace rigspace
