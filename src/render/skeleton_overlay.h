#pragma once
// Private to render: bones drawn over a picture.

#include "rigspace/render/renderer.h"

namespace rigspace {

/// Each bone from its parent's joint to its own: a slim octahedron, nearer bones over farther ones.
void draw_skeleton(Picture& onto, const Character& character, const Snapshot& snapshot, const Camera& camera);

}  // namespace rigspace
