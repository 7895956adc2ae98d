#pragma once
// Private to inverse: where parts of a body are to each other (IRM 6.2; Al-Asqhar, Komura and Choi 2013), as features
// beside places.

#include "rigspace/base/types.h"

#include <array>
#include <vector>

namespace rigspace {

/// Of a pair of features a, b:  weight exp(-|r|^2 / (2 s^2)) r / s,  r = x_a - x_b, s = kNear sizes. It says much where
/// the two are near each other, as a hand at the hip, and nothing where they are far apart.
struct Relations {
  static constexpr double kNear = 0.15;  ///< share of the size
  std::vector<std::array<int, 2>> pairs;
  double weight = 0;

  /// The `count` pairs whose relation varies most over the examples: columns of places, in sizes.
  static Relations chosen(const Mat& F, int count, double weight);
  /// The places, then the relations; the places alone without pairs.
  Vec with_places(const Vec& f) const;
  Eigen::Index rows() const { return 3 * static_cast<Eigen::Index>(pairs.size()); }
};

}  // namespace rigspace
