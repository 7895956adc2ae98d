#pragma once
// Private to io: a .blend whose rig is a plain armature with shape keys is rebuilt from our own deformers, if that
// moves its points as Blender does.

#include "rigspace/anim/character.h"

#include <string>

namespace rigspace {

/// A character whose rig is a ProcessRig with a description of itself: the rig is replaced by one built from the
/// description, which ends the process, if both are equal to 1e-5 of the character's size, all points, at random poses
/// within the limits. Controls are the same, and so is the interface: points that move, no joints. A warning names
/// which of the two it is and why. Without a description nothing happens.
void translate(Character& character, const std::string& source);

}  // namespace rigspace
