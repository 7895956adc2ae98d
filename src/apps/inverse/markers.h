#pragma once
// Private to inverse: points beside a joint, which carry how it is turned. "head|y" is the point above the joint "head"
// in the rest pose, a tenth of the skeleton's size away; "|z" is before it, "|x" to its left.

#include "rigspace/anim/character.h"

#include <string>
#include <vector>

namespace rigspace {

struct Marker {
  std::string joint;
  Vec3 axis = Vec3::Zero();  ///< unit length in the rest pose, scene space; zero: the joint itself
};

/// What a feature's name says.
Marker read_marker(const std::string& feature);

/// How far markers are from their joints, scene units: a tenth of the size of the skeleton at rest.
double marker_length(const Character& character);

}  // namespace rigspace
