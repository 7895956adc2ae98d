#include "rigspace/optimize/dense_system.h"

#include "dense_kernels.h"

#include <cassert>

namespace rigspace {

DenseSystem::DenseSystem(int size) : H_(Mat::Zero(size, size)) {}

void DenseSystem::add_coordinates(std::span<const int> coordinates, const double* H) {
  const int k = static_cast<int>(coordinates.size());
  for (int b = 0; b < k; ++b)
    for (int a = 0; a < k; ++a) {
      assert(coordinates[a] >= 0 && coordinates[a] < size());
      if (coordinates[a] >= coordinates[b]) H_(coordinates[a], coordinates[b]) += H[a + k * b];
    }
}

void DenseSystem::multiply(In u, Vec& y) const {
  y.setZero(size());
  if (size() > 0) y.noalias() += H_.selfadjointView<Eigen::Lower>() * u;
}

bool DenseSystem::factor(double shift) {
  L_ = H_;
  scaling_ = H_.diagonal();
  positive_scaling(scaling_, scaling_);
  L_.diagonal() += shift * scaling_;
  for (int i = 0; i < static_cast<int>(fixed_.size()); ++i) {
    if (!fixed_[static_cast<std::size_t>(i)]) continue;
    L_.row(i).setZero();
    L_.col(i).setZero();
    L_(i, i) = 1;
  }
  return cholesky_in_place(L_);
}

void DenseSystem::solve(In b, Vec& u) {
  if (u.data() != b.data()) u = b;
  for (int i = 0; i < static_cast<int>(fixed_.size()); ++i)
    if (fixed_[static_cast<std::size_t>(i)]) u(i) = 0;
  cholesky_solve_in_place(L_, u);
}

}  // namespace rigspace
