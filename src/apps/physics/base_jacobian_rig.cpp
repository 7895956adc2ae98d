#include "base_jacobian_rig.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {

BaseJacobianRig::BaseJacobianRig(std::shared_ptr<const Rig> rig, std::vector<int> free, std::vector<Vec> poses)
    : rig_(std::move(rig)), free_(std::move(free)), is_free_(rig_->controls().size(), 0), poses_(std::move(poses)) {
  if (poses_.empty()) poses_.push_back(rig_->rest());
  for (const int c : free_) is_free_[c] = 1;
  known_.resize(poses_.size());
}

std::size_t BaseJacobianRig::nearest(In p) const {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < poses_.size(); ++k) {
    double apart = 0;
    for (Eigen::Index c = 0; c < p.size(); ++c)
      if (!is_free_[c]) apart += std::pow((p[c] - poses_[k][c]) / std::max(1e-12, controls()[c].typical), 2);
    if (apart < least) least = apart, best = k;
  }
  return best;
}

void BaseJacobianRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  const std::size_t k = nearest(p);
  if (!std::ranges::equal(free, free_)) return rig_->jacobian(workspace, poses_[k], free, J);
  const std::lock_guard lock(mutex_);
  if (known_[k].start.empty()) rig_->jacobian(workspace, poses_[k], free, known_[k]);
  J = known_[k];
}

}  // namespace rigspace
