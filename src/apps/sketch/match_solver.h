#pragma once
// Strokes matched by Gauss and Newton's method in the free controls: a dense system of their number, summed from rows
// of the few points that the curves are on.

#include "rigspace/base/progress.h"
#include "rigspace/energy/stroke_match.h"
#include "rigspace/rig/rig.h"

#include <memory>
#include <vector>

namespace rigspace {

/// 1/2 (q - q_start)^T A (q - q_start), A without negative eigenvalues; and bounds of q.
struct MatchPrior {
  Mat A;
  Vec q_start, lower, upper;
};

struct MatchStop {
  double step = 0;         ///< scene units: the curves' points move by no more in the last step
  double decrease = 1e-3;  ///< relative, of the energy with its correspondences renewed, in two steps
  int iterations = 30;
};

struct MatchSummary {
  int iterations = 0;
  long evaluations = 0;  ///< poses, and Jacobians as one each
  bool converged = false;
};

/// Minimises strokes + prior over q, the free controls of `rig`, whose points are those that the matches are given for.
/// Levenberg and Marquardt's damping in place of a line search: of a rig that corrects its Jacobian by each pose, no
/// pose is wasted. The pose of the last accepted step is known and not evaluated again. One thread at a time.
class MatchSolver {
 public:
  MatchSolver(std::shared_ptr<const Rig> rig, std::vector<int> free);

  /// All controls: the values of those that are not free.
  void set_key(In p);
  Vec coordinates(In p) const;
  Vec controls_at(In q) const;
  /// x(q), from memory where it is the pose that was evaluated last.
  const Vec& points_at(In q);
  const BlockJacobian& jacobian_at(In q);
  const BlockJacobian& last_jacobian() const { return J_; }  ///< its places of entries hold for all poses

  /// From q, which is moved into the bounds first. Throws Cancelled.
  MatchSummary solve(const StrokeMatch& match, const MatchPrior& prior, const MatchStop& stop, Vec& q,
                     const ProgressCallback& progress = {});

  const Rig& rig() const { return *rig_; }
  int size() const { return static_cast<int>(free_.size()); }
  long evaluations() const { return evaluations_; }

 private:
  void assemble(const StrokeMatch& match, const State& state, In x, const BlockJacobian& J);
  void add_group(int rows);
  bool find_step(const MatchPrior& prior, In q, double damping);

  std::shared_ptr<const Rig> rig_;
  std::vector<int> free_;
  std::unique_ptr<Workspace> workspace_;
  Vec p_key_;
  Vec q_known_, x_known_;
  BlockJacobian J_;
  long evaluations_ = 0;
  // Of one iteration.
  Mat H_, damped_;
  Vec g_, d_, right_;
  std::vector<char> fixed_;
  // Places that the same controls move, stacked: rows of dz/dq and of A dz/dq.
  std::vector<int> columns_, group_columns_;
  Mat Z_, AZ_, block_;
  Vec pull_;
  Mat spread_;  // 2 x controls
};

}  // namespace rigspace
