#pragma once
// Conjugate gradients within linear equality constraints, by projection (Baraff and Witkin 1998; PBR 3.4.2).

#include "rigspace/base/types.h"

#include <functional>
#include <span>
#include <vector>

namespace rigspace {

/// Constraints c_k . x = d_k, orthogonalised as they come: c_k = sum_{j <= k} R_jk u_j with u orthonormal. The u are
/// dense over the coordinates that some constraint reads, which may be few of all.
class ConstraintBasis {
 public:
  explicit ConstraintBasis(int size) : place_(size, -1) {}

  void clear();
  /// False, and nothing happens, where c depends on those that are there: less than `independent` of its length is new.
  bool add(std::span<const int> coordinates, std::span<const double> c, double d, double independent = 1e-4);

  int count() const { return static_cast<int>(right_.size()); }
  /// x - U U^T x: the part that changes none of the c_k . x.
  void project(Vec& x) const;
  /// The nearest state that fulfils all.
  void satisfy(Vec& x) const;
  /// lambda of  sum_k lambda_k c_k = U U^T r.
  Vec multipliers(In r) const;

 private:
  Vec gather(In x) const;
  void subtract(In of_u, double factor, Vec& x) const;

  std::vector<int> place_;                    // of each coordinate among those read; -1
  std::vector<int> coordinates_;              // that are read
  std::vector<std::vector<double>> columns_;  // u, as long as there were coordinates when they came
  std::vector<std::vector<double>> R_;        // columns
  std::vector<double> right_;                 // of u . x
};

struct ProjectedCgOptions {
  double tolerance = 1e-8;  ///< of the projected residual, relative to that of the start, in the preconditioner's norm
  double floor = 0;  ///< of that norm's square: at or below it there is no more to do, whatever it was at the start
  int max_iterations = 500;
};

struct ProjectedCgResult {
  int iterations = 0;
  bool converged = false;
};

/// Minimises  1/2 x . A x - b . x  over the x that fulfil the constraints, from the nearest such state to x. A is
/// symmetric and positive definite there; `precondition` is near its inverse, symmetric, and keeps zeros where x has no
/// freedom of its own.
ProjectedCgResult minimize_projected(const std::function<void(In, Vec&)>& multiply,
                                     const std::function<void(In, Vec&)>& precondition, const ConstraintBasis& basis,
                                     In b, Vec& x, const ProjectedCgOptions& options = {});

}  // namespace rigspace
