#pragma once
// Dual quaternion skinning as Blender's armatures do it where they preserve volume.

#include "rigspace/rig/deformer.h"

#include <memory>

namespace rigspace {

/// As make_dual_quaternion_skin, but turn and stretch of a joint are separated in its own axes, at its own place: R has
/// the joint's y axis and its x axis as far as that is orthogonal, S stretches about the joint's origin at rest, and a
/// point takes each quaternion with the sign whose dot product with the sum of its earlier influences is not negative.
/// `inverse_bind` must be the inverse of where the joints rest, without scale. Where nothing is scaled both skins are
/// the same, but for signs.
std::unique_ptr<Deformer> make_volume_skin(const SkinDescription&);

}  // namespace rigspace
