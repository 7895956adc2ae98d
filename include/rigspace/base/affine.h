#pragma once
// Inverses of affine maps, apart from the vocabulary: few need them, and they bring Eigen's decompositions along.

#include "rigspace/base/types.h"

#include <Eigen/LU>

namespace rigspace {

/// x -> A^-1 x. The linear part must be invertible.
inline Affine inverse(const Affine& A) {
  Affine result;
  linear(result) = linear(A).inverse();
  translation(result) = -linear(result) * translation(A);
  return result;
}

}  // namespace rigspace
