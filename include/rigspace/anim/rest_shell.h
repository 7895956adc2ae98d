#pragma once
// For a page that cannot evaluate the rig: the surface at rest, whose moved points the server then sends.

#include "rigspace/anim/character.h"

#include <vector>

namespace rigspace {

/// The drawn pieces at rest, in scene space, with materials, and the bones as plain nodes in their hierarchy, at their
/// origin. No deformers, controls of nodes only, no clips. Pieces have names of their own, so that a file keeps their
/// order: its points are those of drawn_points.
Character rest_shell(const Character& character);

/// The points of the drawn pieces, in the order of the pieces: numbers of points of the rig.
std::vector<int> drawn_points(const Character& character);

}  // namespace rigspace
