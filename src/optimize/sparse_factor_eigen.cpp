#include "ordering.h"
#include "rigspace/base/parallel.h"
#include "rigspace/optimize/system.h"
#include "sparse_factor.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>

#include <cmath>
#include <vector>

namespace rigspace {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

// Eigen orders by AMD or takes the matrix as it comes; so it gets the matrix already permuted, and no copy is made.
class EigenFactor final : public SparseFactor {
 public:
  void analyze(const SparseAssembly& H) override {
    const int n = H.size();
    order_ = fill_reducing_order(H);
    position_.resize(order_.size());
    for (int i = 0; i < n; ++i) position_[order_[i]] = i;

    std::vector<Eigen::Triplet<int>> entries;  // (row, column) in P H P^T, and which value of H goes there
    entries.reserve(H.rows().size());
    for (int c = 0; c < n; ++c)
      for (int e = H.column_start()[c]; e < H.column_start()[c + 1]; ++e) {
        const int i = position_[H.rows()[e]], j = position_[c];
        entries.emplace_back(std::min(i, j), std::max(i, j), e);
      }
    Eigen::SparseMatrix<int> sources(n, n);
    sources.setFromTriplets(entries.begin(), entries.end());
    source_.assign(sources.valuePtr(), sources.valuePtr() + sources.nonZeros());
    permuted_ = sources.cast<double>();
    llt_.analyzePattern(permuted_);
    scratch_.resize(n);
  }

  bool factor(const double* values) override {
    for (std::size_t e = 0; e < source_.size(); ++e) permuted_.valuePtr()[e] = values[source_[e]];
    llt_.factorize(permuted_);
    if (llt_.info() != Eigen::Success) return false;
    const auto& L = llt_.matrixL().nestedExpression();
    for (int j = 0; j < L.cols(); ++j)  // Eigen lets not-a-number pass
      if (!std::isfinite(L.valuePtr()[L.outerIndexPtr()[j]])) return false;
    return true;
  }

  void half_solve(Eigen::Ref<Mat> B) override {
    for (int j = 0; j < B.cols(); ++j) {
      for (int i = 0; i < B.rows(); ++i) scratch_(i) = B(order_[i], j);
      B.col(j) = scratch_;
    }
    parallel_ranges(static_cast<int>(B.cols()), 1, [&](int begin, int end) {
      for (int j = begin; j < end; ++j) forward(B.col(j).data());
    });
  }

  void back_solve(Vec& y, Vec& u) override {
    backward(y.data());
    u.resize(y.size());
    for (int i = 0; i < y.size(); ++i) u(order_[i]) = y(i);
  }

 private:
  // Triangular solves written out: Eigen's own make temporaries.
  void forward(double* b) const {
    const auto& L = llt_.matrixL().nestedExpression();
    const int *start = L.outerIndexPtr(), *row = L.innerIndexPtr();
    const double* value = L.valuePtr();
    for (int j = 0; j < L.cols(); ++j) {
      const double x = b[j] /= value[start[j]];
      for (int e = start[j] + 1; e < start[j + 1]; ++e) b[row[e]] -= value[e] * x;
    }
  }
  void backward(double* b) const {
    const auto& L = llt_.matrixL().nestedExpression();
    const int *start = L.outerIndexPtr(), *row = L.innerIndexPtr();
    const double* value = L.valuePtr();
    for (int j = static_cast<int>(L.cols()) - 1; j >= 0; --j) {
      double x = b[j];
      for (int e = start[j] + 1; e < start[j + 1]; ++e) x -= value[e] * b[row[e]];
      b[j] = x / value[start[j]];
    }
  }

  std::vector<int> order_, position_, source_;
  Sparse permuted_;
  Eigen::SimplicialLLT<Sparse, Eigen::Upper, Eigen::NaturalOrdering<int>> llt_;
  Vec scratch_;
};

std::unique_ptr<SparseFactor> make_eigen() { return std::make_unique<EigenFactor>(); }

std::string describe_eigen() {
  return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
         std::to_string(EIGEN_MINOR_VERSION) + " simplicial Cholesky, METIS";
}

}  // namespace

SparseBackEnd& sparse_back_end() {
  static SparseBackEnd value{make_eigen, describe_eigen};
  return value;
}

std::string solver_description() { return sparse_back_end().description(); }

}  // namespace rigspace
