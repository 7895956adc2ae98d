#pragma once
// Private to rig: a shape as an affine combination of others.

#include "rigspace/base/decompositions.h"

#include <cmath>

namespace rigspace {

/// `differences`: a column f_k - f a known shape. kSoft keeps weights small where shapes lie in a plane.
/// w of  min |f - sum w_k f_k|^2 + soft |w|^2,  sum w = 1:  G w ~ 1, G_ij = (f - f_i) . (f - f_j).
constexpr double kSoft = 1e-3;  // of a mean squared distance
inline Vec affine_weights(const Mat& differences) {
  Mat G = differences.transpose() * differences;
  G.diagonal().array() += kSoft * G.trace() / static_cast<double>(G.rows()) + 1e-300;
  const Vec w = solve_ldlt(G, Vec::Ones(G.rows()));
  const double sum = w.sum();
  return std::isfinite(sum) && sum > 0 ? Vec(w / sum) : Vec::Constant(w.size(), 1.0 / static_cast<double>(w.size()));
}

}  // namespace rigspace
