#ifdef RIGSPACE_WITH_CHOLMOD

#include "ordering.h"
#include "rigspace/base/error.h"
#include "sparse_factor.h"

#include <cholmod.h>

#include <cmath>
#include <vector>

namespace rigspace {
namespace {

// The vectors that cholmod_solve2 keeps between calls, for one number of right-hand sides.
struct SolveMemory {
  cholmod_dense *X = nullptr, *Y = nullptr, *E = nullptr;
  void free(cholmod_common* common) {
    cholmod_free_dense(&X, common);
    cholmod_free_dense(&Y, common);
    cholmod_free_dense(&E, common);
  }
};

class CholmodFactor final : public SparseFactor {
 public:
  CholmodFactor() {
    cholmod_start(&common_);
    common_.print = 0;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_GIVEN;
    common_.postorder = 1;
    common_.supernodal = CHOLMOD_SUPERNODAL;  // always L L^T, so a negative pivot is noticed
    common_.quick_return_if_not_posdef = 1;
  }
  ~CholmodFactor() override {
    one_.free(&common_);
    many_.free(&common_);
    cholmod_free_factor(&L_, &common_);
    cholmod_finish(&common_);
  }

  void analyze(const SparseAssembly& H) override {
    column_start_.assign(H.column_start().begin(), H.column_start().end());
    rows_.assign(H.rows().begin(), H.rows().end());
    A_ = {};
    A_.nrow = A_.ncol = static_cast<std::size_t>(H.size());
    A_.nzmax = rows_.size();
    A_.p = column_start_.data();
    A_.i = rows_.data();
    A_.stype = 1;  // upper triangle
    A_.itype = CHOLMOD_INT;
    A_.xtype = CHOLMOD_PATTERN;
    A_.dtype = CHOLMOD_DOUBLE;
    A_.sorted = A_.packed = 1;
    std::vector<int> order = fill_reducing_order(H);
    cholmod_free_factor(&L_, &common_);
    L_ = cholmod_analyze_p(&A_, order.data(), nullptr, 0, &common_);
    if (!L_) throw_out_of_memory();
    A_.xtype = CHOLMOD_REAL;
  }

  bool factor(const double* values) override {
    use_one_thread();
    A_.x = const_cast<double*>(values);  // read only
    cholmod_factorize(&A_, L_, &common_);
    A_.x = nullptr;
    if (common_.status == CHOLMOD_OUT_OF_MEMORY) throw_out_of_memory();
    if (common_.status != CHOLMOD_OK || L_->minor != L_->n) return false;
    return pivots_are_finite();
  }

  void half_solve(Eigen::Ref<Mat> B) override {
    const int* order = static_cast<const int*>(L_->Perm);
    scratch_.resize(B.rows());
    for (int j = 0; j < B.cols(); ++j) {
      for (int i = 0; i < B.rows(); ++i) scratch_(i) = B(order[i], j);
      B.col(j) = scratch_;
    }
    const cholmod_dense* X = triangular_solve(CHOLMOD_L, B.data(), B.cols());
    for (int j = 0; j < B.cols(); ++j)
      B.col(j) = Eigen::Map<const Vec>(static_cast<const double*>(X->x) + X->d * static_cast<std::size_t>(j), B.rows());
  }

  void back_solve(Vec& y, Vec& u) override {
    const cholmod_dense* X = triangular_solve(CHOLMOD_Lt, y.data(), 1);
    const int* order = static_cast<const int*>(L_->Perm);
    const double* x = static_cast<const double*>(X->x);
    u.resize(y.size());
    for (int i = 0; i < u.size(); ++i) u(order[i]) = x[i];
  }

 private:
  [[noreturn]] static void throw_out_of_memory() {
    throw Error({.code = ErrorCode::internal,
                 .element = "sparse factorisation",
                 .problem = "ran out of memory",
                 .remedy = "use a coarser mesh or a reduced solver"});
  }

  // LAPACK lets not-a-number through on some machines.
  bool pivots_are_finite() const {
    const int *super = static_cast<const int*>(L_->super), *pi = static_cast<const int*>(L_->pi),
              *px = static_cast<const int*>(L_->px);
    const double* x = static_cast<const double*>(L_->x);
    for (std::size_t s = 0; s < L_->nsuper; ++s) {
      const int rows = pi[s + 1] - pi[s], columns = super[s + 1] - super[s];
      for (int c = 0; c < columns; ++c)
        if (!std::isfinite(x[px[s] + c * (rows + 1)])) return false;
    }
    return true;
  }

  const cholmod_dense* triangular_solve(int system, double* data, Eigen::Index columns) {
    use_one_thread();
    cholmod_dense B{};
    B.nrow = B.d = L_->n;
    B.ncol = static_cast<std::size_t>(columns);
    B.nzmax = B.nrow * B.ncol;
    B.x = data;
    B.xtype = CHOLMOD_REAL;
    B.dtype = CHOLMOD_DOUBLE;
    SolveMemory& memory = columns == 1 ? one_ : many_;
    if (!cholmod_solve2(system, L_, &B, nullptr, &memory.X, nullptr, &memory.Y, &memory.E, &common_))
      throw_out_of_memory();
    return memory.X;
  }

  cholmod_common common_{};
  cholmod_sparse A_{};
  cholmod_factor* L_ = nullptr;
  std::vector<int> column_start_, rows_;
  SolveMemory one_, many_;
  Vec scratch_;
};

}  // namespace

std::unique_ptr<SparseFactor> make_sparse_factor() { return std::make_unique<CholmodFactor>(); }

std::string sparse_factor_description() {
  int version[3];
  cholmod_version(version);
  return "CHOLMOD " + std::to_string(version[0]) + "." + std::to_string(version[1]) + "." + std::to_string(version[2]) +
         " supernodal, METIS, " + blas_description();
}

}  // namespace rigspace

#endif
