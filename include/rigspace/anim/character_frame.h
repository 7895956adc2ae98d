#pragma once
// A character's own frame.

#include "rigspace/anim/character.h"
#include "rigspace/geometry/own_frame.h"

namespace rigspace {

/// The frame of a character's rest surface, y up. Its x is the most level axis of the bone at the root of the skeleton,
/// which in nearly all rigs lies in the plane of symmetry, so that x is left, right, forward or backward. Without
/// bones: the principal axes of the surface.
OwnFrame character_frame(const Character& character);
OwnFrame character_frame(const Character& character, const TriMesh& rest_surface);

}  // namespace rigspace
