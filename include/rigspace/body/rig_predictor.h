#pragma once
// Rigs whose evaluations cost more than solves: black boxes, other programs. A step makes one evaluation, at its end,
// or none.
//
// Nodes are followed as deviations from the keyed pose in a frame that turns with it, d = R^T (B s - y_key), which are
// smooth in time whatever the keyed controls do. x~ touches x where a polynomial through the last states leads, to
// second order in time, so that what the rig's curvature does to inertia is there as the step goes to 0
// (docs/corrections.md, "linearisation point"). Whether J is near enough to the rig is judged by what the last states
// did, and only where those differ from J by one more evaluation.
//
// How often the rig is evaluated at least (LinearRigOptions::most_unevaluated_steps > 0). The extrapolation through
// three evaluated ends that lie n steps apart misses the next one by C n^3, as a share of the way of a step. After an
// evaluated end that missed by e the next m ends may go without an evaluation only if
//   3 e ((m + 1) / n)^3 <= tolerance,   m at most one more than before, and at most most_unevaluated_steps,
// so that the next evaluated end is expected to miss by a third of the tolerance, and by all of it where the motion
// changes its pace. If it misses by more, the step is solved
// again from there, and m falls to 0, or to half with a model of the rig.

#include "rigspace/body/rig_lineariser.h"
#include "rigspace/rig/jacobian_sample.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

class RigPredictor final : public RigLineariser {
 public:
  RigPredictor(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options, BlockJacobian response = {});
  ~RigPredictor() override;

  /// B s(p_key) of all nodes, where that is not their place in the keyed pose (RigSpaceDescription::relative). Before
  /// each `begin`.
  void set_carried_key(In x_carried);
  /// Jacobians that were evaluated before, those at their keyed poses first; column i of `x_keys`: all nodes in the
  /// keyed pose of sample i. From now on J follows a model of them (jacobian_model.h), and corrections on the way are
  /// added to the model. Before the first step.
  void set_samples(std::span<const JacobianSample> samples, const Mat& x_keys);
  /// The length of the next steps, in any unit of time; 1 until the first call.
  void set_step(double length) { step_length_ = length; }

  /// x_key must be where p_key carries the nodes, free controls included. No evaluation once there is a history.
  void begin(In p, In p_key, In x_key) override { begin(p, p_key, x_key, x_key); }
  /// The same where the response turns with other nodes than those of the keyed pose.
  void begin(In p, In p_key, In x_key, In x_turn);
  /// One evaluation, rarely two, or none (LinearRigOptions::most_unevaluated_steps).
  bool check_linearisation(In p, Vec& y) override;
  /// x~ touches x where the step ended; J is new only if J missed. So check_linearisation may return false again, once
  /// or twice.
  void renew() override;
  void accept(In p) override;
  void restart() override;
  std::vector<Vec> saved_state() const override;
  void restore(std::span<const Vec> state) override;

 private:
  struct Data;  // history, kept Jacobians, model, and the step under way

  void evaluate_jacobian();
  void follow_model();
  void add_modelled_way(In p, double factor, Vec& nodes) const;
  void nodes_at_deviation(In p, In deviation, Vec& y) const;
  void stand_at(In p_key, In x_key);
  Vec deviation_at(In p) const;
  Vec keyed_shape() const;
  Vec shape_at(In y) const;
  bool end_without_evaluation(In p);
  bool judge(In p);
  int credit_after(double missed) const;

  std::unique_ptr<Data> data_;
  double step_length_ = 1;
  int age_ = 0;      // steps that J has served; 0: it is of the step under way
  Vec carried_key_;  // bound nodes: B s(p_key); empty: the keyed pose itself
};

}  // namespace rigspace
