#include "rigspace/optimize/energy.h"

#include "rigspace/base/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <array>
#include <cmath>
#include <vector>

namespace rigspace {

void BlockSink::add(std::span<const int> points, const double* H) {
  constexpr std::size_t kSmall = 64;
  std::array<int, 3 * kSmall> small;
  std::vector<int> large(points.size() > kSmall ? 3 * points.size() : 0);
  int* coordinates = large.empty() ? small.data() : large.data();
  for (std::size_t a = 0; a < points.size(); ++a)
    for (int c = 0; c < 3; ++c) coordinates[3 * a + static_cast<std::size_t>(c)] = 3 * points[a] + c;
  add_coordinates({coordinates, 3 * points.size()}, H);
}

void BlockSink::add_batch(int k, std::span<const int> points, const double* H) {
  const std::size_t entries = 9 * static_cast<std::size_t>(k) * static_cast<std::size_t>(k);
  const std::size_t count = points.size() / static_cast<std::size_t>(k);
  for (std::size_t e = 0; e < count; ++e)
    add(points.subspan(e * static_cast<std::size_t>(k), static_cast<std::size_t>(k)), H + e * entries);
}

namespace {

constexpr int kNoAllocation = 30;
using Bounded = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kNoAllocation, kNoAllocation>;

/// A block that Cholesky accepts has no negative eigenvalue: most blocks, and far cheaper than finding them. Of the
/// lower triangle; by hand, as Eigen's takes two seconds to compile for each size.
template <int N>
bool is_positive_definite(const double* data) {
  std::array<double, N * N> L;
  for (int j = 0; j < N; ++j) {
    double pivot = data[j + N * j];
    for (int k = 0; k < j; ++k) pivot -= L[j + N * k] * L[j + N * k];
    if (!(pivot > 0)) return false;
    const double root = std::sqrt(pivot);
    L[j + N * j] = root;
    for (int i = j + 1; i < N; ++i) L[i + N * j] = data[i + N * j];
    for (int k = 0; k < j; ++k)
      for (int i = j + 1; i < N; ++i) L[i + N * j] -= L[i + N * k] * L[j + N * k];
    for (int i = j + 1; i < N; ++i) L[i + N * j] /= root;
  }
  return true;
}

bool is_positive_definite(const double* data, int n) {
  switch (n) {
    case 3: return is_positive_definite<3>(data);
    case 6: return is_positive_definite<6>(data);
    case 9: return is_positive_definite<9>(data);
    case 12: return is_positive_definite<12>(data);
    default:
      return n <= kNoAllocation ? Eigen::LLT<Bounded>(Eigen::Map<const Bounded>(data, n, n)).info() == Eigen::Success
                                : cholesky(Eigen::Map<const Mat>(data, n, n)).has_value();
  }
}

/// H <- V max(lambda, 0) V^T, or V |lambda| V^T.
template <class Matrix, class Values>
void compose(const Values& values, const Matrix& V, NegativeEigenvalues rule, Eigen::Map<Matrix> H) {
  if (values(0) >= 0) return;
  Matrix scaled = V;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const double lambda = values(i);
    scaled.col(i) *= lambda >= 0 ? lambda : rule == NegativeEigenvalues::flip ? -lambda : 0.0;
  }
  H.noalias() = scaled.lazyProduct(V.transpose());
  for (Eigen::Index j = 0; j < H.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) H(i, j) = H(j, i);
}

}  // namespace

/// One eigen-solver for all small blocks: one for each size took a minute and a half to compile.
void project_positive_definite(double* H, int n, NegativeEigenvalues rule) {
  if (n <= 0 || is_positive_definite(H, n)) return;
  if (n > kNoAllocation) {
    const SymmetricEigen eigen = symmetric_eigen(Eigen::Map<const Mat>(H, n, n));
    if (eigen.converged) compose(eigen.values, eigen.vectors, rule, Eigen::Map<Mat>(H, n, n));
    return;
  }
  const Eigen::SelfAdjointEigenSolver<Bounded> eigen(Eigen::Map<const Bounded>(H, n, n));
  if (eigen.info() != Eigen::Success) return;  // not finite: then the caller's gradient is not finite either
  compose(eigen.eigenvalues(), eigen.eigenvectors(), rule, Eigen::Map<Bounded>(H, n, n));
}

namespace detail {
namespace {

// A thread that waits inside a parallel loop may run work of another loop that uses a buffer too: hence a stack.
struct ScratchStack {
  std::vector<std::vector<double>> buffers;
  std::size_t depth = 0;
};
thread_local ScratchStack scratch_stack;

}  // namespace

BlockScratch::BlockScratch(std::size_t doubles) {
  ScratchStack& stack = scratch_stack;
  if (stack.depth == stack.buffers.size()) stack.buffers.emplace_back();
  std::vector<double>& buffer = stack.buffers[stack.depth++];
  if (buffer.size() < doubles) buffer.resize(doubles);
  data_ = buffer.data();
}

BlockScratch::~BlockScratch() { --scratch_stack.depth; }

}  // namespace detail
}  // namespace rigspace
