// Harmonic coordinates (Joshi, Meyer, DeRose, Green and Sanocki 2007): Laplace's equation inside the cage for each w_j,
// which is linear on the faces, 1 at c_j and 0 at the others. On a grid, as there, but with links that end on the cage
// itself (Gibou et al. 2002): at a node with neighbours at theta_k of the spacing
//   sum_k (w_k - w) / theta_k = 0.
// For linear functions (w_k - w) / theta_k is the slope along link k, and opposite links cancel: places are reproduced
// exactly. The matrix is symmetric with no positive entry off the diagonal: no weight is negative, and none has an
// extremum at a node inside. The error falls with the square of the spacing.
#include "cage_grid.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <Eigen/SparseCholesky>

namespace rigspace {

std::unique_ptr<CageBasis> make_harmonic(const PreparedCage& cage, int nodes) {
  CageGrid grid(cage, nodes);
  const int n = grid.count();
  std::vector<Eigen::Triplet<double>> entries, across;
  for (int i = 0; i < n; ++i) {
    double diagonal = 0;
    for (const GridLink& link : grid.links(i)) {
      diagonal += 1 / link.theta;
      if (link.node >= 0 && link.node < i) entries.emplace_back(i, link.node, -1 / link.theta);
      if (link.node < 0)
        for (int k = 0; k < 3; ++k)
          across.emplace_back(i, grid.cut(link.cut).corners[k], grid.cut(link.cut).weights[k] / link.theta);
    }
    entries.emplace_back(i, i, diagonal);
  }
  Eigen::SparseMatrix<double> L(n, n), boundary(n, cage.point_count());
  L.setFromTriplets(entries.begin(), entries.end());
  boundary.setFromTriplets(across.begin(), across.end());
  CageGrid::Values W = CageGrid::Values::Zero(n, cage.point_count());
  if (n > 0) {
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(L);
    if (factor.info() != Eigen::Success)
      throw Error({.code = ErrorCode::internal, .problem = "the grid of harmonic coordinates could not be solved"});
    parallel_ranges(cage.point_count(), 4, [&](int begin, int end) {
      W.middleCols(begin, end - begin) = Mat(factor.solve(Mat(boundary.middleCols(begin, end - begin))));
    });
    // The solver leaves 1e-16 of a sum of one: zeros and signs again.
    W = W.cwiseMax(0);
    for (int i = 0; i < n; ++i) W.row(i) /= W.row(i).sum();
  }
  return std::make_unique<GridBasis>(cage, std::move(grid), std::move(W), true);
}

}  // namespace rigspace
