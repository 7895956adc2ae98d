#pragma once
// Private to io: a .blend whose rig is a plain armature with shape keys runs as a rig of our own parts, once it is seen
// to do what Blender does.

#include "rigspace/anim/character.h"

#include <string>

namespace rigspace {

/// A character whose rig is a ProcessRig that has said what it is made of: the rig is replaced by one that is built of
/// that, which ends the process, if both agree to 1e-5 of the character's size, all points, at random poses within the
/// limits. Controls are the same, and so is what others see: points that move, no joints. Says in a warning which of
/// the two it is and why. Without a word of what it is made of, nothing happens.
void translate(Character& character, const std::string& source);

}  // namespace rigspace
