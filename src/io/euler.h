#pragma once
// Euler angles, for formats without other rotations.

#include "rigspace/base/types.h"

#include <array>

namespace rigspace {

/// R = R_i(a) R_j(b) R_k(c) about the axes i, j, k, which differ; angles in radians.
Mat3 from_euler(const std::array<int, 3>& axes, const Vec3& angles);

/// Its inverse. Of all angles that give R, those nearest to `near`, so that a motion has no jumps by a full turn; where
/// two axes fall together the last angle is kept as it was.
Vec3 to_euler(const std::array<int, 3>& axes, const Mat3& R, const Vec3& near);

/// The rotation nearest to a matrix that has scale or shear as well (polar decomposition); of a mirroring one, the
/// rotation of its negative.
Mat3 rotation_of(const Mat3& A);

}  // namespace rigspace
