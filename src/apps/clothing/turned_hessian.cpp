#include "turned_hessian.h"

#include "rigspace/base/parallel.h"

#include <Eigen/LU>

namespace rigspace {
namespace {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

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
  diagonal_inverse_.assign(static_cast<std::size_t>(n), Mat3::Identity());
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
      if (i == j) diagonal_inverse_[static_cast<std::size_t>(i)] = turned.inverse();
    }
}

Mat TurnedHessian::reduced(const Mat& A) const {
  const int n = static_cast<int>(A.rows() / 3);
  const auto r = A.cols();
  const Rows rows = A.cast<float>();
  // Summed range by range and then in order, so that the number of threads does not matter.
  constexpr int kRange = 512;
  std::vector<Mat> parts(static_cast<std::size_t>((n + kRange - 1) / kRange), Mat::Zero(r, r));
  parallel_ranges(n, kRange, [&](int from, int to) {
    Rows HA(3 * (to - from), r);
    HA.setZero();
    for (int i = from; i < to; ++i)
      for (int k = first_[static_cast<std::size_t>(i)]; k < first_[static_cast<std::size_t>(i) + 1]; ++k)
        HA.middleRows<3>(3 * (i - from)).noalias() += block_[static_cast<std::size_t>(k)].lazyProduct(
            rows.middleRows<3>(3 * column_[static_cast<std::size_t>(k)]));
    parts[static_cast<std::size_t>(from / kRange)] =
        (rows.middleRows(3 * from, 3 * (to - from)).transpose() * HA).cast<double>();
  });
  Mat K = Mat::Zero(r, r);
  for (const Mat& part : parts) K += part;
  return 0.5 * (K + K.transpose());
}

Vec TurnedHessian::preconditioned(In g) const {
  Vec result(g.size());
  for (std::size_t i = 0; i < diagonal_inverse_.size(); ++i)
    result.segment<3>(3 * static_cast<Eigen::Index>(i)) =
        diagonal_inverse_[i] * g.segment<3>(3 * static_cast<Eigen::Index>(i));
  return result;
}

}  // namespace rigspace
