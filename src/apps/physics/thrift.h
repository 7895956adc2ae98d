#pragma once
// Private to physics: what a frugal LinearRig knows of the states before, so that it need not ask the rig.

#include "learned_jacobian.h"
#include "rigspace/base/types.h"
#include "turning_frames.h"

#include <deque>
#include <optional>

namespace rigspace {

class Thrift {
 public:
  /// A state that a step ended in, about the keyed pose of its own time.
  struct State {
    double step = 1;  ///< that led to it
    Vec controls;     ///< free ones, less the keyed ones
    Vec nodes;        ///< bound ones, less the keyed ones, in the frames of the rest pose
  };

  /// Bound nodes at rest.
  explicit Thrift(const Vec& rest) : frames(rest, 1), nodes(rest) {}

  /// One region is best here: frames of small ones turn with limbs that J has no part in.
  TurningFrames frames;
  Vec key;  ///< bound nodes in the keyed pose

  /// The latest first; three are kept.
  std::deque<State> states;
  int trust = 0;  ///< steps for which the last look at the rig speaks for J
  std::optional<LearnedJacobian> known;

  // Of the step under way.
  enum class Fault { none, start, jacobian };
  Fault fault = Fault::none;  ///< why the last `holds` refused
  bool carried = false;       ///< y0 is not looked up
  bool stayed = false;        ///< y_stay is looked up
  bool recalled = false;      ///< J is made of known ones in this step
  Vec p_end;                  ///< of the last `holds`
  Vec p_stay, y_stay;  ///< the last state's deviation of controls about the keyed pose of now, and there the nodes
  Vec nodes, way, linear, scratch;  ///< bound nodes

  void remember(State state);
  /// The path through the states, a polynomial in time of one degree less than there are, after another step.
  State next(double step) const;

  Vec memory() const;
  void recall(In memory);
};

}  // namespace rigspace
