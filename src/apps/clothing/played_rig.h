#pragma once
// Private to clothing: a rig over a clip, with a lead from the rest pose, in which garments are made.

#include "rigspace/anim/keyed_motion.h"

#include <memory>

namespace rigspace {

class PlayedRig {
 public:
  /// The clip from `start` on; within the `lead` seconds before, the rig goes over from its rest pose. Keeps a copy of
  /// the character, which is cheap.
  PlayedRig(const Character& character, const Animation* clip, double start = 0, double lead = 0);

  const Vec& controls(double time);
  const Vec& points(double time);  ///< scene units
  Workspace& workspace() { return *workspace_; }

 private:
  Character character_;
  KeyedMotion motion_;
  std::unique_ptr<Workspace> workspace_;
  double start_, lead_;
  Vec p_, x_;
};

}  // namespace rigspace
