#include "principal_shapes.h"

#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// The length of the longest offset.
double longest(const Mat& D) {
  double square = 0;
  for (Eigen::Index c = 0; c < D.cols(); ++c)
    for (Eigen::Index i = 0; i < D.rows(); i += 3) square = std::max(square, D.col(c).segment<3>(i).squaredNorm());
  return std::sqrt(square);
}

}  // namespace

PrincipalShapes principal_shapes(const std::vector<Vec>& columns, double tolerance, int most, double size) {
  const Eigen::Index rows = columns.empty() ? 0 : columns[0].size(), count = static_cast<Eigen::Index>(columns.size());
  Mat D(rows, count);
  for (Eigen::Index c = 0; c < count; ++c) D.col(c) = columns[static_cast<std::size_t>(c)];
  PrincipalShapes shapes{Mat(rows, 0), Mat(0, count), longest(D)};
  if (shapes.error <= tolerance) return shapes;
  const SymmetricEigen gram = symmetric_eigen(D.transpose() * D);
  for (Eigen::Index m = count - 1; m >= 0 && shapes.offsets.cols() < most; --m) {
    const double sigma = std::sqrt(std::max(0.0, gram.values[m]));
    if (sigma <= 1e-12 * size || shapes.error <= tolerance) break;
    const Vec v = gram.vectors.col(m);
    const double largest = v.cwiseAbs().maxCoeff();  // weights within -1 .. 1
    const Vec offsets = D * v * largest;
    shapes.offsets.conservativeResize(rows, shapes.offsets.cols() + 1);
    shapes.offsets.rightCols<1>() = offsets;
    shapes.weights.conservativeResize(shapes.weights.rows() + 1, count);
    shapes.weights.bottomRows<1>() = v.transpose() / largest;
    D.noalias() -= offsets * shapes.weights.bottomRows<1>();
    shapes.error = longest(D);
  }
  return shapes;
}

}  // namespace rigspace
