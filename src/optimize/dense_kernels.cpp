#include "dense_kernels.h"

#include <Eigen/Cholesky>

#include <cmath>

namespace rigspace {

// Right-looking tile Cholesky: factor the diagonal tile, solve the panel below it, update the tiles to its right.
bool cholesky_in_place(Mat& A) {
  const int n = static_cast<int>(A.rows());
  for (int k = 0; k < n; k += kTile) {
    const int nk = std::min(kTile, n - k), below = k + nk;
    auto diagonal = A.block(k, k, nk, nk);
    const Eigen::LLT<Eigen::Ref<Mat>> llt(diagonal);
    if (llt.info() != Eigen::Success) return false;
    for (int i = 0; i < nk; ++i)
      if (!(diagonal(i, i) > 0) || !std::isfinite(diagonal(i, i))) return false;
    const int tiles = (n - below + kTile - 1) / kTile;
    const auto first = [&](int tile) { return below + tile * kTile; };
    const auto count = [&](int tile) { return std::min(kTile, n - first(tile)); };
    parallel_ranges(tiles, 1, [&](int begin, int end) {
      for (int t = begin; t < end; ++t) {
        auto panel = A.block(first(t), k, count(t), nk);
        diagonal.template triangularView<Eigen::Lower>().transpose().template solveInPlace<Eigen::OnTheRight>(panel);
      }
    });
    parallel_ranges(tiles * (tiles + 1) / 2, 1, [&](int begin, int end) {
      for (int t = begin; t < end; ++t) {
        const LowerTile tile(t);
        const int i = tile.row, j = tile.column;
        A.block(first(i), first(j), count(i), count(j)).noalias() -=
            A.block(first(i), k, count(i), nk) * A.block(first(j), k, count(j), nk).transpose();
      }
    });
  }
  return true;
}

void cholesky_solve_in_place(const Mat& L, Vec& b) {
  if (b.size() == 0) return;
  L.triangularView<Eigen::Lower>().solveInPlace(b);
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(b);
}

}  // namespace rigspace
