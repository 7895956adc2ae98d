#pragma once
// One maker a member; each lives in a file of its own and has a line in cast.cpp.

#include "rigspace/anim/character.h"

namespace rigspace {

Character make_bobbin();

}  // namespace rigspace
