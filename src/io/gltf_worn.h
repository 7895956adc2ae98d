#pragma once
// A piece that a character wears, in the character's document.

#include "gltf_patch.h"
#include "rigspace/anim/character.h"

namespace rigspace {

/// See GltfFile::add_worn_piece. Checks everything first and then changes the document.
void append_worn_piece(GltfDocument&, const GltfScene&, const Character& worn);

}  // namespace rigspace
