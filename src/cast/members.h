#pragma once
// One maker a member; each lives in a file of its own and has a line in cast.cpp.

#include "rigspace/cast/cast.h"
#include "rigspace/cast/sketch_curves.h"

namespace rigspace {

RiggedCharacter make_bobbin(Version version);
RiggedCharacter make_peanut(Version version);
RiggedCharacter make_flower(Version version);
RiggedCharacter make_sphere(Version version);
RiggedCharacter make_bar(Version version);
RiggedCharacter make_squirrel(Version version);
RiggedCharacter make_sumo(Version version);
RiggedCharacter make_elephant(Version version);
RiggedCharacter make_hound(Version version);
RiggedCharacter make_mannequin(Version version);
RiggedCharacter make_arm(Version version);
RiggedCharacter make_stout_arm(Version version);
RiggedCharacter make_torso(Version version);
RiggedCharacter make_stout_torso(Version version);
RiggedCharacter make_head(Version version);

// Version `rig` has sketch abstractions.
CastSketch make_toon(Version version);
CastSketch make_face(Version version);
CastSketch make_dragon(Version version);
CastSketch make_dragon_part(int part, Version version);  ///< torso, wings, head, tail, front legs, hind legs

}  // namespace rigspace
