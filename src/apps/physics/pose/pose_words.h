#pragma once
// Private to physics: reads the texts of a PoseRequest (pose_character.h): vertices, targets, patterns of controls.

#include "rigspace/apps/physics/pose_character.h"

#include <string>
#include <vector>

namespace rigspace {

/// Finds vertices of a character in one pose.
class VertexFinder {
 public:
  /// `p`: all controls. `name`: stands for the character in messages. Refers to the character.
  VertexFinder(const Character& character, std::string name, In p);

  /// The point of the rig that a text names (PoseTarget::vertex). For a joint: the vertex of a drawn surface nearest to
  /// it, of those that the joint's own rotations move, if they move any. Throws Error.
  int find(const std::string& text) const;
  Vec3 position(int vertex) const { return point(points_, vertex); }  ///< scene space
  const Vec& points() const { return points_; }                       ///< all points of the rig, scene space

 private:
  int nearest(const Vec3& place, const std::string& node) const;

  const Character& character_;
  std::string name_;
  Vec p_, points_;
  std::vector<Vec3> joints_;  // origin of each bone, scene space; empty for a rig that is not built in
};

/// The path of a target in scene space; a place is a path with one key. Throws Error.
PullPath path_of(const PoseTarget& target, const Vec3& start);

struct PosedPoints {
  std::vector<int> pulled, held;  ///< points of the rig
  bool swing = false;             ///< solved with momentum: joints off the chains of these points are free as well
};

/// The controls that the patterns leave free, ascending. Throws Error if a pattern matches no control, or no control is
/// free.
std::vector<int> free_controls(const Character& character, In p, const PosePatterns& patterns,
                               const PosedPoints& points);

}  // namespace rigspace
