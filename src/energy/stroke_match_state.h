#pragma once
// What StrokeMatch keeps between two refreshes.

#include "rigspace/energy/stroke_match.h"

#include <vector>

namespace rigspace {

/// Of each place i the sum of its correspondences:  sum_j (y_j - z)^T A_ij (y_j - z) = z^T A z - 2 b.z + c.
struct StrokeMatch::Lagged final : State {
  std::vector<Vec2> z;  // of all places, at the last refresh
  std::vector<Mat2> A;
  std::vector<Vec2> b;
  std::vector<double> c, weight;

  void resize(std::size_t n) {
    z.resize(n), A.assign(n, Mat2::Zero()), b.assign(n, Vec2::Zero()), c.assign(n, 0), weight.assign(n, 0);
  }
  void clear() { resize(z.size()); }
  void add(int i, const Vec2& y, double w) {
    A[i].diagonal().array() += w, b[i] += w * y, c[i] += w * y.squaredNorm(), weight[i] += w;
  }
  /// Distances along the unit vector t count `along` as much as those across it.
  void add(int i, const Vec2& y, double w, const Vec2& t, double along) {
    const Mat2 M = w * (Mat2::Identity() - (1 - along) * t * t.transpose());
    A[i] += M, b[i] += M * y, c[i] += y.dot(M * y), weight[i] += w;
  }
  double value(int i, const Vec2& at) const { return at.dot(A[i] * at) - 2 * b[i].dot(at) + c[i]; }
};

}  // namespace rigspace
