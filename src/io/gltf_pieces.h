#pragma once
// What a primitive that is written anew consists of.

#include "gltf_patch.h"
#include "rigspace/anim/character.h"

#include <span>
#include <vector>

namespace rigspace {

/// Floats for vertices; `bounds` writes min and max, which POSITION needs.
int append_vertices(GltfDocument&, const char* type, const std::vector<float>& numbers, bool bounds = false);

/// POSITION, NORMAL, TEXCOORD_0 and COLOR_0 of a piece, as far as it has them. `points`: those of the whole rig, at
/// rest, flattened; normals that the piece lacks come from these.
Json append_attributes(GltfDocument&, const Piece& piece, const Vec& points);

/// Corners of triangles that count the primitive's own vertices.
int append_corners(GltfDocument&, const std::vector<int>& corners, int vertices);

/// A skin of these nodes.
int append_skin(GltfDocument&, std::span<const int> joints, std::span<const Affine> inverse_bind);

}  // namespace rigspace
