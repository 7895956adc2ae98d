#pragma once
// Clips that repeat: the test for one, and how to make one.

#include "rigspace/anim/animation.h"
#include "rigspace/rig/rig.h"

#include <string>
#include <vector>

namespace rigspace {

/// How the end of a clip meets its start.
struct Seam {
  bool loops = false;                   ///< every control comes back, but for the travel of one node
  std::string traveller;                ///< the node that is elsewhere at the end; empty if none
  Vec3 travel = Vec3::Zero();           ///< of the traveller each turn, in its parent's space
  std::vector<std::string> moved = {};  ///< of a loop: nodes whose tx, ty or tz has keys
};

/// Orientations come back within a degree, all else within 0.1 % of the rig's size or 2 % of its own range. Only a node
/// whose orientation and scale come back may travel.
Seam find_seam(const Rig& rig, const Animation& clip);

struct LoopOptions {
  bool whole = false;       ///< take all of the clip; otherwise the stretch whose ends meet best
  double min_period = 0.5;  ///< s: a shorter stretch is no candidate; positive
  double blend = 0.25;      ///< s before the end over which it is bent to meet the start; at most half of the period
  double rate = 0;          ///< frames a second of the result; 0: those of the source

  void validate() const;
};

struct LoopedClip {
  Animation animation;        ///< linear keys from 0; last equals first to the bit, but for the travel
  double start = 0, end = 0;  ///< s: the stretch of the source
  Seam seam;                  ///< of the result
  double gap_before = 0;      ///< scene units: largest distance of a point between end and start, less the travel
  double gap_after = 0;       ///< the same in the result
  /// Scene units a second: largest change of a point's velocity at the seam, by differences of frames. These do not
  /// quite vanish for a fast motion at few frames a second, however smooth: compare the two.
  double jump_before = 0;
  double jump_after = 0;
};

/// A clip that repeats, modulo the displacement of the node that travels: the stretch whose end is nearest to its start
/// in pose and velocity, seen on the surface, with its end bent to meet the start in value and slope. Throws Error if
/// the clip is shorter than the shortest period.
LoopedClip make_loop(const Rig& rig, const Animation& clip, const LoopOptions& options = {});

}  // namespace rigspace
