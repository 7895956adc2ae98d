#pragma once
// Private to body: the last states of a body about its keyed poses, and the path through them, for RigPredictor.

#include "rigspace/base/types.h"

#include <deque>

namespace rigspace {

/// The last three states that steps ended in. "Beside" is what the nodes of a state are apart from what a model of the
/// rig says of them (JacobianModel): it changes slowly, and goes on from states that were evaluated.
class StateHistory {
 public:
  /// Where a step ended, about the keyed pose of its own time.
  struct State {
    double step = 1;  ///< that led to it, in any unit of time
    Vec controls;     ///< free ones, less the keyed ones
    Vec nodes;        ///< bound ones, less the keyed ones, in the frames of the rest pose; with a model: beside it
  };

  /// `node_numbers`: three a bound node.
  explicit StateHistory(Eigen::Index node_numbers) : node_numbers_(node_numbers) {}

  bool empty() const { return states_.empty(); }
  const State& last() const { return states_.front(); }
  void clear();
  /// `evaluated`: whether the nodes come from the rig; only such states count for `beside`.
  void add(State state, bool evaluated);
  /// The state `step` after the last: a polynomial in time through the states, of one degree less than there are.
  State next(double step) const;
  /// The nodes `step` after the last state, through the evaluated ones alone.
  Vec beside(double step) const;

  /// As numbers, beside three of the owner's own.
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
