#pragma once
// Whether a clip loops or plays once, and which rule decides it.

#include "rigspace/anim/character.h"

#include <string>
#include <vector>

namespace rigspace {

/// How a clip is played.
struct ClipPlay {
  bool loops = false;
  /// s. Of a loop: its duration, or one frame more where the file leaves out the closing frame, which equals the first.
  double period = 0;
  std::string why;             ///< the rule that decided, after "loops, since" or "plays once, since"
  std::string traveller;       ///< of a loop: the node that is elsewhere after each turn; empty if none
  Vec3 travel = Vec3::Zero();  ///< of the traveller each turn, in its parent's space
  bool off_ground = false;     ///< by its name the character swims, flies, hovers or floats
};

/// Patterns with * and ? of clips that a user declares loops, or not loops; `loop` is matched first.
struct PlayRules {
  std::vector<std::string> loop = {}, once = {};
};

/// Decides by the first of these that applies:
///  1. the patterns;
///  2. a word of the name that stands for something that happens once: attack, hit, pick up, death ..;
///  3. a word that stands for a loop: walk, run, idle, swim .., provided that the pose comes back at least nearly;
///  where
///     there is none, a word for a leap: once;
///  4. the clip begins and ends in the pose of the character's idle clip: once;
///  5. the pose comes back at the last key, or one frame later: a loop of that period;
///  6. once.
/// Poses are compared control by control, so that the rig is not evaluated.
ClipPlay decide_play(const Character& character, const Animation& clip, const PlayRules& rules = {});

/// The clip on which a character moves from place to place most ordinarily, by its name: walk, else trot, run, swim,
/// fly ..; of several the one with the shortest name. Null if no name has such a word. Clips without duration are left
/// out.
const Animation* ordinary_locomotion(const Character& character);

}  // namespace rigspace
