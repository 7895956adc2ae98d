#pragma once
// The numeric back end of SparseSystem: P A P^T = L L^T. Eigen; a program may bring another (tools/cholmod).

#include "rigspace/base/types.h"
#include "rigspace/optimize/sparse_assembly.h"

#include <memory>
#include <string>

namespace rigspace {

class SparseFactor {
 public:
  virtual ~SparseFactor() = default;
  /// Takes the pattern; symbolic work only.
  virtual void analyze(const SparseAssembly& pattern) = 0;
  /// `values` in the order of the pattern's entries. False if not positive definite.
  virtual bool factor(const double* values) = 0;
  /// B <- L^-1 P B, one or many columns.
  virtual void half_solve(Eigen::Ref<Mat> B) = 0;
  /// u = P^T L^-T y; y is used as scratch.
  virtual void back_solve(Vec& y, Vec& u) = 0;
};

struct SparseBackEnd {
  std::unique_ptr<SparseFactor> (*make)();
  std::string (*description)();
};
/// The one in use, Eigen's until another is assigned. To be assigned before the first system is made.
SparseBackEnd& sparse_back_end();

}  // namespace rigspace
