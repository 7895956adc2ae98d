#pragma once
// Rigs whose evaluations are cheap: a new Jacobian every step, or one that is kept while it is near enough to the rig.

#include "rigspace/body/rig_lineariser.h"

namespace rigspace {

/// x~ touches x at the expected end of the step, and J is evaluated there: two evaluations and a Jacobian a step. Where
/// x~ misses the end by more than the tolerance, x~ touches x there, with a J of there, and the step is solved again.
class JacobianEveryStep final : public RigLineariser {
 public:
  JacobianEveryStep(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options = {},
                    BlockJacobian response = {});

  void begin(In p, In p_key, In x_key) override;
  bool check_linearisation(In p, Vec& y) override;
  void renew() override;
  void accept(In p) override { p_last_ = p, has_last_ = true; }
  void restart() override { has_last_ = false; }
  std::vector<Vec> saved_state() const override;
  void restore(std::span<const Vec> state) override;

 private:
  bool has_last_ = false;
  Vec p_last_;                 // controls accepted last
  Vec p_from_, p_end_;         // from where the free controls move in the step, and where a solve ended
  Vec y_, y_linear_, y_from_;  // bound nodes: at p_end_, there by x~, and at p_from_ by x~
};

/// J serves up to options.most_steps while the nodes that it predicts miss those of the rig by less than the tolerance,
/// as a share of the way that the free controls take them in the step. Two evaluations to begin a step, one to end it.
/// A J that is evaluated in the step is checked by the same measure.
class DeferredJacobian final : public RigLineariser {
 public:
  DeferredJacobian(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options = {},
                   BlockJacobian response = {});

  void begin(In p, In p_key, In x_key) override;
  bool check_linearisation(In p, Vec& y) override;
  void renew() override;
  void accept(In p) override;
  void restart() override { has_last_ = false; }
  std::vector<Vec> saved_state() const override;
  void restore(std::span<const Vec> state) override;

 private:
  void evaluate_jacobian();

  bool has_last_ = false;
  int age_ = 0;                     // steps that J has served
  Vec p_last_;                      // controls accepted last
  Vec p_stay_, y_stay_;             // free controls of p_last_ among the keyed ones of now, and the nodes there
  Vec p_end_;                       // where a solve ended
  Vec y_begin_, y_end_, y_linear_;  // bound nodes: at the expected end, at the end, and where J has that
};

}  // namespace rigspace
