#pragma once
// A black box whose Jacobian is found by differences once and kept: each further evaluation corrects it along the way
// that was gone (Broyden 1965).

#include "rigspace/rig/rig.h"

#include <memory>
#include <optional>
#include <vector>

namespace rigspace {

/// One thread at a time; a reference to the rig is kept. The Jacobian belongs to one set of free controls, and is found
/// again for another. `restricted` shares nothing with the original.
class KeptJacobianRig final : public Rig {
 public:
  explicit KeptJacobianRig(std::shared_ptr<const Rig> rig) : rig_(std::move(rig)), count_(std::make_shared<long>(0)) {}

  std::span<const Control> controls() const override { return rig_->controls(); }
  int point_count() const override { return rig_->point_count(); }
  Traits traits() const override { return {.concurrent = false, .noise = rig_->traits().noise}; }
  std::unique_ptr<Workspace> make_workspace() const override { return rig_->make_workspace(); }
  void evaluate(Workspace&, In p, Vec& s) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const override;
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override;
  std::optional<long> evaluation_count() const override { return *count_; }

  /// Returns to the Jacobian of the pose that was started from last, without an evaluation if p is that pose; else p is
  /// evaluated and the Jacobian corrected by the way from there. Corrections made far away are forgotten.
  void start_at(Workspace&, In p) const;

  /// Poses evaluated by this rig and all that it was restricted to.
  const std::shared_ptr<long>& counter() const { return count_; }

 private:
  std::shared_ptr<const Rig> rig_;
  std::shared_ptr<long> count_;
  mutable Vec p_last_, s_last_;
  mutable std::vector<int> free_;
  mutable Mat J_;  // dense, 3 n x free; empty before the first call
  mutable Vec p_start_, s_start_;
  mutable Mat J_start_;  // empty: as J_
};

}  // namespace rigspace
