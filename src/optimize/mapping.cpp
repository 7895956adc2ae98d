#include "rigspace/optimize/mapping.h"

#include "dense_kernels.h"
#include "rigspace/base/error.h"
#include "rigspace/optimize/bordered_system.h"
#include "rigspace/optimize/dense_system.h"
#include "rigspace/optimize/sparse_assembly.h"
#include "rigspace/optimize/sparse_system.h"

#include <utility>
#include <vector>

namespace rigspace {

IdentityMapping::IdentityMapping(int size, int border) : size_(size), border_(border) {
  if (size < 0 || border < 0 || border > size)
    throw Error({.code = ErrorCode::usage,
                 .element = "identity mapping",
                 .value = std::to_string(border),
                 .problem = "of size " + std::to_string(size) + " with a border of " + std::to_string(border),
                 .remedy = "expected 0 <= border <= size"});
}

std::unique_ptr<System> IdentityMapping::make_system(const State&) const {
  const int interior = size_ - border_, block = interior % 3 == 0 ? 3 : 1;
  if (border_ == 0) return std::make_unique<SparseSystem>(size_, block);
  return std::make_unique<BorderedSystem>(interior, border_, block);
}

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct LinearState : State {
  explicit LinearState(int size) : H(size, size % 3 == 0 ? 3 : 1) {}
  SparseAssembly H;
  std::vector<int> touched;  // coordinates of x that H reads
  std::vector<int> compact;  // their places in the matrices below
  RowMajor B, HB;            // rows of the touched coordinates
};

// The rows of B in touched blocks, and where they went.
void gather_rows(const Mat& B, LinearState& state) {
  const SparseAssembly& H = state.H;
  const int block = H.block();
  std::vector<char> seen(static_cast<std::size_t>(H.size() / block), 0);
  for (int c = 0; c < H.size(); ++c) {
    // A block column that holds its diagonal alone may be one that no energy touches; its values tell.
    for (int e = H.column_start()[c]; e < H.column_start()[c + 1]; ++e)
      if (H.values()[e] != 0 || H.rows()[e] / block != c / block) seen[c / block] = seen[H.rows()[e] / block] = 1;
  }
  state.touched.clear();
  state.compact.assign(static_cast<std::size_t>(H.size()), -1);
  for (int c = 0; c < H.size(); ++c)
    if (seen[c / block]) {
      state.compact[c] = static_cast<int>(state.touched.size());
      state.touched.push_back(c);
    }
  state.B.resize(static_cast<Eigen::Index>(state.touched.size()), B.cols());
  for (std::size_t i = 0; i < state.touched.size(); ++i)
    state.B.row(static_cast<Eigen::Index>(i)) = B.row(state.touched[i]);
  state.HB.resizeLike(state.B);
}

bool reads_untouched(const LinearState& state) {
  const SparseAssembly& H = state.H;
  if (state.compact.empty()) return true;
  for (int c = 0; c < H.size(); ++c)
    if (state.compact[c] < 0)
      for (int e = H.column_start()[c]; e < H.column_start()[c + 1]; ++e)
        if (H.values()[e] != 0) return true;
  return false;
}

// HB = H B over the touched rows, columns of B in parallel.
void multiply_rows(LinearState& state) {
  const SparseAssembly& H = state.H;
  constexpr int kColumns = 16;
  parallel_ranges(static_cast<int>(state.B.cols()), kColumns, [&](int begin, int end) {
    const int width = end - begin;
    state.HB.middleCols(begin, width).setZero();
    for (const int c : state.touched) {
      const int at = state.compact[c], last = H.column_start()[c + 1] - 1;
      const auto b = state.B.row(at).segment(begin, width);
      auto sum = state.HB.row(at).segment(begin, width);
      sum += H.values()[last] * b;
      for (int e = H.column_start()[c]; e < last; ++e) {
        const double value = H.values()[e];
        const int row = state.compact[H.rows()[e]];
        if (row < 0) continue;  // zero, see gather_rows
        state.HB.row(row).segment(begin, width) += value * b;
        sum += value * state.B.row(row).segment(begin, width);
      }
    }
  });
}

}  // namespace

LinearMapping::LinearMapping(Vec x0, Mat B) : x0_(std::move(x0)), B_(std::move(B)) {
  if (x0_.size() != B_.rows())
    throw Error({.code = ErrorCode::usage,
                 .element = "linear mapping",
                 .value = std::to_string(B_.rows()),
                 .problem = "has a basis of " + std::to_string(B_.rows()) + " rows for " + std::to_string(x0_.size()) +
                            " coordinates",
                 .remedy = "they must agree"});
}

std::unique_ptr<State> LinearMapping::make_state() const { return std::make_unique<LinearState>(size_x()); }

std::unique_ptr<System> LinearMapping::make_system(const State&) const {
  return std::make_unique<DenseSystem>(size_q());
}

void LinearMapping::evaluate(State& state, In q, Vec& x) const {
  push(state, q, x);
  x += x0_;
}

void LinearMapping::push(const State&, In dq, Vec& dx) const {
  constexpr int kRows = 1024;
  dx.resize(size_x());
  parallel_ranges(size_x(), kRows, [&](int begin, int end) {
    dx.segment(begin, end - begin).noalias() = B_.middleRows(begin, end - begin) * dq;
  });
}

void LinearMapping::pull(const State&, In g, Vec& g_q) const {
  constexpr int kColumns = 4;
  g_q.resize(size_q());
  parallel_ranges(size_q(), kColumns, [&](int begin, int end) {
    g_q.segment(begin, end - begin).noalias() = B_.middleCols(begin, end - begin).transpose() * g;
  });
}

BlockSink& LinearMapping::sink(State& state, System&) const {
  SparseAssembly& H = state_as<LinearState>(state).H;
  H.clear();
  return H;
}

void LinearMapping::finish(State& state, System& system) const {
  auto& own = state_as<LinearState>(state);
  if (own.H.finish() || reads_untouched(own)) gather_rows(B_, own);
  multiply_rows(own);
  // H_q = B^T (H B), symmetric because H is.
  add_symmetric_product(dynamic_cast<DenseSystem&>(system).matrix(), own.B, own.HB, 1.0);
}

}  // namespace rigspace
