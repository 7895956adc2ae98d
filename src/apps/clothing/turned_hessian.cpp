#include "turned_hessian.h"

#include "rigspace/base/parallel.h"

namespace rigspace {

void TurnedHessian::set(const SparseAssembly& H, const KinematicReference& reference) {
  const int n = reference.point_count();
  const auto starts = H.block_start(), rows = H.block_rows();
  const auto columns = H.column_start();
  const auto values = H.values();
  // How many blocks each row has: those of the upper triangle, and the same mirrored.
  first_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (int j = 0; j < n; ++j)
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      ++first_[static_cast<std::size_t>(rows[k]) + 1];
      if (rows[k] != j) ++first_[static_cast<std::size_t>(j) + 1];
    }
  for (int i = 0; i < n; ++i) first_[i + 1] += first_[i];
  column_.resize(static_cast<std::size_t>(first_.back()));
  block_.resize(column_.size());
  diagonal_.resize(static_cast<std::size_t>(n));
  std::vector<int> next(first_.begin(), first_.end() - 1);
  for (int j = 0; j < n; ++j)
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      const int i = rows[k], at = k - starts[j];  // a block above it takes three rows of each of the three columns
      Mat3 H_ij = Mat3::Zero();
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < (i == j ? c + 1 : 3); ++r)
          H_ij(r, c) = values[static_cast<std::size_t>(columns[3 * j + c] + 3 * at + r)];
      if (i == j) H_ij.triangularView<Eigen::StrictlyLower>() = H_ij.transpose();
      const Mat3 turned = reference.matrix(i).transpose() * H_ij * reference.matrix(j);
      const auto put = [&](int row, int column, const Mat3& value) {
        const auto slot = static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++);
        column_[slot] = column, block_[slot] = value.cast<float>();
      };
      put(i, j, turned);
      if (i != j) put(j, i, turned.transpose());
      if (i == j) diagonal_[static_cast<std::size_t>(i)] = turned.cast<float>();
    }
}

void TurnedHessian::multiply(const Eigen::VectorXf& u, Eigen::VectorXf& y) const {
  y.resize(u.size());
  parallel_ranges(static_cast<int>(u.size() / 3), 1024, [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      Eigen::Vector3f sum = Eigen::Vector3f::Zero();
      for (int k = first_[static_cast<std::size_t>(i)]; k < first_[static_cast<std::size_t>(i) + 1]; ++k)
        sum.noalias() += block_[static_cast<std::size_t>(k)] * u.segment<3>(3 * column_[static_cast<std::size_t>(k)]);
      y.segment<3>(3 * i) = sum;
    }
  });
}

}  // namespace rigspace
