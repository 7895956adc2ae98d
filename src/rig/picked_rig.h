#pragma once
// Some points of a rig that has to be evaluated with more of them.

#include "rigspace/rig/rig.h"

#include <memory>

namespace rigspace {

/// `points` of `whole`, ascending and without repeats.
class PickedRig final : public Rig {
 public:
  PickedRig(std::shared_ptr<const Rig> whole, std::span<const int> points)
      : whole_(std::move(whole)), points_(points.begin(), points.end()) {}

  std::span<const Control> controls() const override { return whole_->controls(); }
  int point_count() const override { return static_cast<int>(points_.size()); }
  Traits traits() const override { return whole_->traits(); }
  std::unique_ptr<Workspace> make_workspace() const override;
  void evaluate(Workspace&, In p, Vec& s) const override;
  void evaluate_batch(Workspace&, const Mat& P, Mat& S) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const override;
  void pull(Workspace&, In p, In g, Vec& g_p) const override;
  bool rest_jacobian(Workspace&, In p, std::vector<Mat3>& B) const override;
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override;

 private:
  struct Memory;
  std::shared_ptr<const Rig> whole_;
  std::vector<int> points_;
};

}  // namespace rigspace
