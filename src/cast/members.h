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
RiggedCharacter make_sumo(Version version);
RiggedCharacter make_elephant(Version version);
RiggedCharacter make_toon(Version version);
RiggedCharacter make_face(Version version);
RiggedCharacter make_dragon(Version version);
RiggedCharacter make_dragon_torso(Version version);
RiggedCharacter make_dragon_wings(Version version);
RiggedCharacter make_dragon_head(Version version);
RiggedCharacter make_dragon_tail(Version version);
RiggedCharacter make_dragon_front_legs(Version version);
RiggedCharacter make_dragon_hind_legs(Version version);

// Version `rig`, with sketch abstractions.
CastSketch make_toon_sketch();
CastSketch make_face_sketch();
CastSketch make_dragon_sketch();
CastSketch make_dragon_part_sketch(int part);  ///< in the order above

}  // namespace rigspace
