#pragma once
// Fine surfaces of solids from coarse ones: the same character with more points.

#include "flesh.h"

namespace rigspace {

/// Each triangle becomes four; new points lie on the zero level of `solid` by the middles of the edges, and have the
/// mean of their ends' colours and influences, of these the four strongest. Points that were there stay, first.
flesh::Flesh refined(const flesh::Flesh& flesh, const ScalarField& solid);

}  // namespace rigspace
