#pragma once
// Private to io: the type of deformer that rig files have from the start through the registry of rig_blocks.h.

#include "rigspace/io/rig_blocks.h"

namespace rigspace {

RigDeformerType cage_type();

}  // namespace rigspace
