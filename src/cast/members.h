#pragma once
// One maker a member; each lives in a file of its own and has a line in cast.cpp.

#include "rigspace/cast/cast.h"

namespace rigspace {

RiggedCharacter make_bobbin(Version version);
RiggedCharacter make_peanut(Version version);
RiggedCharacter make_flower(Version version);
RiggedCharacter make_sphere(Version version);
RiggedCharacter make_bar(Version version);
RiggedCharacter make_sumo(Version version);

}  // namespace rigspace
