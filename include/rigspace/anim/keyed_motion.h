#pragma once
// The artist's motion as physics needs it: at any time, also before and after the clip, and repeated for loops.

#include "rigspace/anim/clip_play.h"

#include <memory>
#include <string>

namespace rigspace {

/// A clip, continued: held at its ends, or repeated. A walk that travels repeats modulo its root's displacement: each
/// turn starts where the last one ended. Where a loop's period is longer than the clip, the pose goes straight from the
/// last key to the first in between.
class KeyedMotion {
 public:
  /// Without a clip the rest pose, for ever. Keeps a reference to the character, not to the clip.
  KeyedMotion(const Character& character, const Animation* clip, const PlayRules& rules = {});

  /// s: of the clip; once it is cyclic, its period.
  double duration() const { return cyclic_ ? play_.period : clip_duration_; }
  /// s: from the clip's first key to its last, cyclic or not.
  double clip_duration() const { return clip_duration_; }

  /// Whether the clip is a loop, and why (decide_play).
  const ClipPlay& play() const { return play_; }
  bool loops() const { return play_.loops; }
  void set_cyclic(bool cyclic) { cyclic_ = cyclic; }
  bool cyclic() const { return cyclic_; }

  /// All controls at any time, seconds; the clip is 0 .. clip_duration. Of a black box to 40 bits of their typical
  /// change, so that a moment that comes again, in another cycle or by another sum, is the same pose to the bit, and is
  /// found in a cache of poses.
  void controls(double time, Vec& p) const;
  /// Whether the rig gives no derivatives of its own.
  bool black_box() const { return units_.size() > 0; }

 private:
  void sample_turn(double time, Vec& p) const;

  Vec rest_;
  Vec units_;  // of a black box: what its controls are rounded to
  std::unique_ptr<Sampler> sampler_;
  double clip_duration_ = 0;
  ClipPlay play_;
  bool cyclic_ = false;
  int travel_control_ = -1;
};

}  // namespace rigspace
