#pragma once
// One character at any size, to see what depends on it.

#include "rigspace/anim/character.h"

namespace rigspace {

/// Peanut's body without eyes, tusks and nails, and without a proxy unless it is named: a closed surface of about `vertices` points
/// (within one in a hundred, from a thousand on), with the rig and the clips of `make_character("peanut")`. Above 20
/// 000 points it is a coarser one whose triangles were divided. The proxy is Peanut's own, the same at all sizes. Throws
/// Error below 500 and above 4 000 000.
Character make_sized_peanut(int vertices, bool with_proxy = false);

}  // namespace rigspace
