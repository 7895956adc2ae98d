#pragma once
// Cloth solved in a few directions that are chosen anew in every iteration (Thesis 6.2.3, algorithm 5). The state is
// that of all points; only the step is reduced:
//   x = r(y),   dy = A q,   K q = -A^T B^T g,   K = A^T (B^T H B) A.
// B^T H B is kept over iterations and poses until a step shows that it no longer fits. Unlike the Thesis' solver this
// one keeps a line search: the objective never rises. And where the Thesis adds the gradient to the directions, this
// one goes on over all points by a few steps of preconditioned conjugate gradients, of which the gradient is the first:
// folds that are wider than a few edges come from the database, what is narrower from there.

#include "rigspace/apps/clothing/cloth_basis.h"
#include "rigspace/apps/clothing/kinematic_reference.h"
#include "rigspace/optimize/objective.h"

#include <memory>

namespace rigspace {

struct SubspaceOptions {
  ClothBasisOptions basis = {};
  int smoothing = 3;         ///< steps of conjugate gradients after each reduced step; 1: the gradient; 0: none
  int max_iterations = 3;    ///< of one solve
  double decrease = 0;       ///< J: a solve ends when a step promises to lower the objective by no more
  bool keep_hessian = true;  ///< false: a new one in every iteration, as the naive solver of table 6.1 does
  /// A kept Hessian is made anew once a step lowers the objective by less than this share of what it promised.
  double poor_share = 0.2;
  double shortest = 0.25;  ///< and at once if its line search ends with a shorter part of the step

  void validate() const;
};

/// Since the start.
struct SubspaceReport {
  int solves = 0, iterations = 0;
  int hessians = 0;  ///< made
  int far = 0;       ///< solves at poses that no site is near: no vector of the database was used
  /// Where training would help: of the pose, the distance to the nearest site as a share of the radius,
  double distance = 0;  ///< in the last solve;
  /// of the garment, the gradient over all points at the end of the solve as a share of that at its start, where the
  /// body alone had moved it. Solved with all points it would be near 0.
  double residual = 0;
};

class SubspaceSolver {
 public:
  /// Both are referred to. The reference's pose may change between solves.
  SubspaceSolver(const PoseSpaceDatabase& database, const KinematicReference& reference,
                 const SubspaceOptions& options = {});
  ~SubspaceSolver();
  SubspaceSolver(SubspaceSolver&&) noexcept;

  /// Lowers the objective, which is one of all points (an IdentityMapping), from x. `place`: of the pose, in pose
  /// space. `local`, unless null, is added to it: an energy of single points whose Hessian changes from step to step
  /// (planes of contact), and is never kept.
  void solve(const Objective& objective, In place, Vec& x, const Energy* local = nullptr);

  /// Clears the kept Hessian: what follows does not depend on what was solved before.
  void restart();
  void set_decrease(double decrease);
  const SubspaceReport& report() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace rigspace
