#pragma once
// The face's 44 controls: 24 soft shapes, 12 turns and shifts of bones, 4 lids, 4 of bend, twist and squash; and the
// expressions that tie them together.

#include "assembly.h"

namespace rigspace::face {

void add_rig(const flesh::Flesh& face, Assembly& assembly);

/// The shapes alone, as morph targets of the piece.
void add_shapes(const flesh::Flesh& face, bool driven, Assembly& assembly);

}  // namespace rigspace::face
