#pragma once
// How near a cubature is to all elements, as one number that a user chooses.

#include "rigspace/reduce/body_cubature.h"

namespace rigspace {

/// What is used unless a user chooses: the setting as it is.
inline constexpr double kDefaultQuality = 0.5;

/// The setting for a quality of 0, coarse and quick, to 1, fine and slow. The tolerance of the forces is ten times as
/// large at 0 and a tenth at 1; the range of the eigenvalues twice and half as wide, but within [0.8, 1.25]; the
/// largest number of elements a quarter and four times as large. Throws Error outside 0 to 1.
CubatureSetting with_quality(CubatureSetting setting, double quality);

/// The number of shapes of the inside that are solved for beside the controls (inside_shapes.h): none up to 0.5, 12 at
/// 0.75 and 24 at 1.
int shapes_with_quality(double quality);

}  // namespace rigspace
