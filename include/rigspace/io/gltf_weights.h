#pragma once
// Other skin weights in a glTF document.

#include "rigspace/io/gltf.h"
#include "rigspace/rig/deformer.h"

#include <cstddef>
#include <span>
#include <vector>

namespace rigspace {

/// The file as a GLB in which the primitives that follow a skin have these weights, all else as it is. Influences: one
/// list per point of the file's character, joints counted in its `bones`; a primitive none of whose points has one
/// stays as it is. Throws Error if a joint is not in the primitive's skin, or two nodes show one mesh and need other
/// weights.
std::vector<std::byte> glb_with_skin_weights(const GltfFile& file, std::span<const std::vector<Influence>> influences);

}  // namespace rigspace
