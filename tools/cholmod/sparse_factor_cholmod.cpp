// CHOLMOD for the program, its tests and its Python module: an object that is linked into them alone, so that the
// library stays free of the GPL, under which CHOLMOD's supernodal part is.

#include "multifrontal.h"
#include "ordering.h"
#include "rigspace/base/error.h"
#include "sparse_factor.h"

#include <cholmod.h>

#include <vector>

namespace rigspace {
namespace {

// CHOLMOD's settings and memory, given back at the end of a scope.
struct Common : cholmod_common {
  Common() : cholmod_common{} {
    cholmod_start(this);
    print = 0;
    nmethods = 1;
    method[0].ordering = CHOLMOD_GIVEN;
    postorder = 1;
    supernodal = CHOLMOD_SUPERNODAL;
    // Columns come in threes: merge a little further than CHOLMOD does by itself (4, 16, 48).
    nrelax[0] = 6, nrelax[1] = 24, nrelax[2] = 48;
  }
  ~Common() { cholmod_finish(this); }
  Common(const Common&) = delete;
  Common& operator=(const Common&) = delete;
};

std::vector<int> copy_of(const void* from, std::size_t count) {
  const int* first = static_cast<const int*>(from);
  return {first, first + count};
}

Supernodes find_supernodes(const SparseAssembly& H, std::vector<int> order) {
  cholmod_sparse A{};
  A.nrow = A.ncol = static_cast<std::size_t>(H.size());
  A.nzmax = H.rows().size();
  A.p = const_cast<int*>(H.column_start().data());  // read only, as are the rows
  A.i = const_cast<int*>(H.rows().data());
  A.stype = 1;  // upper triangle
  A.itype = CHOLMOD_INT;
  A.xtype = CHOLMOD_PATTERN;
  A.dtype = CHOLMOD_DOUBLE;
  A.sorted = A.packed = 1;
  Common common;
  cholmod_factor* L = cholmod_analyze_p(&A, order.data(), nullptr, 0, &common);
  if (!L)
    throw Error({.code = ErrorCode::internal,
                 .element = "sparse factorisation",
                 .problem = "ran out of memory",
                 .remedy = "use a coarser mesh or a reduced solver"});
  Supernodes found{.order = copy_of(L->Perm, L->n),
                   .first = copy_of(L->super, L->nsuper + 1),
                   .row_start = copy_of(L->pi, L->nsuper + 1),
                   .rows = copy_of(L->s, L->ssize)};
  cholmod_free_factor(&L, &common);
  return found;
}

// CHOLMOD groups the columns; the numeric factorisation is ours. Its own numeric part runs on one thread unless BLAS
// does not, and then bits depend on the threads; on the papers' belly (4000 unknowns) it takes 1.2 times as long on one
// thread and 1.8 times on two.
class CholmodFactor final : public SparseFactor {
 public:
  // A pattern that differs by a few contacts has the order of an earlier one, as long as that makes no more work.
  void analyze(const SparseAssembly& H) override {
    constexpr double kMoreWork = 1.25;
    Supernodes found;
    if (std::ssize(order_) == H.size()) found = find_supernodes(H, order_);
    if (found.first.empty() || found.work() > kMoreWork * work_) {
      order_ = fill_reducing_order(H);
      found = find_supernodes(H, order_);
      work_ = found.work();
    }
    fronts_.analyze(std::move(found), H);
  }
  bool factor(const double* values) override { return fronts_.factor(values); }
  void half_solve(Eigen::Ref<Mat> B) override { fronts_.half_solve(B); }
  void back_solve(Vec& y, Vec& u) override { fronts_.back_solve(y, u); }

 private:
  Multifrontal fronts_;
  std::vector<int> order_;
  double work_ = 0;  // of the pattern that the order was made for
};

std::unique_ptr<SparseFactor> make() { return std::make_unique<CholmodFactor>(); }

std::string description() {
  int version[3];
  cholmod_version(version);
  return "fronts by Eigen, supernodes by CHOLMOD " + std::to_string(version[0]) + "." + std::to_string(version[1]) +
         "." + std::to_string(version[2]) + ", METIS";
}

/// Before main.
[[maybe_unused]] const bool chosen = (sparse_back_end() = {make, description}, true);

}  // namespace
}  // namespace rigspace
