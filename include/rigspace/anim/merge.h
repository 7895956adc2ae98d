#pragma once
// Layers made into one clip, and clips made into layers.

#include "rigspace/anim/layers.h"

namespace rigspace {

/// An absolute clip as an additive layer holds it: differences from the rest values, orientations as rest^-1 q. Exact:
/// keys, interpolation and everything else stay. This is how additive clips in glTF are meant, against their reference
/// pose. Tracks whose control is not among the controls are left out.
Animation relative_to_rest(const Animation& animation, std::span<const Control> controls);

/// Base and layers as one absolute clip with linear keys at a rate, in 1/s, over the longest of them. Tracks of
/// the base that no layer moves keep their own keys. Throws Error if a layer is not valid or the rate not positive.
Animation merge_layers(const Animation& base, std::span<const Layer> layers, std::span<const Control> controls,
                       double rate);

}  // namespace rigspace
