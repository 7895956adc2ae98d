#pragma once
// Distances between a point and a triangle, and between two edges, with their derivatives; and how far four moving
// points may go before the two meet.

#include "rigspace/base/types.h"

#include <array>

namespace rigspace {

/// The two kinds of pairs that can collide. Points of a pair: (point, triangle corners) or (edge, edge).
enum class PairKind { point_triangle, edge_edge };

/// The nearest places of a pair: r = sum_k w_k x_k leads from the second to the first, D = |r|^2.
struct PairDistance {
  double squared = 0;
  Vec3 r = Vec3::Zero();
  Vec4 weights = Vec4::Zero();
  /// How the weights may vary, both places staying on the interior of the face, edge or corner that they are on: w
  /// moves along these `free` directions.
  int free = 0;
  std::array<Vec4, 2> directions;
};

using PairPoints = std::array<Vec3, 4>;

PairDistance pair_distance(PairKind kind, const PairPoints& x);

/// d D / dx = 2 w_k r: the weights minimise D, so their change adds nothing.
Eigen::Matrix<double, 12, 1> distance_gradient(const PairDistance& at);
/// D = min over b of |r(x, w(b))|^2 gives  H = D_xx - D_xb D_bb^-1 D_bx,  with r_i the change of r along direction i:
/// D_xx = 2 w w^T (x) I,  D_xb_i = 2 (d_i (x) r + w (x) r_i),  D_bb = 2 r_i . r_j.
Eigen::Matrix<double, 12, 12> distance_hessian(const PairDistance& at, const PairPoints& x);

/// A part of the straight motions x -> x + dx, up to 1, during which the two do not meet (additive advancement; Li,
/// Kaufman and Jiang 2021, "Codimensional incremental potential contact"): at its end their distance is at least `rest`
/// times that at the start, on the way a tenth of that. 0 if they touch at the start. Each advance goes as far as a
/// plane across the nearest places parts the two. What is safe up to `enough` is followed no further: for the least of
/// many pairs.
double safe_motion(PairKind kind, const PairPoints& x, const PairPoints& dx, double rest = 0.1, double enough = 1);

/// Whether a plane across the line between the middles of both halves shows that their distance is more than `reach`.
bool certainly_farther(PairKind kind, const PairPoints& x, double reach);
/// Whether such a plane shows that a pair keeps at least a tenth of its distance all along its straight motion, as most
/// pairs do, which move nearly as one.
bool certainly_apart(PairKind kind, const PairPoints& x, const PairPoints& dx);

}  // namespace rigspace
