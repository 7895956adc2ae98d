#include "rigspace/optimize/energy.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <array>
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

template <class Matrix>
void project(double* data, int n, NegativeEigenvalues rule) {
  Eigen::Map<Matrix> H(data, n, n);
  // A block that Cholesky accepts has no negative eigenvalue: most blocks, and far cheaper than finding them.
  if (Eigen::LLT<Matrix>(H).info() == Eigen::Success) return;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(H);
  if (eigen.info() != Eigen::Success) return;  // not finite: the caller's gradient says so too
  if (eigen.eigenvalues()(0) >= 0) return;
  const auto& V = eigen.eigenvectors();
  Matrix scaled = V;
  for (int i = 0; i < n; ++i) {
    const double lambda = eigen.eigenvalues()(i);
    scaled.col(i) *= lambda >= 0 ? lambda : rule == NegativeEigenvalues::flip ? -lambda : 0.0;
  }
  H.noalias() = scaled.lazyProduct(V.transpose());
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) H(i, j) = H(j, i);
}

}  // namespace

void project_positive_definite(double* H, int n, NegativeEigenvalues rule) {
  constexpr int kNoAllocation = 30;
  switch (n) {
    case 3: return project<Eigen::Matrix<double, 3, 3>>(H, n, rule);
    case 6: return project<Eigen::Matrix<double, 6, 6>>(H, n, rule);
    case 9: return project<Eigen::Matrix<double, 9, 9>>(H, n, rule);
    case 12: return project<Eigen::Matrix<double, 12, 12>>(H, n, rule);
    default: break;
  }
  if (n <= kNoAllocation)
    project<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kNoAllocation, kNoAllocation>>(H, n, rule);
  else
    project<Mat>(H, n, rule);
}

namespace detail {
namespace {

// A thread that waits inside a parallel loop may be lent to another one that also wants a buffer: hence a stack.
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
