#pragma once
// Private to inverse: examples of a rig that another program evaluates, beyond its clips.

#include "rigspace/apps/inverse/features.h"

namespace rigspace {

/// Places and turns of controls that match any of the patterns and move the features at rest by at least a thousandth
/// of their size, ascending; a node that turns them has all its angles. Without patterns those that lists offer, but
/// tweaks: controls of rigs that have "tweak" in their names are there to correct single bones.
std::vector<int> offered_controls(const Character& character, const FeatureRig& features,
                                  std::span<const std::string> patterns);

/// Columns of all controls: each of these moved by its typical change, both ways, alone.
Mat control_swings(const Character& character, std::span<const int> controls);

}  // namespace rigspace
