#pragma once
// Modes of controls as controls themselves: of any rig, or in a rig that is written down.

#include "rigspace/anim/control_modes.h"
#include "rigspace/rig/rig.h"
#include "rigspace/rig/rig_plan.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// What gives a plan the sliders: controls, and drivers that add D U r to the channels. With all sliders at 0 the rig
/// is what it was, to the bit. `controls` are those of the rig that the modes were found on.
RigPlan slider_parts(const ControlModes& modes, std::span<const Control> controls, const SliderOptions& options = {});

/// Appends the controls and drivers of one plan to another.
void append_parts(RigPlan& plan, const RigPlan& parts);

/// A rig with the modes as further controls, after its own, which stay as offsets on top:
///   s(p, r) = s_base(p + D U r)
/// Exact derivatives if the base has them; else differences along the modes, two evaluations each, however many
/// controls they stand for.
class ModeRig final : public Rig {
 public:
  ModeRig(std::shared_ptr<const Rig> base, ControlModes modes, const SliderOptions& options = {});

  const Rig& base() const { return *base_; }
  const ControlModes& modes() const { return modes_; }
  int first_mode() const { return static_cast<int>(base_->controls().size()); }

  /// The base's controls at p.
  void expand(In p, Vec& p_base) const;

  std::span<const Control> controls() const override { return controls_; }
  int point_count() const override { return base_->point_count(); }
  Traits traits() const override { return base_->traits(); }
  std::unique_ptr<Workspace> make_workspace() const override;
  void evaluate(Workspace&, In p, Vec& s) const override;
  void evaluate_batch(Workspace&, const Mat& P, Mat& S) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const override;
  void pull(Workspace&, In p, In g, Vec& g_p) const override;
  bool rest_jacobian(Workspace&, In p, std::vector<Mat3>& B) const override;
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override;

 private:
  struct Memory;
  ModeRig(std::shared_ptr<const Rig> base, const ModeRig& whole);

  std::shared_ptr<const Rig> base_;
  ControlModes modes_;
  std::vector<Control> controls_;
};

}  // namespace rigspace
