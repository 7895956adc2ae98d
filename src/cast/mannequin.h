#pragma once
// The mannequin as other files of the room need it.

#include "assembly.h"
#include "mannequin_shape.h"

namespace rigspace::mannequin {

puppet::Skeleton make_skeleton();
/// The closed skin, hung on the skeleton's joints.
flesh::Flesh make_skin(const puppet::Skeleton& skeleton);

}  // namespace rigspace::mannequin
