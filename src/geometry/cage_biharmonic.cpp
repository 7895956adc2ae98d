// Bounded biharmonic weights (Jacobson, Baran, Popovic and Sorkine 2011) of a cage: the smoothest functions that are
// linear on its faces and partition unity without being negative,
//   min 1/2 sum_j integral (Laplace w_j)^2,   w_j >= 0,   sum_j w_j = 1.
// With values on the whole boundary and nothing else the minimisers would be the harmonic coordinates, whose Laplacian
// is zero. As there, discretised with the Laplacian's rows of boundary points, they also leave the cage without a
// slope, dw_j/dn = 0: that is what makes them local, and what costs the reproduction of places.
//
// On the grid, with the Laplacian of unequal links (Shortley and Weller 1938),
//   (A w)_i = sum over axes of 2 / (theta + theta') ((w_k - w_i) / theta + (w_k' - w_i) / theta'),
// and for nodes next to the cage the Laplacian of the boundary point nearest to them, delta away, mirrored there:
// 2 (w_i - w_b) / delta^2 over a cell of delta / 2. So Q = A^T A + diagonal, diagonal_i = 2 / delta^3. All functions at
// once by the alternating direction method (Boyd et al. 2011): one factor of Q + rho I for every step, and a projection
// of each node's row onto the simplex, so that what comes out keeps the constraints exactly however many steps were
// done.
#include "cage_grid.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Values = CageGrid::Values;

constexpr double kLeastTheta = 0.05, kLeastDelta = 0.3;  // shorter ones would stiffen the system and change nothing
constexpr double kOverRelaxation = 1.6;
constexpr double kTolerance = 1e-4;  // of a weight, between the two sides of the method
constexpr int kMostSteps = 150;

/// The nearest row with sum 1 and nothing negative (Held, Wolfe and Crowder 1974).
void project(double* row, int count, std::vector<double>& sorted) {
  sorted.assign(row, row + count);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, shift = 0;
  for (int k = 0; k < count; ++k) {
    sum += sorted[k];
    const double trial = (sum - 1) / (k + 1);
    if (sorted[k] > trial) shift = trial;
  }
  double total = 0;
  for (int j = 0; j < count; ++j) total += row[j] = std::max(row[j] - shift, 0.0);
  for (int j = 0; j < count; ++j) row[j] /= total;
}

/// The Laplacian: A by the nodes, B by the points of the cage.
void laplacian(const CageGrid& grid, Sparse& A, Sparse& B) {
  std::vector<Eigen::Triplet<double>> inside, across;
  for (int i = 0; i < grid.count(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      double theta[2];
      for (int s = 0; s < 2; ++s) theta[s] = std::max(grid.links(i)[2 * axis + s].theta, kLeastTheta);
      for (int s = 0; s < 2; ++s) {
        const GridLink& link = grid.links(i)[2 * axis + s];
        const double by = 2 / ((theta[0] + theta[1]) * theta[s]);
        inside.emplace_back(i, i, -by);
        if (link.node >= 0) inside.emplace_back(i, link.node, by);
        if (link.node < 0)
          for (int k = 0; k < 3; ++k)
            across.emplace_back(i, grid.cut(link.cut).corners[k], by * grid.cut(link.cut).weights[k]);
      }
    }
  A.setFromTriplets(inside.begin(), inside.end());
  B.setFromTriplets(across.begin(), across.end());
}

/// Q w = linear without the constraints.
void assemble(const PreparedCage& cage, const CageGrid& grid, Sparse& Q, Mat& linear) {
  const int n = grid.count();
  Sparse A(n, n), B(n, cage.point_count());
  laplacian(grid, A, B);
  Q = A.transpose() * A;
  linear = -Mat(A.transpose() * B);
  for (int i = 0; i < n; ++i) {
    bool at_cage = false;
    for (const GridLink& link : grid.links(i)) at_cage |= link.node < 0;
    if (!at_cage) continue;
    const SurfacePoint nearest = cage.tree.closest(grid.place_of(i));
    const double by = 2 / std::pow(std::max(nearest.distance / grid.spacing(), kLeastDelta), 3);
    Q.coeffRef(i, i) += by;
    for (int k = 0; k < 3; ++k) linear(i, cage.mesh.triangles[nearest.triangle][k]) += by * nearest.barycentric[k];
  }
}

Values minimise(const Sparse& Q, const Mat& linear) {
  const int n = static_cast<int>(Q.rows()), points = static_cast<int>(linear.cols());
  const auto shifted = [&](double rho) {
    Sparse K = Q;
    for (int i = 0; i < n; ++i) K.coeffRef(i, i) += rho;
    return K;
  };
  const auto solve = [&](const auto& factor, const Mat& right, Mat& x) {
    parallel_ranges(points, 4, [&](int begin, int end) {
      x.middleCols(begin, end - begin) = factor.solve(right.middleCols(begin, end - begin));
    });
  };
  const auto project_rows = [&](Mat& z) {
    parallel_ranges(n, 64, [&](int begin, int end) {
      std::vector<double> sorted;
      Vec row(points);
      for (int i = begin; i < end; ++i) {
        row = z.row(i);
        project(row.data(), points, sorted);
        z.row(i) = row;
      }
    });
  };
  Eigen::SimplicialLDLT<Sparse> factor(Q);
  Mat x(n, points);
  solve(factor, linear, x);
  Mat z = x, y = Mat::Zero(n, points), before;
  project_rows(z);
  double rho = 0.1;
  factor.factorize(shifted(rho));
  for (int step = 0; step < kMostSteps; ++step) {
    solve(factor, linear + rho * (z - y), x);
    before = z;
    const Mat relaxed = kOverRelaxation * x + (1 - kOverRelaxation) * before;
    z = relaxed + y;
    project_rows(z);
    y += relaxed - z;
    const double primal = (x - z).cwiseAbs().maxCoeff(), dual = (z - before).cwiseAbs().maxCoeff();
    if (std::max(primal, dual) < kTolerance) break;
    // Both sides alike (Boyd et al. 2011, 3.4.1), at few steps: each change is another factor.
    if (step % 20 == 19 && (primal > 5 * dual || dual > 5 * primal)) {
      const double by = primal > dual ? 4 : 0.25;
      rho *= by;
      y /= by;
      factor.factorize(shifted(rho));
    }
  }
  return z;
}

}  // namespace

std::unique_ptr<CageBasis> make_biharmonic(const PreparedCage& cage, int nodes) {
  CageGrid grid(cage, nodes);
  const int n = grid.count();
  Values W = Values::Zero(n, cage.point_count());
  if (n > 0) {
    Sparse Q;
    Mat linear;
    assemble(cage, grid, Q, linear);
    W = minimise(Q, linear);
  }
  return std::make_unique<GridBasis>(cage, std::move(grid), std::move(W), false);
}

}  // namespace rigspace
