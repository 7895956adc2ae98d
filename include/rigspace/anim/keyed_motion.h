#pragma once
// The artist's motion as physics needs it: at any time, also before and after the clip, and round and round for loops.

#include "rigspace/anim/character.h"

#include <string>

namespace rigspace {

/// A clip, continued: held at its ends, or repeated. A walk that travels repeats modulo its root's displacement: each
/// turn starts where the last one ended.
class KeyedMotion {
 public:
  /// Without a clip the rest pose, for ever. Keeps a reference to the character, not to the clip.
  KeyedMotion(const Character& character, const Animation* clip);

  double duration() const { return duration_; }

  /// Whether the clip's end meets its start (find_seam), and no node's velocity jumps there by more than half of its
  /// largest.
  bool loops() const { return loops_; }
  void set_cyclic(bool cyclic) { cyclic_ = cyclic; }
  bool cyclic() const { return cyclic_; }

  /// The node that travels in a loop, and by how much a turn, in its parent's space; empty and zero if none does.
  const std::string& traveller() const { return traveller_; }
  const Vec3& travel() const { return travel_; }

  /// All controls at any time, seconds; the clip is 0 .. duration. Of a black box to 40 bits of their typical change,
  /// so that a moment that comes again, in another cycle or by another sum, is the same pose to the bit: whoever
  /// remembers poses need not evaluate it again.
  void controls(double time, Vec& p) const;
  /// Whether the rig gives no derivatives of its own.
  bool black_box() const { return units_.size() > 0; }

 private:
  void find_loop(const Character& character, const Animation& clip);

  Vec rest_;
  Vec units_;  // of a black box: what its controls are rounded to
  std::unique_ptr<Sampler> sampler_;
  double duration_ = 0;
  bool loops_ = false, cyclic_ = false;
  std::string traveller_;
  Vec3 travel_ = Vec3::Zero();
  int travel_control_ = -1;
};

}  // namespace rigspace
