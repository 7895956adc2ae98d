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

  /// Whether the clip's end meets its start: all orientations within a degree, all else within 0.1 % of its range or of
  /// the character's size, but for the travel of one node; and no node's velocity jumps there by more
  /// than half of its largest.
  bool loops() const { return loops_; }
  void set_cyclic(bool cyclic) { cyclic_ = cyclic; }
  bool cyclic() const { return cyclic_; }

  /// The node that travels in a loop, and by how much a turn, in its parent's space; empty and zero if none does.
  const std::string& traveller() const { return traveller_; }
  const Vec3& travel() const { return travel_; }

  /// All controls at any time, seconds; the clip is 0 .. duration.
  void controls(double time, Vec& p) const;

 private:
  void find_loop(const Character& character, const Animation& clip);

  Vec rest_;
  std::unique_ptr<Sampler> sampler_;
  double duration_ = 0;
  bool loops_ = false, cyclic_ = false;
  std::string traveller_;
  Vec3 travel_ = Vec3::Zero();
  int travel_control_ = -1;
};

}  // namespace rigspace
