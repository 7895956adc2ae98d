#pragma once
// The body of a character for pulls (pose.h), meshed once. A Poser for any points is then made in milliseconds.

#include "rigspace/anim/character.h"
#include "rigspace/base/progress.h"
#include "rigspace/body/rig_body.h"

#include <span>
#include <vector>

namespace rigspace {

struct PullBodyOptions {
  double cell = 0;      ///< edge of a lattice cube, scene units; 0: `share` of the diagonal, more for stout characters
  double share = 0.03;  ///< of the diagonal
  int nodes = 1500;     ///< about the most that a stout character has
  bool use_cache = false;  ///< bodies from the cache, and into it

  void validate() const;
};

class PullBody {
 public:
  /// Refers to the character. Throws Error if its surface encloses no volume, and Cancelled.
  explicit PullBody(const Character& character, const PullBodyOptions& options = {}, const ProgressCallback& = {});

  const Character& character() const { return character_; }
  /// The body with nodes of their own at these points of the rig, after those of the mesh. Throws Error for points that
  /// do not exist.
  RigBody with_points(std::span<const int> points) const;
  /// As posable_controls (pose.h).
  std::vector<int> posable(In p, bool points_are_held, std::span<const int> points) const;

 private:
  const Character& character_;
  std::vector<int> bones_;  // of each point of the rig the bone that holds it most (posable.h)
  RigBody body_;            // on the whole rig
};

}  // namespace rigspace
