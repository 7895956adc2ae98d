#pragma once
// Private to physics: a black box in training. Shakes, weights and elements want Jacobians at hundreds of shapes around
// a few keyed poses, each two evaluations a control; those of the keyed poses themselves serve as well.

#include "rigspace/rig/rig.h"

#include <memory>
#include <mutex>
#include <vector>

namespace rigspace {

/// Moves as `rig` does. Its Jacobian is that of the one of some poses which is nearest in what is not free.
class BaseJacobianRig final : public Rig {
 public:
  /// `poses`: all controls; none: the rest pose.
  BaseJacobianRig(std::shared_ptr<const Rig> rig, std::vector<int> free, std::vector<Vec> poses);

  std::span<const Control> controls() const override { return rig_->controls(); }
  int point_count() const override { return rig_->point_count(); }
  Traits traits() const override { return rig_->traits(); }
  std::unique_ptr<Workspace> make_workspace() const override { return rig_->make_workspace(); }
  void evaluate(Workspace& workspace, In p, Vec& s) const override { rig_->evaluate(workspace, p, s); }
  void evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const override {
    rig_->evaluate_batch(workspace, P, S);
  }
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const override;

 private:
  std::size_t nearest(In p) const;

  std::shared_ptr<const Rig> rig_;
  std::vector<int> free_;
  std::vector<char> is_free_;
  std::vector<Vec> poses_;
  mutable std::mutex mutex_;
  mutable std::vector<BlockJacobian> known_;  // by pose; without rows until it is wanted
};

}  // namespace rigspace
