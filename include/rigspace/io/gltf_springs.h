#pragma once
// Spring bones in a glTF document: the extension VRMC_springBone 1.0.

#include "rigspace/anim/spring_bones.h"
#include "rigspace/io/gltf.h"

#include <span>

namespace rigspace {

/// Adds the chains, counted in the bones of the file's character, with a node at the end of each, as the format needs
/// one. Springs that the file has stay, and come first. Throws Error where a bone is no node of the file.
void add_springs(GltfFile& file, std::span<const SpringChain> chains);

}  // namespace rigspace
