#pragma once
// A fast stand-in for a slow rig (Thesis 7.2): a map s(p) learned from some of its poses, which gives way to the slow
// rig wherever its own error bound is too large.
//
// With a fast rig b(p) of the same points, such as skin where the slow rig is flesh, and B_i = db_i/dX_i,
//   s_i(p) = b_i(p) + B_i(p) sum_k w_k(p) d_ik,   d_ik = B_i(p_k)^-1 (s_i(p_k) - b_i(p_k)),
// w by kriging over the controls that the poses vary (kriging.h), d less its mean. Without a fast rig b is 0 and B
// is 1.
//
// The bound is statistical: kriging's own doubt at p, times the largest ratio of error to doubt with which any pose was
// predicted from all others, times `safety`. Beyond the range that a control has among the poses it is infinite. Where
// it exceeds the tolerance the slow rig is evaluated, so that p decides alone; at the border the points jump by the
// error.

#include "rigspace/rig/kriging.h"
#include "rigspace/rig/rig.h"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct StandInOptions {
  double tolerance = 0;  ///< scene units, of the bound; required
  double safety = 2;     ///< factor of the bound

  void validate() const;
};

/// A Rig like any other. Its Jacobian is that of what answers at p: by differences of the learned map, or the slow
/// rig's.
class StandInRig final : public Rig {
 public:
  /// Evaluates `slow` at all poses, in one batch. `fast`: null, or a rig with the same points; controls are matched by
  /// name. Throws Error for fewer than three poses, poses that are all the same, and sizes that differ.
  StandInRig(std::shared_ptr<const Rig> slow, std::shared_ptr<const Rig> fast, std::span<const Vec> poses,
             const StandInOptions& options);

  std::span<const Control> controls() const override { return slow_->controls(); }
  int point_count() const override { return slow_->point_count(); }
  Traits traits() const override;
  std::unique_ptr<Workspace> make_workspace() const override;
  void evaluate(Workspace&, In p, Vec& s) const override;
  void evaluate_batch(Workspace&, const Mat& P, Mat& S) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const override;
  std::optional<long> evaluation_count() const override { return slow_poses(); }

  /// Of the learned map's error, root mean square over the points, scene units; infinite where it must not be used.
  double bound(In p) const;
  bool trusted(In p) const { return bound(p) <= options_.tolerance; }
  const StandInOptions& options() const { return options_; }
  /// The learned map, whatever its bound.
  void predict(Workspace&, In p, Vec& s) const;

  /// Poses answered by the learned map and by the slow rig, those of its construction not among them.
  long fast_poses() const { return fast_poses_; }
  long slow_poses() const { return slow_poses_; }

 private:
  struct Scratch;
  class Learned;
  Vec place(In p) const;
  bool within(In p) const;
  void base(Scratch&, In p) const;

  std::shared_ptr<const Rig> slow_, fast_;
  StandInOptions options_;
  std::vector<int> varied_;  // controls
  std::vector<int> own_;     // of each control of `fast`: the control of `slow`; -1: it rests
  Vec low_, high_;           // of each control among the poses
  Vec scale_;                // of each varied control
  Kriging kriging_;
  Mat offsets_;  // d less its mean, a column a pose
  Vec mean_;
  double per_doubt_ = 0;  // scene units
  mutable std::atomic<long> fast_poses_ = 0, slow_poses_ = 0;
};

}  // namespace rigspace
