#pragma once
// What blend shapes are made of, for those who write them to files.

#include "rigspace/rig/deformer.h"

#include <optional>
#include <span>

namespace rigspace {

/// The offset of each entry of blend shapes, restricted ones too; nothing if the deformer is another kind.
std::optional<std::span<const Vec3>> shape_offsets(const Deformer&);

}  // namespace rigspace
