#pragma once
// Dense kernels cut into tiles: parallel with the same bits on any number of threads, and small enough that Eigen packs
// its operands on the stack, so they never allocate.

#include "rigspace/base/parallel.h"
#include "rigspace/base/types.h"

#include <algorithm>

namespace rigspace {

inline constexpr int kTile = 64, kPanel = 128;

/// Tile row and column of the t-th tile of a lower triangle, counted row by row.
struct LowerTile {
  explicit LowerTile(int t) {
    while ((row + 1) * (row + 2) / 2 <= t) ++row;
    column = t - row * (row + 1) / 2;
  }
  int row = 0, column = 0;
};

/// S += scale * X^T Y in the lower triangle, for products that are symmetric. X and Y are tall.
template <class X, class Y>
void add_symmetric_product(Mat& S, const X& x, const Y& y, double scale) {
  const int n = static_cast<int>(S.rows()), rows = static_cast<int>(x.rows());
  const int tiles = (n + kTile - 1) / kTile;
  parallel_ranges(tiles * (tiles + 1) / 2, 1, [&](int begin, int end) {
    for (int t = begin; t < end; ++t) {
      const LowerTile tile(t);
      const int i = tile.row * kTile, j = tile.column * kTile;
      const int ni = std::min(kTile, n - i), nj = std::min(kTile, n - j);
      for (int k = 0; k < rows; k += kPanel) {
        const int nk = std::min(kPanel, rows - k);
        S.block(i, j, ni, nj).noalias() += scale * x.block(k, i, nk, ni).transpose() * y.block(k, j, nk, nj);
      }
    }
  });
}

/// A = L L^T, the lower triangle of A becoming L. False if A is not positive definite or not finite.
bool cholesky_in_place(Mat& A);

/// b <- A^-1 b with L from above.
void cholesky_solve_in_place(const Mat& L, Vec& b);

}  // namespace rigspace
