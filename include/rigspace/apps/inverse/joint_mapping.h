#pragma once
// Which joint of a motion's skeleton moves which bone of a character: by name, by part of the body, or as given.

#include "rigspace/apps/inverse/source_body.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// What a user says about one bone: `--map hand.l=LeftWrist`; an empty source leaves the bone to its parent.
struct GivenMatch {
  std::string own, source;
};

/// "own=source" of each line or word; "own=-" or "own=" leaves out; # begins a comment. Throws Error for anything else.
std::vector<GivenMatch> read_given_matches(std::string_view text, const std::string& file);

struct JointMatch {
  int own = -1, source = -1;  ///< bones; source -1: it follows its parent
  std::string what;           ///< the part of the body, or "name"
  std::string how;            ///< "name and place", "name", "place", "given", "same name", "follows its parent"
  double sure = 0;            ///< 0 to 1; the less sure of both sides
};

/// Of all joints of `own` that were asked for, and of all parts of its body.
struct JointMapping {
  std::vector<JointMatch> matches;
  BodyJoints own_body;
  SourceBody source;     ///< as it stands upright
  bool by_body = false;  ///< both bodies were found

  const JointMatch* of(int own_bone) const;
};

/// For each of the joints of `own` a bone of the source. As given; else, where both are bodies on two legs, the same
/// part of the body, of a spine or neck with another number of joints the nearest; else the same name, without case,
/// separators and what stands before a colon. Throws Error for a joint that has none: of a body a limb or the head
/// (other joints follow their parent), else any; and for joints that are given but not there. `clip` and
/// `reference_time`: as of find_source_body.
JointMapping map_joints(const Character& own, std::span<const std::string> joints, const Character& source,
                        std::span<const GivenMatch> given = {}, const Animation* clip = nullptr,
                        double reference_time = -1);

/// By name alone, all of these joints; throws Error for one that is missing.
JointMapping map_joints_by_name(const Character& own, std::span<const std::string> joints, const Character& source);
/// The source's bone of the same name; -1 without.
int bone_by_name(const Character& source, const Character& own, int bone);

/// What a model should be trained on for motions of other bodies: the joints of the character's own body, without
/// fingers and helpers, with points beside its ends that show how they are turned ("head|y"). Empty without a body on
/// two legs.
std::vector<std::string> body_features(const Character& character);

}  // namespace rigspace
