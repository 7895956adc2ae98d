#pragma once
// Private to physics: a body in its own frame, for training. Training chooses elements one after the other, so that a
// change in the last bit of its input can change all that follows (by 0.5 % of the motion, and by 3 % at single
// points). In the frame, with points in the order in which nodes use them and with rounded numbers, its input is the
// same to the bit wherever the character stands and however its file lists its points.

#include "rigspace/geometry/own_frame.h"
#include "stepper.h"

#include <memory>
#include <vector>

namespace rigspace {

/// A rig whose points are in a frame, in another order, and on a grid of about 1e-7 of the frame's size; its Jacobian
/// is on a grid of about 1e-7 of what each control does at rest, for controls that were named.
class FramedRig final : public Rig {
 public:
  /// `order[k]`: the point of `rig` that is point k here. `free`: the controls whose Jacobian is rounded.
  FramedRig(std::shared_ptr<const Rig> rig, OwnFrame frame, std::vector<int> order, std::span<const int> free);

  std::span<const Control> controls() const override { return controls_; }
  int point_count() const override { return static_cast<int>(order_.size()); }
  Traits traits() const override { return rig_->traits(); }
  std::unique_ptr<Workspace> make_workspace() const override;
  void evaluate(Workspace&, In p, Vec& s) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const override;
  void pull(Workspace&, In p, In g, Vec& g_p) const override;
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override;

 private:
  struct Memory;
  FramedRig() = default;

  std::shared_ptr<const Rig> rig_;
  std::vector<Control> controls_;  // their typical changes in 32-bit floats
  OwnFrame frame_;
  std::vector<int> order_;
  Vec grid_;  // per control: the inverse of the step to which its Jacobian is rounded; 0: it is not
};

/// The body with its rig in the frame; what it does to nodes, and their numbers, are the same. Black boxes, whose
/// evaluations are counted and remembered as they are, stay in the scene: the frame is then the scene's.
SteppedBody framed_body(const SteppedBody& body, OwnFrame& frame);

}  // namespace rigspace
