#pragma once
// Private to body: the last states of a body about its keyed poses, and the path through them, for RigPredictor.

#include "rigspace/base/types.h"

#include <deque>

namespace rigspace {

/// The last three states that steps ended in, as deviations from the keyed pose. With a model of the rig
/// (JacobianModel) the nodes of a state are the residual: true minus modelled positions. The residual changes slowly in
/// time, and `beside` extrapolates it from the states whose nodes were evaluated.
class StateHistory {
 public:
  /// Where a step ended, relative to the keyed pose at that time.
  struct State {
    double step = 1;  ///< length of the step, in any unit of time
    Vec controls;     ///< free controls minus their keyed values
    Vec nodes;  ///< bound nodes minus the keyed ones, in the frames of the rest pose; with a model also minus its nodes
  };

  /// `node_numbers`: three a bound node.
  explicit StateHistory(Eigen::Index node_numbers) : node_numbers_(node_numbers) {}

  bool empty() const { return states_.empty(); }
  const State& last() const { return states_.front(); }
  void clear();
  /// `evaluated`: whether the nodes come from the rig. `beside` uses such states only.
  void add(State state, bool evaluated);
  /// The state `step` after the last one, extrapolated by the polynomial in time through all states kept.
  State next(double step) const;
  /// The nodes `step` after the last state, extrapolated from the evaluated states only.
  Vec beside(double step) const;

  /// The history as numbers, with three integers of the caller stored in front.
  Vec saved_state(int first, int second, int third) const;
  void restore(In state, int& first, int& second, int& third);

 private:
  struct Evaluated {
    double time = 0;
    Vec nodes;  // as those of a state
  };
  Eigen::Index node_numbers_;
  std::deque<State> states_;         // the latest first
  std::deque<Evaluated> evaluated_;  // likewise
  double time_ = 0;                  // of the latest state
};

}  // namespace rigspace
