#pragma once
// Spheres and capsules that the user moves while the solver runs: only their places change, bodies stay.

#include "project.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace::studio {

/// Used on the studio's thread alone, on which the solver steps.
class LiveObstacles {
 public:
  /// The world of the project (world_of), with obstacles that `move` moves.
  RealtimeWorld world(const Project& project);
  /// Moves the obstacles of the last world to where these words have them. False, and nothing moved, where one has
  /// another size or direction, or there are others.
  bool move(const std::vector<std::string>& words);
  /// After a solved frame: what has moved stands still again.
  void arrive();

 private:
  struct Place {
    Vec3 before = Vec3::Zero(), now = Vec3::Zero();  // scene units, from where it was made
  };
  std::vector<std::string> words_;              // of the last world
  std::vector<std::shared_ptr<Place>> places_;  // of its obstacles, null where one does not move
};

/// How far a word of a sphere or capsule stands from another of the same shape; nothing where they differ in more.
std::optional<Vec3> shift_between(const std::string& from, const std::string& to);

}  // namespace rigspace::studio
